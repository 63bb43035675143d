//! Port: the store of lookups, which is their queue too.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batch::{BatchId, RowNumber};
use domain::customer::CustomerId;
use domain::key::{CountedKey, CounterId, Environment, HashGeneration};
use domain::lookup::{Attempt, LookupId, LookupState, QueueAhead};
use domain::month::Month;
use domain::pacing::LookupClass;
use domain::page::{Page, PageRequest};
use domain::request::RequestId;
use domain::seal::SealVerdict;
use domain::webhook::{LookupEnd, WebhookEvent};
use uuid::Uuid;

use super::{ListError, ScopeClaim, StoreError};

/// Port: stored lookups. Every method is one atomic step.
///
/// A lookup that isn't final is *due* at an instant: a waiting one at that of its next attempt, a
/// running one when its lease ends. Whoever claims a due one holds it until then, and nobody else
/// changes it but a caller who cancels it.
#[async_trait]
pub trait LookupStore: Send + Sync {
    /// Adds a lookup, queued and due at once, and records it as the answer to the request that holds
    /// its claim; fails if that isn't held any more. Durable once it returns.
    async fn add_lookup(&self, lookup: &NewLookup) -> Result<(), StoreError>;

    /// One lookup of a customer; `None` when it has none with this id.
    async fn lookup(
        &self,
        customer: CustomerId,
        id: LookupId,
    ) -> Result<Option<StoredLookup>, StoreError>;

    /// Attempts of a customer's lookup, oldest first.
    async fn attempts(
        &self,
        customer: CustomerId,
        id: LookupId,
    ) -> Result<Vec<Attempt>, StoreError>;

    /// Lookups of a customer, newest first, one page without a total.
    async fn lookups(
        &self,
        customer: CustomerId,
        filter: &LookupFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredLookup>, ListError>;

    /// Claims up to `most` due lookups of these classes, with their attempts: they are running, under
    /// this lease. Customers take turns: one whose lookup was claimed is last afterwards. Within a
    /// customer the one that is due first goes first. Returned in that order. MUST NOT claim one for
    /// two callers.
    async fn claim_lookups(
        &self,
        most: u32,
        classes: ClaimedClasses,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedLookup>, StoreError>;

    /// The instant at which the next lookup is due, of those that aren't final; `None` when there is none.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// The due lookups that a claim may take before a due one, of its class: at least the first thousand
    /// customers, and of each as many as it has turns before that one, 10,000 at most.
    async fn queue_ahead(
        &self,
        lookup: &StoredLookup,
        now: DateTime<Utc>,
    ) -> Result<QueueAhead, StoreError>;

    /// Moves the end of a lease. Returns `false` if it isn't held any more: it is held until another
    /// one takes its place, or the lookup is canceled.
    async fn renew_lease(&self, id: LookupId, lease: Lease) -> Result<bool, StoreError>;

    /// Ends the work on a claimed lookup: records its attempt and its change. Returns `false`, and
    /// changes nothing, if the lease isn't held any more.
    async fn end_claim(&self, end: &ClaimEnd) -> Result<bool, StoreError>;

    /// Cancels a customer's lookup that isn't final. A running one is canceled too: its lease ends.
    async fn cancel_lookup(
        &self,
        customer: CustomerId,
        id: LookupId,
        now: DateTime<Utc>,
    ) -> Result<Cancellation, StoreError>;

    /// Removes a customer's final lookup with all that is stored of it. Returns `false` if there is
    /// none.
    async fn erase_lookup(&self, customer: CustomerId, id: LookupId) -> Result<bool, StoreError>;

    /// Cancels lookups that aren't final and whose counters have no key left that isn't revoked;
    /// returns those that it canceled, `most` at most. A rotated key's lookups go on.
    async fn cancel_orphaned(
        &self,
        most: u32,
        now: DateTime<Utc>,
    ) -> Result<Vec<StoredLookup>, StoreError>;

    /// Removes lookups that ended before an instant; returns their number.
    async fn prune_lookups(&self, before: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Length and age of the queue: an entry for each class, in their order. A lookup is interactive
    /// as long as it can be claimed as such, see [`ClaimedClasses`].
    async fn lookup_queue(&self, now: DateTime<Utc>) -> Result<Vec<QueuedClass>, StoreError>;
}

/// A lookup to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLookup {
    /// Facts that don't change.
    pub facts: LookupFacts,
    /// The question, encrypted.
    pub question: Vec<u8>,
    /// The idempotency key of the request that creates it, if it has one.
    pub claim: Option<ScopeClaim>,
}

/// Facts of a lookup that don't change, none of them personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupFacts {
    /// The lookup.
    pub id: LookupId,
    /// The customer.
    pub customer: CustomerId,
    /// The key that it was created with.
    pub key: CountedKey,
    /// The bank that is asked.
    pub environment: Environment,
    /// Class of its first attempt; the others are background.
    pub class: LookupClass,
    /// The id in the answer to the request that created it.
    pub request_id: RequestId,
    /// The month that it is charged to.
    pub month: Month,
    /// Time of its creation.
    pub created_at: DateTime<Utc>,
    /// Time of its last attempt, at the latest.
    pub retry_until: DateTime<Utc>,
    /// Generation of the secret that its parts are encrypted with.
    pub generation: HashGeneration,
    /// The row that it is made of, if it is one of a batch.
    pub batch: Option<BatchRow>,
}

impl LookupFacts {
    /// The event of its end; `None` for one that isn't told of.
    pub fn end_event(&self, end: LookupEnd, at: DateTime<Utc>) -> Option<WebhookEvent> {
        let owner = (self.customer, self.environment);
        let batch = self.batch.map(|row| row.batch.0);
        WebhookEvent::of_lookup(owner, (self.id.0, batch), end, at)
    }
}

/// A row of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BatchRow {
    /// The batch.
    pub batch: BatchId,
    /// The row.
    pub row: RowNumber,
}

/// A stored lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLookup {
    /// Facts that don't change.
    pub facts: LookupFacts,
    /// The state.
    pub state: LookupState,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
    /// Time at which it is due; `None` once it is final.
    pub due_at: Option<DateTime<Utc>>,
    /// Number of attempts that ended.
    pub attempts: u32,
    /// The last one.
    pub last_attempt: Option<Attempt>,
    /// The question, encrypted.
    pub question: Vec<u8>,
    /// The proof, encrypted; `None` unless it was delivered.
    pub proof: Option<Vec<u8>>,
    /// The verdict on its seal as of its delivery; `None` unless it was delivered, and of one that a version
    /// delivered that didn't record it.
    pub seal: Option<SealVerdict>,
    /// The bank's last answer without a proof, encrypted; `None` before there is one, and once it was
    /// delivered.
    pub finding: Option<Vec<u8>>,
}

impl StoredLookup {
    /// Its class at the next claim: it is interactive until its first attempt has ended, if its creator
    /// waits for it.
    pub fn next_class(&self) -> LookupClass {
        match self.attempts {
            0 => self.facts.class,
            _ => LookupClass::Background,
        }
    }
}

/// Classes of lookups to claim. A lookup is interactive until its first attempt has ended, if its
/// creator waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimedClasses {
    /// All of them, interactive ones first.
    All,
    /// Lookups of callers who wait.
    Interactive,
}

/// Right to work on a lookup until an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Its name, which no other lease has.
    pub token: Uuid,
    /// Its end.
    pub until: DateTime<Utc>,
}

/// A lookup that was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedLookup {
    /// The lookup.
    pub lookup: StoredLookup,
    /// Its attempts, oldest first.
    pub attempts: Vec<Attempt>,
}

/// End of the work on a claimed lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimEnd {
    /// The lookup.
    pub id: LookupId,
    /// The token of its lease.
    pub token: Uuid,
    /// The time.
    pub now: DateTime<Utc>,
    /// The attempt that was made, if one was.
    pub attempt: Option<Attempt>,
    /// The bank's last answer without a proof, encrypted. It replaces what is stored of an earlier one;
    /// a delivered lookup keeps none.
    pub finding: Option<Vec<u8>>,
    /// The change.
    pub change: LookupChange,
}

/// Change of a lookup at the end of the work on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupChange {
    /// It waits again; queued, if no attempt was made so far.
    Wait {
        /// Time at which it is due.
        due_at: DateTime<Utc>,
    },
    /// It is delivered.
    Deliver {
        /// The proof, encrypted.
        proof: Vec<u8>,
        /// The verdict on its seal.
        seal: SealVerdict,
    },
    /// It ends without a proof.
    End {
        /// The final state.
        state: LookupState,
        /// The charge is given back to its month.
        refund: bool,
    },
}

/// Result of [`LookupStore::cancel_lookup`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cancellation {
    /// It was canceled now.
    Canceled(Box<StoredLookup>),
    /// It was final already.
    Final,
    /// The customer has no such lookup.
    Unknown,
}

/// Which lookups of a customer are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookupFilter {
    /// Of this environment; all when it is `None`.
    pub environment: Option<Environment>,
    /// In these states; all when it is empty.
    pub states: Vec<LookupState>,
    /// Of the keys that share these counters.
    pub counters: Option<CounterId>,
    /// Created at this instant or later.
    pub created_from: Option<DateTime<Utc>>,
    /// Of this batch; also of no batch when it is `None`.
    pub batch: Option<BatchId>,
}

/// Length and age of the queue of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedClass {
    /// The class.
    pub class: LookupClass,
    /// Lookups that are due and nobody works on.
    pub due: u64,
    /// Lookups that wait for a later attempt, or that somebody works on.
    pub waiting: u64,
    /// Time at which the oldest due one became due.
    pub oldest: Option<DateTime<Utc>>,
}
