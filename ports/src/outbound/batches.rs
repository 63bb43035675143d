//! Port: the store of batches.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batches::{BatchId, BatchState, RowCounts, RowNumber};
use domain::keys::{CountedKey, CounterId, Environment, HashGeneration, KeyId};
use domain::lookups::{LookupId, LookupState};
use domain::month::Month;
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerId;
use domain::request::RequestId;
use domain::seals::SealVerdict;
use uuid::Uuid;

use super::{Lease, ListError, LookupFacts, ScopeClaim, StoreError, StoredLookup};

/// Port: stored batches. Every method is one atomic step, except a removal, of which intermediate states may
/// be visible. A removal MUST delete the chunks before the first lookup, so that a reader who reads lookups
/// first and their chunk afterwards has read all lookups if the chunk exists.
///
/// A batch's rows are stored encrypted, in chunks. Lookups are created from them in row order, some at a
/// time; a row has at most one lookup. A batch that isn't final is *due* at an instant. A process that claims
/// a due batch holds it until its lease ends; no other process creates lookups of the batch in the meantime.
#[async_trait]
pub trait BatchStore: Send + Sync {
    /// Adds a batch, queued and due at once, and records it as the answer to the request that holds its
    /// idempotency claim; fails if the claim is lost. Durable once it returns. Refuses, and changes nothing,
    /// if the customer would exceed `bounds`. MUST enforce the bounds for concurrent additions, too.
    async fn add_batch(
        &self,
        batch: &NewBatch,
        bounds: BatchBounds,
    ) -> Result<BatchAddition, StoreError>;

    /// A customer's batch; `None` if the customer has none with this id.
    async fn batch(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<StoredBatch>, StoreError>;

    /// State of a customer's batch; `None` if the customer has none with this id. Reads a single row, because
    /// callers that wait for a change poll it.
    async fn batch_state(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<BatchState>, StoreError>;

    /// A customer's batches, newest first: one page, without a total.
    async fn batches(
        &self,
        customer: CustomerId,
        filter: &BatchFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredBatch>, ListError>;

    /// The encrypted chunk with this number, counted from 0; `None` if the batch or the chunk doesn't exist.
    async fn batch_chunk(&self, id: BatchId, number: u32) -> Result<Option<Vec<u8>>, StoreError>;

    /// Lookups of `rows` rows, beginning with `first`, in row order. Rows without a lookup are left out: not
    /// yet processed, faulty or duplicate, or with an erased lookup.
    async fn batch_lookups(
        &self,
        id: BatchId,
        first: RowNumber,
        rows: u32,
    ) -> Result<Vec<StoredLookup>, StoreError>;

    /// Claims up to `most` due batches, the longest due first. MUST NOT give one batch to two callers.
    async fn claim_batches(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedBatch>, StoreError>;

    /// Extends a lease. Returns the batch's current progress, or `None` if the lease is lost: another process
    /// claimed the batch, or it ended.
    async fn renew_batch(
        &self,
        id: BatchId,
        lease: Lease,
    ) -> Result<Option<BatchProgress>, StoreError>;

    /// Creates lookups of a claimed batch's rows, queued and due at once, charges them to the key's month,
    /// and sets the batch's next row and its state to running. Returns `false`, and changes nothing, if the
    /// lease is lost or one of the rows already has a lookup.
    async fn feed_batch(&self, feed: &BatchFeed) -> Result<bool, StoreError>;

    /// Gives up the claim of a batch, and applies a change to it. Returns `false`, and changes nothing, if
    /// the lease is lost, or if the change is to finish the batch while a row has no lookup yet or one that
    /// isn't final.
    async fn release_batch(&self, release: &BatchRelease) -> Result<bool, StoreError>;

    /// Cancels a customer's batch that isn't final, with those of its lookups that aren't final. Lookups
    /// without a begun attempt are refunded.
    async fn cancel_batch(
        &self,
        customer: CustomerId,
        id: BatchId,
        now: DateTime<Utc>,
    ) -> Result<BatchCancellation, StoreError>;

    /// Removes a customer's final batch with its rows and lookups. Returns `false` if the customer has no
    /// such batch.
    async fn erase_batch(&self, customer: CustomerId, id: BatchId) -> Result<bool, StoreError>;

    /// Delivers imported proofs to rows without one, without querying the bank. A row's lookup that is
    /// neither canceled nor delivered becomes delivered, even if a process holds its lease, and is refunded
    /// if no attempt was begun. A row without a lookup gets a delivered one, without a charge. Adds the
    /// webhook deliveries of each. Rows with a proof are skipped. Returns the lookups that were delivered by
    /// this call; `None` if the customer has no such batch, or it is canceled, in which case nothing is
    /// changed.
    async fn import_proofs(
        &self,
        customer: CustomerId,
        id: BatchId,
        proofs: &[ImportedProof],
        now: DateTime<Utc>,
    ) -> Result<Option<Vec<LookupFacts>>, StoreError>;

    /// Removes batches that ended before an instant, with their lookups; returns the number of batches.
    async fn prune_batches(&self, before: DateTime<Utc>) -> Result<u64, StoreError>;
}

/// A new batch to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBatch {
    /// Immutable facts.
    pub facts: BatchFacts,
    /// The batch's name and options, encrypted.
    pub content: Vec<u8>,
    /// The encrypted rows: [`domain::batches::ROWS_PER_CHUNK`] in each chunk except the last, which may have
    /// fewer.
    pub chunks: Vec<Vec<u8>>,
    /// Claim of the creating request's idempotency key; `None` if it has none.
    pub claim: Option<ScopeClaim>,
}

/// Limits of what a customer may have stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchBounds {
    /// Maximum number of batches that aren't final.
    pub open: u32,
    /// Maximum number of rows of all batches in any state: each takes space until it is removed.
    pub rows: u64,
}

impl BatchBounds {
    /// No limits.
    pub const NONE: Self = Self {
        open: u32::MAX,
        rows: u64::MAX,
    };
}

/// Result of [`BatchStore::add_batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchAddition {
    /// The batch was added.
    Added,
    /// The customer has reached the limit of batches that aren't final.
    TooManyOpen,
    /// The customer would exceed the limit of stored rows.
    TooManyRows,
}

/// Immutable facts of a batch, without personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchFacts {
    /// The batch's id.
    pub id: BatchId,
    /// The owner.
    pub customer: CustomerId,
    /// The API key that created the batch, or that a person chose for it.
    pub key: CountedKey,
    /// The environment, which decides the bank to query: portal or sandbox.
    pub environment: Environment,
    /// The request id in the answer to the request that created the batch.
    pub request_id: RequestId,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Number of all, of faulty and of duplicate rows.
    pub counts: RowCounts,
    /// Generation of the store secret that content and chunks are encrypted with.
    pub generation: HashGeneration,
}

/// A batch as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBatch {
    /// Immutable facts.
    pub facts: BatchFacts,
    /// The batch's name and options, encrypted.
    pub content: Vec<u8>,
    /// State in the life cycle.
    pub state: BatchState,
    /// Time of the last change of the state.
    pub updated_at: DateTime<Utc>,
    /// Time at which a process may claim the batch; `None` once it is final.
    pub due_at: Option<DateTime<Utc>>,
    /// Progress of the rows.
    pub progress: BatchProgress,
}

/// Number of rows that were processed, and the states of their lookups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchProgress {
    /// The first row that wasn't processed yet; equals the number of rows once all were.
    pub next_row: u32,
    /// Number of lookups in each state; states without lookups are left out.
    pub lookups: Vec<(LookupState, u32)>,
    /// Number of delivered lookups whose seal was invalid at delivery.
    pub seal_invalid: u32,
    /// Number of delivered lookups whose seal wasn't checked at delivery.
    pub seal_not_checked: u32,
    /// Earliest time at which a non-final lookup is due; `None` if all are final.
    pub next_due: Option<DateTime<Utc>>,
}

impl BatchProgress {
    /// Number of lookups in a state.
    pub fn in_state(&self, state: LookupState) -> u32 {
        let same = self.lookups.iter().filter(|(of, _)| *of == state);
        same.map(|(_, lookups)| lookups).sum()
    }

    /// Number of lookups that aren't final.
    pub fn open(&self) -> u32 {
        let open = self.lookups.iter().filter(|(state, _)| !state.is_final());
        open.map(|(_, lookups)| lookups).sum()
    }
}

/// Filter of a list of a customer's batches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchFilter {
    /// Only batches of this environment; `None` for all.
    pub environment: Option<Environment>,
    /// Only batches in these states; empty for all.
    pub states: Vec<BatchState>,
    /// Only batches of keys that share these counters; `None` for all.
    pub counters: Option<CounterId>,
}

/// A claimed batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedBatch {
    /// The batch as of the claim.
    pub batch: StoredBatch,
    /// The key to charge: the newest one with the batch's counters that isn't revoked; `None` if all are
    /// revoked.
    pub key: Option<KeyId>,
}

/// Lookups to create for rows of a claimed batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchFeed {
    /// The batch's id.
    pub id: BatchId,
    /// Token of the lease.
    pub token: Uuid,
    /// The row after those that are processed by this step.
    pub next_row: u32,
    /// The new lookups, of class background, each with its row in `facts.batch`.
    pub lookups: Vec<RowLookup>,
    /// The charge to count in the store; `None` if the limiter has counted it there already.
    pub charge: Option<FeedCharge>,
    /// The current time.
    pub now: DateTime<Utc>,
}

/// A lookup to create for a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLookup {
    /// Immutable facts; `batch` is always set.
    pub facts: LookupFacts,
    /// The row's query, encrypted.
    pub question: Vec<u8>,
}

/// A number of requests to charge to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedCharge {
    /// The key to charge.
    pub key: KeyId,
    /// The charged month.
    pub month: Month,
    /// Number of requests.
    pub requests: u32,
}

/// End of a process's work on a claimed batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRelease {
    /// The batch's id.
    pub id: BatchId,
    /// Token of the lease.
    pub token: Uuid,
    /// The current time.
    pub now: DateTime<Utc>,
    /// The change to apply.
    pub change: BatchChange,
}

/// Change of a batch when its claim is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchChange {
    /// The batch is due again later. Its state doesn't change: a paused batch becomes running when lookups
    /// are created.
    Wait {
        /// Time at which it is due again.
        due_at: DateTime<Utc>,
    },
    /// The key's monthly quota is used up: the batch is paused.
    Pause {
        /// Time at which it is due again.
        due_at: DateTime<Utc>,
    },
    /// All rows have ended: the batch is finished.
    Finish,
}

/// Result of [`BatchStore::cancel_batch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchCancellation {
    /// The batch was canceled by this call.
    Canceled {
        /// The lookups that were canceled with the batch.
        lookups: Vec<CanceledLookup>,
    },
    /// The batch was final already; nothing was changed.
    Final,
    /// The customer has no such batch.
    Unknown,
}

/// A lookup that was canceled with its batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanceledLookup {
    /// Immutable facts of the lookup.
    pub facts: LookupFacts,
    /// The charge was refunded, because no attempt was begun.
    pub refunded: bool,
}

/// An imported proof to deliver to a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedProof {
    /// The row, with the lookup to create if it has none.
    pub row: RowLookup,
    /// Id of the row's existing lookup, and the proof encrypted for that lookup; `None` if the row has none.
    /// The row is skipped if its lookup is another one by now.
    pub existing: Option<(LookupId, Vec<u8>)>,
    /// The proof, encrypted for the lookup in `row`.
    pub proof: Vec<u8>,
    /// The verdict on the proof's seal.
    pub seal: SealVerdict,
}
