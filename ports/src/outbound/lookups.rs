//! Port: the store of lookups, which also serves as their queue.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batches::{BatchId, RowNumber};
use domain::keys::{CountedKey, CounterId, Environment, HashGeneration};
use domain::lookups::{Attempt, LookupId, LookupState, QueueAhead};
use domain::month::Month;
use domain::pacing::LookupClass;
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerId;
use domain::request::RequestId;
use domain::seals::SealVerdict;
use domain::webhooks::{LookupEnd, WebhookEvent};
use uuid::Uuid;

use super::{ListError, ScopeClaim, StoreError};

/// Port: stored lookups. Every method is one atomic step.
///
/// A lookup that isn't final is *due* at an instant: a waiting one at the time of its next attempt, a running
/// one at the end of its lease. A process that claims a due lookup holds it until the lease ends; in the
/// meantime only a caller who cancels it may change it.
#[async_trait]
pub trait LookupStore: Send + Sync {
    /// Adds a lookup, queued and due at once, and records it as the answer to the request that holds its
    /// idempotency claim; fails if the claim is lost. Durable once it returns.
    async fn add_lookup(&self, lookup: &NewLookup) -> Result<(), StoreError>;

    /// A customer's lookup; `None` if the customer has none with this id.
    async fn lookup(
        &self,
        customer: CustomerId,
        id: LookupId,
    ) -> Result<Option<StoredLookup>, StoreError>;

    /// A customer's lookups of these ids, at most 100, in any order; those that the customer doesn't have are left
    /// out.
    async fn lookups_of(
        &self,
        customer: CustomerId,
        ids: &[LookupId],
    ) -> Result<Vec<StoredLookup>, StoreError>;

    /// Attempts of a customer's lookup, oldest first.
    async fn attempts(
        &self,
        customer: CustomerId,
        id: LookupId,
    ) -> Result<Vec<Attempt>, StoreError>;

    /// A customer's lookups, newest first: one page, without a total.
    async fn lookups(
        &self,
        customer: CustomerId,
        filter: &LookupFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredLookup>, ListError>;

    /// Claims up to `most` due lookups of these classes with their attempts, and sets their state to running
    /// under this lease. Customers take turns: one whose lookup was claimed goes to the end. Within a
    /// customer, the longest due goes first. Returned in that order. MUST NOT give one lookup to two callers.
    async fn claim_lookups(
        &self,
        most: u32,
        classes: ClaimedClasses,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedLookup>, StoreError>;

    /// Earliest time at which a lookup that isn't final is due; `None` if all are final.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Number of due lookups of the same class that may be claimed before this one. Counts at least the first
    /// thousand customers, and of each those that get a turn before this one, at most 10,000.
    async fn queue_ahead(
        &self,
        lookup: &StoredLookup,
        now: DateTime<Utc>,
    ) -> Result<QueueAhead, StoreError>;

    /// Extends a lease. Returns `false` if the lease is lost: another process claimed the lookup, or it was
    /// canceled.
    async fn renew_lease(&self, id: LookupId, lease: Lease) -> Result<bool, StoreError>;

    /// Gives up the claim of a lookup: records its attempt and its change. Returns `false`, and changes
    /// nothing, if the lease is lost.
    async fn end_claim(&self, end: &ClaimEnd) -> Result<bool, StoreError>;

    /// Cancels a customer's lookup that isn't final. If it is running, its lease ends.
    async fn cancel_lookup(
        &self,
        customer: CustomerId,
        id: LookupId,
        now: DateTime<Utc>,
    ) -> Result<Cancellation, StoreError>;

    /// Removes a customer's final lookup with all its data. Returns `false` if the customer has no such
    /// lookup.
    async fn erase_lookup(&self, customer: CustomerId, id: LookupId) -> Result<bool, StoreError>;

    /// Cancels up to `most` lookups that aren't final and of which all keys with the same counters are
    /// revoked; returns them. Lookups of a rotated key with an unrevoked successor are kept.
    async fn cancel_orphaned(
        &self,
        most: u32,
        now: DateTime<Utc>,
    ) -> Result<Vec<StoredLookup>, StoreError>;

    /// Removes lookups that ended before an instant; returns the number of removed lookups.
    async fn prune_lookups(&self, before: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Length and age of the queue: an entry for each class, in their order. A lookup counts as interactive
    /// as long as it can be claimed as such, see [`ClaimedClasses`].
    async fn lookup_queue(&self, now: DateTime<Utc>) -> Result<Vec<QueuedClass>, StoreError>;
}

/// A new lookup to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLookup {
    /// Immutable facts.
    pub facts: LookupFacts,
    /// The query, encrypted.
    pub question: Vec<u8>,
    /// Claim of the creating request's idempotency key; `None` if it has none.
    pub claim: Option<ScopeClaim>,
}

/// Immutable facts of a lookup, without personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupFacts {
    /// The lookup's id.
    pub id: LookupId,
    /// The owner.
    pub customer: CustomerId,
    /// The API key that the lookup was created with and is charged to.
    pub key: CountedKey,
    /// The environment, which decides the bank to query: portal or sandbox.
    pub environment: Environment,
    /// Class of the first attempt; later attempts are background.
    pub class: LookupClass,
    /// The request id in the answer to the request that created the lookup.
    pub request_id: RequestId,
    /// The month that is charged.
    pub month: Month,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Latest time for which an attempt is scheduled.
    pub retry_until: DateTime<Utc>,
    /// Generation of the store secret that question, proof and finding are encrypted with.
    pub generation: HashGeneration,
    /// The batch and row that the lookup belongs to; `None` if it isn't of a batch.
    pub batch: Option<BatchRow>,
}

impl LookupFacts {
    /// The webhook event of the lookup's end; `None` for a state without an event.
    pub fn end_event(&self, end: LookupEnd, at: DateTime<Utc>) -> Option<WebhookEvent> {
        let owner = (self.customer, self.environment);
        let batch = self.batch.map(|row| row.batch.0);
        WebhookEvent::of_lookup(owner, (self.id.0, batch), end, at)
    }
}

/// Position of a row in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BatchRow {
    /// The batch's id.
    pub batch: BatchId,
    /// The row's number, from 0.
    pub row: RowNumber,
}

/// A lookup as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLookup {
    /// Immutable facts.
    pub facts: LookupFacts,
    /// State in the life cycle.
    pub state: LookupState,
    /// Time of the last change of the lookup.
    pub updated_at: DateTime<Utc>,
    /// Time at which a process may claim the lookup; `None` once it is final.
    pub due_at: Option<DateTime<Utc>>,
    /// Number of completed attempts.
    pub attempts: u32,
    /// The last completed attempt; `None` before the first one.
    pub last_attempt: Option<Attempt>,
    /// The query, encrypted.
    pub question: Vec<u8>,
    /// The proof's files, encrypted; `None` unless delivered.
    pub proof: Option<Vec<u8>>,
    /// Verdict on the proof's seal at delivery; `None` unless delivered, and for lookups that were delivered
    /// by versions that didn't record it.
    pub seal: Option<SealVerdict>,
    /// The bank's last answer without a proof, encrypted; `None` before the first such answer, and once
    /// delivered.
    pub finding: Option<Vec<u8>>,
}

impl StoredLookup {
    /// Class of the next claim: interactive until the first attempt has ended if the creator waits for it,
    /// otherwise background.
    pub fn next_class(&self) -> LookupClass {
        match self.attempts {
            0 => self.facts.class,
            _ => LookupClass::Background,
        }
    }
}

/// Classes of lookups to claim. A lookup is interactive until its first attempt has ended, if its creator
/// waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimedClasses {
    /// Lookups of both classes, interactive ones first.
    All,
    /// Only interactive lookups.
    Interactive,
}

/// Right of one process to work on a row until an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Unique token of the lease.
    pub token: Uuid,
    /// Time at which the lease ends unless it is extended.
    pub until: DateTime<Utc>,
}

/// A claimed lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedLookup {
    /// The lookup as of the claim.
    pub lookup: StoredLookup,
    /// Completed attempts, oldest first.
    pub attempts: Vec<Attempt>,
}

/// End of a process's work on a claimed lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimEnd {
    /// The lookup's id.
    pub id: LookupId,
    /// Token of the lease.
    pub token: Uuid,
    /// The current time.
    pub now: DateTime<Utc>,
    /// The attempt to record; `None` if none was made.
    pub attempt: Option<Attempt>,
    /// The bank's last answer without a proof, encrypted; replaces a stored one. A delivered lookup keeps
    /// none.
    pub finding: Option<Vec<u8>>,
    /// The query with the account for which the bank knows the transfer, encrypted; `None` if it stays as it is.
    pub question: Option<Vec<u8>>,
    /// The change to apply.
    pub change: LookupChange,
}

/// Change of a lookup when its claim is given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupChange {
    /// The lookup is due again later: its state becomes waiting, or queued if it had no attempt so far.
    Wait {
        /// Time at which it is due again.
        due_at: DateTime<Utc>,
    },
    /// The proof was obtained: the lookup is delivered.
    Deliver {
        /// The proof's files, encrypted.
        proof: Vec<u8>,
        /// Verdict on the proof's seal.
        seal: SealVerdict,
    },
    /// The lookup ends without a proof.
    End {
        /// The final state to set.
        state: LookupState,
        /// `true` to refund the charge to its month.
        refund: bool,
    },
}

/// Result of [`LookupStore::cancel_lookup`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cancellation {
    /// The lookup was canceled by this call.
    Canceled(Box<StoredLookup>),
    /// The lookup was final already; nothing was changed.
    Final,
    /// The customer has no such lookup.
    Unknown,
}

/// Filter of a list of a customer's lookups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookupFilter {
    /// Only lookups of this environment; `None` for all.
    pub environment: Option<Environment>,
    /// Only lookups in these states; empty for all.
    pub states: Vec<LookupState>,
    /// Only lookups of keys that share these counters; `None` for all.
    pub counters: Option<CounterId>,
    /// Only lookups that were created at this instant or later; `None` for all.
    pub created_from: Option<DateTime<Utc>>,
    /// Only lookups of this batch; `None` for all, including those of no batch.
    pub batch: Option<BatchId>,
}

/// Length and age of the queue of one class of lookups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedClass {
    /// Class of the counted lookups.
    pub class: LookupClass,
    /// Number of lookups that are due and not claimed.
    pub due: u64,
    /// Number of lookups that wait for a later attempt or are claimed.
    pub waiting: u64,
    /// Time at which the oldest due lookup became due; `None` if none is due.
    pub oldest: Option<DateTime<Utc>>,
}
