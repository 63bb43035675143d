//! Creation, reading and removal of stored lookups for callers.

use std::sync::Arc;
use std::time::Duration;

use super::types::{
    LookupAccess, LookupError, LookupQuery, LookupRequest, LookupView, Read, RemovedLookup,
};
use crate::admission::{AdmissionError, NotDurable};
use async_lock::{Semaphore, SemaphoreGuardArc};
use chrono::TimeDelta;
use domain::account::Account;
use domain::keys::{Environment, KeyId};
use domain::limits::rate::Rate;
use domain::lookups::{LookupId, LookupState};
use domain::outcome::{Endpoint, Outcome};
use domain::own_accounts::{GivenAccount, OwnAccount};
use domain::pacing::{LookupClass, Pacing};
use domain::page::Page;
use domain::participants::inference::{self, InferredBanks, Resolution};
use domain::people::customer::CustomerId;
use domain::query::{FieldError, ProofQuery};
use domain::transfer::Banks;
use ports::Cause;
use ports::outbound::{
    CanceledLookup, Cancellation, Clock, LookupFacts, LookupFilter, LookupStore, NewLookup,
    ScopeClaim, StoreError, StoredLookup, Timer,
};

use super::content::Question;
use super::queue;
use super::reader::{LookupReader, ReadError};
use super::signals::LookupSignals;
use super::waits::{Waits, progress};
use crate::admission::{ChargedRequest, GatekeeperService, Identified, Settlement};
use crate::metrics;
use crate::sync::buckets::Buckets;
use crate::sync::places::{Place, Places};

/// Maximum number of reads a minute with one API key.
const READS_PER_MINUTE: u32 = 600;
/// Maximum numbers of concurrent reads of one customer and of all. They use the connections for checking
/// keys; the limit leaves some of these free.
const READS_AT_ONCE: (usize, usize) = (1, 2);
/// `Retry-After` while the store fails.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Creates, reads and removes stored lookups of callers.
pub struct LookupService {
    store: Arc<dyn LookupStore>,
    pub(crate) reader: LookupReader,
    gatekeeper: Arc<GatekeeperService>,
    signals: Arc<LookupSignals>,
    pub(super) waits: Waits,
    clock: Arc<dyn Clock>,
    /// The query budget of the portal.
    pacing: Pacing,
    reads: Buckets<KeyId>,
    reads_of_customer: Places,
    reads_of_all: Arc<Semaphore>,
}

/// Reason why an account can't be completed with own accounts.
pub(crate) enum Incomplete {
    NoneFits(FieldError),
    Unreadable(Cause),
}

/// Permission to read from the store, valid until it is dropped.
pub(crate) type ReadTurn = (Place, SemaphoreGuardArc);

impl LookupService {
    /// Creates a service. `signals` are those of this process's worker; `pacing` is the query budget of the
    /// portal.
    pub fn new(
        store: Arc<dyn LookupStore>,
        reader: LookupReader,
        gatekeeper: Arc<GatekeeperService>,
        signals: Arc<LookupSignals>,
        clock: Arc<dyn Clock>,
        timer: Arc<dyn Timer>,
        pacing: Pacing,
    ) -> Self {
        let rate = Rate {
            burst: READS_PER_MINUTE,
            interval: Duration::from_mins(1) / READS_PER_MINUTE,
        };
        let waits = Waits::new(Arc::clone(&signals), Arc::clone(&clock), timer);
        Self {
            store,
            reader,
            gatekeeper,
            signals,
            waits,
            clock,
            pacing,
            reads: Buckets::new(rate),
            reads_of_customer: Places::new(READS_AT_ONCE.0),
            reads_of_all: Arc::new(Semaphore::new(READS_AT_ONCE.1)),
        }
    }

    /// A customer's lookups of these ids, at most 100.
    pub(crate) async fn of_ids(
        &self,
        customer: CustomerId,
        ids: &[LookupId],
    ) -> Result<Vec<StoredLookup>, StoreError> {
        self.store.lookups_of(customer, ids).await
    }

    /// Waits for permission to read a customer's stored data.
    pub(crate) async fn read_turn(&self, customer: CustomerId) -> ReadTurn {
        let of_customer = self.reads_of_customer.take(customer).await;
        (of_customer, self.reads_of_all.acquire_arc().await)
    }

    /// Completes a masked or missing account with those of the customer's own accounts that fit.
    ///
    /// # Errors
    /// None of them fits, or they can't be read.
    pub(crate) async fn complete(
        &self,
        customer: CustomerId,
        query: ProofQuery<GivenAccount>,
    ) -> Result<ProofQuery, Incomplete> {
        let own = match query.account {
            GivenAccount::Whole(_) => Vec::new(),
            GivenAccount::Masked(_) | GivenAccount::Missing => {
                let own = self.own_accounts(customer).await;
                own.map_err(Incomplete::Unreadable)?
            }
        };
        let catalogue = self.reader.participants.catalogue();
        let query = query.complete(&own, &catalogue);
        let query = query.map_err(Incomplete::NoneFits)?;
        Ok(inference::resolvable(query, &catalogue))
    }

    /// A customer's own accounts.
    pub(crate) async fn own_accounts(
        &self,
        customer: CustomerId,
    ) -> Result<Vec<OwnAccount>, Cause> {
        self.reader.own_accounts.of(customer).await
    }

    /// Participants of a query by the current catalogue, and which of them were inferred.
    pub(crate) fn resolve(
        &self,
        query: &ProofQuery,
    ) -> (InferredBanks, Result<Banks, inference::Unresolved>) {
        let catalogue = self.reader.participants.catalogue();
        let Resolution { inferred, transfer } = inference::resolve(query.clone(), &catalogue);
        (inferred, transfer.map(|transfer| transfer.banks()))
    }

    /// Stores a lookup, with the id of the request. It is recorded as the answer to the request that holds
    /// the idempotency claim.
    ///
    /// # Errors
    /// The lookup can't be encrypted or stored.
    pub(crate) async fn add(
        &self,
        charged: &ChargedRequest,
        environment: Environment,
        request: LookupRequest<Account>,
        claim: Option<ScopeClaim>,
    ) -> Result<(), NotDurable> {
        let created_at = charged.admitted_at;
        let retry_for = TimeDelta::from_std(request.retry_for.duration());
        let encryption = &self.reader.encryption;
        let facts = LookupFacts {
            id: LookupId(charged.id),
            customer: charged.customer,
            key: charged.key,
            environment,
            class: if request.wait.is_zero() {
                LookupClass::Background
            } else {
                LookupClass::Interactive
            },
            request_id: charged.request_id.clone(),
            month: charged.month,
            created_at,
            retry_until: created_at + retry_for.unwrap_or_default(),
            generation: encryption.generation(),
            batch: None,
        };
        let question = Question {
            query: request.query,
            files: request.files,
            metadata: request.metadata,
        };
        let question = encryption.encrypt_question(&facts, &question);
        let question = question.map_err(not_stored)?;
        let lookup = NewLookup {
            facts,
            question,
            claim,
        };
        let added = self.store.add_lookup(&lookup).await;
        added.map_err(|error| not_stored(Arc::new(error)))?;
        metrics::lookups_created(1);
        Ok(())
    }

    /// Removes a lookup whose request couldn't be charged.
    pub(crate) async fn withdraw(&self, customer: CustomerId, id: LookupId) {
        let canceled = self.store.cancel_lookup(customer, id, self.clock.now());
        let removed = match canceled.await {
            Ok(canceled) => {
                if let Cancellation::Canceled(_) = canceled {
                    metrics::lookups_ended(LookupState::Canceled, 1);
                }
                self.store.erase_lookup(customer, id).await.map(drop)
            }
            Err(error) => Err(error),
        };
        if let Err(error) = removed {
            tracing::warn!(%error, %id, "a lookup that was not charged could not be removed");
        }
    }

    /// Signals a charged lookup to the worker. Returns it once it is final or the caller's wait is over;
    /// `None` if it can't be read.
    pub(crate) async fn created(
        &self,
        customer: CustomerId,
        id: LookupId,
        wait: Duration,
    ) -> Option<LookupView> {
        self.signals.work();
        let is_final = |lookup: &StoredLookup| lookup.state.is_final();
        let found = match self.wait_for(customer, id, wait, is_final).await {
            Ok(Some(lookup)) => self.view(&lookup).await,
            Ok(None) => Err(LookupError::Unknown),
            Err(error) => Err(error),
        };
        found
            .inspect_err(|error| tracing::warn!(?error, %id, "a new lookup could not be read"))
            .ok()
    }

    /// Cancels up to 500 lookups whose keys are all revoked; returns their number.
    ///
    /// # Errors
    /// The store failed.
    pub async fn cancel_orphaned(&self) -> Result<usize, StoreError> {
        const MOST: u32 = 500;
        let canceled = self.store.cancel_orphaned(MOST, self.clock.now()).await?;
        for lookup in &canceled {
            self.conclude_canceled(&lookup.facts).await;
        }
        Ok(canceled.len())
    }

    /// Cancels a customer's lookup that isn't final, and records the end of its request.
    pub(super) async fn cancel(
        &self,
        customer: CustomerId,
        id: LookupId,
    ) -> Result<Cancellation, StoreError> {
        let canceled = self.store.cancel_lookup(customer, id, self.clock.now());
        let canceled = canceled.await?;
        if let Cancellation::Canceled(lookup) = &canceled {
            self.conclude_canceled(&lookup.facts).await;
        }
        Ok(canceled)
    }

    /// Removes a customer's final lookup. Returns `false` if the customer has no such lookup.
    pub(super) async fn erase(
        &self,
        customer: CustomerId,
        id: LookupId,
    ) -> Result<bool, StoreError> {
        self.store.erase_lookup(customer, id).await
    }

    /// Wakes callers that wait for a change of a lookup.
    pub(crate) fn signal_change(&self, id: LookupId) {
        self.signals.changed(id);
    }

    /// Signals the end of a canceled lookup, and records that of its request.
    async fn conclude_canceled(&self, facts: &LookupFacts) {
        metrics::lookups_ended(LookupState::Canceled, 1);
        self.signals.changed(facts.id);
        let settlement = Settlement::of(Outcome::Canceled);
        let concluded = self
            .gatekeeper
            .conclude(charged(facts), settlement, Duration::ZERO);
        concluded.await;
    }

    /// Concludes lookups that were canceled with their batch.
    pub(crate) async fn conclude_canceled_rows(&self, canceled: Vec<CanceledLookup>) {
        for CanceledLookup { facts, refunded } in canceled {
            if refunded {
                self.gatekeeper.refund_unattended(&charged(&facts)).await;
            }
            self.conclude_canceled(&facts).await;
        }
    }

    /// Checks a caller's key, and counts a read against its limit.
    async fn identify(&self, access: &LookupAccess) -> Result<Identified, LookupError> {
        let key = access.presented_key.as_deref();
        let identified = self.gatekeeper.identify(key, access.address).await;
        let identified = identified.map_err(LookupError::Refused)?;
        let taken = self.reads.take(identified.key.id, self.clock.monotonic());
        taken.map_err(|exceeded| LookupError::TooManyReads {
            limit: READS_PER_MINUTE,
            retry_after: exceeded.retry_after,
        })?;
        Ok(identified)
    }

    /// Reads a lookup until it meets a condition or the wait is over; `None` if the customer has no such
    /// lookup.
    async fn wait_for(
        &self,
        customer: CustomerId,
        id: LookupId,
        wait: Duration,
        condition: impl Fn(&StoredLookup) -> bool,
    ) -> Result<Option<StoredLookup>, LookupError> {
        let (store, of) = (&*self.store, (customer, id));
        let found = self.waits.until(store, of, wait, condition).await;
        found.map_err(unavailable)
    }

    /// A lookup with attempts and proof.
    async fn view(&self, lookup: &StoredLookup) -> Result<LookupView, LookupError> {
        Ok(self.reader.read(&*self.store, lookup).await?)
    }
}

impl LookupService {
    /// A lookup. With a `wait`, returns once the lookup's state changes or the time is over.
    ///
    /// # Errors
    /// See [`LookupError`].
    pub async fn find(
        &self,
        access: LookupAccess,
        id: LookupId,
        wait: Duration,
    ) -> Result<Read<LookupView>, LookupError> {
        let by = self.identify(&access).await?;
        let turn = self.read_turn(by.customer).await;
        let first = self.wait_for(by.customer, id, Duration::ZERO, |_| true);
        let mut found = of_environment(first.await?, by.environment)?;
        drop(turn);
        if !wait.is_zero() && !found.state.is_final() {
            let changed = |lookup: &StoredLookup| progress(&found) != progress(lookup);
            let later = self.wait_for(by.customer, id, wait, changed).await?;
            found = of_environment(later, by.environment)?;
        }
        let _turn = self.read_turn(by.customer).await;
        let mut view = self.view(&found).await?;
        let place = queue::place(self.store.as_ref(), self.pacing, &found, self.clock.now());
        view.queue = place.await.map_err(unavailable)?;
        Ok(read(view, &by))
    }

    /// Lookups in the key's environment, newest first: one page.
    ///
    /// # Errors
    /// See [`LookupError`].
    pub async fn list(
        &self,
        access: LookupAccess,
        query: LookupQuery,
    ) -> Result<Read<Page<LookupView>>, LookupError> {
        let by = self.identify(&access).await?;
        let filter = LookupFilter {
            environment: Some(by.environment),
            states: query.states,
            counters: None,
            created_from: query.created_from,
            batch: query.batch,
        };
        let _turn = self.read_turn(by.customer).await;
        let page = self
            .reader
            .page(&*self.store, by.customer, &filter, &query.page);
        Ok(read(page.await?, &by))
    }

    /// Cancels a lookup that isn't final, or erases a final one.
    ///
    /// # Errors
    /// See [`LookupError`].
    pub async fn remove(
        &self,
        access: LookupAccess,
        id: LookupId,
    ) -> Result<Read<RemovedLookup>, LookupError> {
        let by = self.identify(&access).await?;
        let _turn = self.read_turn(by.customer).await;
        let found = self.store.lookup(by.customer, id).await;
        of_environment(found.map_err(unavailable)?, by.environment)?;
        let canceled = self.cancel(by.customer, id).await;
        let removed = match canceled.map_err(unavailable)? {
            Cancellation::Canceled(lookup) => {
                RemovedLookup::Canceled(Box::new(self.view(&lookup).await?))
            }
            Cancellation::Final => {
                let erased = self.erase(by.customer, id).await;
                erased.map_err(unavailable)?;
                RemovedLookup::Erased
            }
            Cancellation::Unknown => return Err(LookupError::Unknown),
        };
        Ok(read(removed, &by))
    }
}

/// The charged request that created a lookup.
pub(crate) fn charged(facts: &LookupFacts) -> ChargedRequest {
    ChargedRequest {
        id: facts.id.0,
        request_id: facts.request_id.clone(),
        key: facts.key,
        customer: facts.customer,
        admitted_at: facts.created_at,
        month: facts.month,
        endpoint: match facts.batch {
            Some(_) => Endpoint::Batches,
            None => Endpoint::Lookups,
        },
    }
}

/// The lookup if it is in this environment; otherwise an error.
fn of_environment(
    lookup: Option<StoredLookup>,
    environment: Environment,
) -> Result<StoredLookup, LookupError> {
    lookup
        .filter(|lookup| lookup.facts.environment == environment)
        .ok_or(LookupError::Unknown)
}

fn read<T>(found: T, by: &Identified) -> Read<T> {
    Read {
        found,
        key: by.key.id,
        environment: by.environment,
        limit_status: by.limit_status,
    }
}

fn not_stored(cause: Cause) -> NotDurable {
    NotDurable {
        retry_after: RETRY_AFTER,
        cause,
    }
}

impl From<ReadError> for LookupError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => unavailable(error),
            ReadError::Cursor(error) => Self::Cursor(error),
            ReadError::Unreadable(cause) => Self::Unreadable { cause },
        }
    }
}

fn unavailable(error: StoreError) -> LookupError {
    LookupError::Refused(AdmissionError::Unavailable {
        retry_after: RETRY_AFTER,
        cause: Arc::new(error),
    })
}
