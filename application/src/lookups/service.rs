//! Creation, reading and removal of stored lookups for callers.

use std::sync::Arc;
use std::time::Duration;

use super::types::{LookupError, LookupRequest, LookupView};
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
use domain::participants::inference::{self, InferredBanks, Resolution};
use domain::people::customer::CustomerId;
use domain::query::{FieldError, ProofQuery};
use domain::transfer::Banks;
use ports::Cause;
use ports::outbound::{
    CanceledLookup, Cancellation, Clock, LookupFacts, LookupStore, NewLookup, ScopeClaim,
    StoreError, StoredLookup, Timer,
};

use super::content::Question;
use super::reader::{LookupReader, ReadError};
use super::signals::LookupSignals;
use super::waits::Waits;
use crate::admission::{ChargedRequest, GatekeeperService, Settlement};
use crate::metrics;
use crate::sync::buckets::Buckets;
use crate::sync::places::{Place, Places};

/// Maximum number of reads a minute with one API key.
pub(super) const READS_PER_MINUTE: u32 = 600;
/// Maximum numbers of concurrent reads of one customer and of all. They use the connections for checking
/// keys; the limit leaves some of these free.
const READS_AT_ONCE: (usize, usize) = (1, 2);
/// `Retry-After` while the store fails.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Creates, reads and removes stored lookups of callers.
pub struct LookupService {
    pub(super) store: Arc<dyn LookupStore>,
    pub(crate) reader: LookupReader,
    pub(super) gatekeeper: Arc<GatekeeperService>,
    signals: Arc<LookupSignals>,
    pub(super) waits: Waits,
    pub(super) clock: Arc<dyn Clock>,
    /// The query budget of the portal.
    pub(super) pacing: Pacing,
    pub(super) reads: Buckets<KeyId>,
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

    /// Reads a lookup until it meets a condition or the wait is over; `None` if the customer has no such
    /// lookup.
    pub(super) async fn wait_for(
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
    pub(super) async fn view(&self, lookup: &StoredLookup) -> Result<LookupView, LookupError> {
        Ok(self.reader.read(&*self.store, lookup).await?)
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

pub(super) fn unavailable(error: StoreError) -> LookupError {
    LookupError::Refused(AdmissionError::Unavailable {
        retry_after: RETRY_AFTER,
        cause: Arc::new(error),
    })
}
