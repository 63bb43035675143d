//! Port: the store of batches.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batch::{BatchId, BatchState, RowCounts, RowNumber};
use domain::customer::CustomerId;
use domain::key::{CountedKey, CounterId, Environment, HashGeneration, KeyId};
use domain::lookup::{LookupId, LookupState};
use domain::month::Month;
use domain::page::{Page, PageRequest};
use domain::request::RequestId;
use domain::seal::SealVerdict;
use uuid::Uuid;

use super::{Lease, ListError, LookupFacts, ScopeClaim, StoreError, StoredLookup};

/// Port: stored batches. Every method is one atomic step, but for a removal: it may be seen half done. The
/// chunks MUST go before the first lookup does, so whoever reads lookups, and their chunk afterwards, has
/// read all the lookups that there were.
///
/// A batch's rows are stored in chunks, encrypted. From them, lookups are made in row order, some at a
/// time; a row has one lookup at most. A batch that isn't final is *due* at an instant, and whoever claims
/// a due one holds it until the lease ends; nobody else makes lookups of it meanwhile.
#[async_trait]
pub trait BatchStore: Send + Sync {
    /// Adds a batch, queued and due at once, and records it as the answer to the request that holds its
    /// claim; fails if that isn't held any more. Durable once it returns. Refuses, and changes nothing, if
    /// the customer would have more than `bounds` allow. MUST NOT let those that are added at the same
    /// moment exceed them together.
    async fn add_batch(
        &self,
        batch: &NewBatch,
        bounds: BatchBounds,
    ) -> Result<BatchAddition, StoreError>;

    /// One batch of a customer; `None` when it has none with this id.
    async fn batch(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<StoredBatch>, StoreError>;

    /// The state of a batch of a customer; `None` when it has none with this id. Reads one row: those who
    /// wait for a change ask often.
    async fn batch_state(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<Option<BatchState>, StoreError>;

    /// Batches of a customer, newest first, one page without a total.
    async fn batches(
        &self,
        customer: CustomerId,
        filter: &BatchFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredBatch>, ListError>;

    /// The chunk of this number, from 0 on, encrypted; `None` when the batch has none, or there is no such
    /// batch.
    async fn batch_chunk(&self, id: BatchId, number: u32) -> Result<Option<Vec<u8>>, StoreError>;

    /// Lookups of the `rows` rows from `first` on, in row order. A row that none was made of yet, or that
    /// is never looked up, has none.
    async fn batch_lookups(
        &self,
        id: BatchId,
        first: RowNumber,
        rows: u32,
    ) -> Result<Vec<StoredLookup>, StoreError>;

    /// Claims up to `most` due batches, those that are due first. MUST NOT claim one for two callers.
    async fn claim_batches(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedBatch>, StoreError>;

    /// Moves the end of a lease. Returns the batch's progress as of now, or `None` if the lease isn't held
    /// any more: it is held until another one takes its place, or the batch ends.
    async fn renew_batch(
        &self,
        id: BatchId,
        lease: Lease,
    ) -> Result<Option<BatchProgress>, StoreError>;

    /// Makes lookups of a claimed batch's rows, queued and due at once, charges them to the key's month and
    /// moves the batch on to the row after them; it is running then, also if it was paused. Returns `false`, and changes nothing,
    /// if the lease isn't held any more, or one of the rows has a lookup.
    async fn feed_batch(&self, feed: &BatchFeed) -> Result<bool, StoreError>;

    /// Ends the work on a claimed batch for now. Returns `false`, and changes nothing, if the lease isn't
    /// held any more; or if it is to be finished, and a row isn't: one that wasn't made a lookup of, or whose
    /// lookup isn't final.
    async fn release_batch(&self, release: &BatchRelease) -> Result<bool, StoreError>;

    /// Cancels a customer's batch that isn't final, and its lookups that aren't; those of them that
    /// nobody began to work on are refunded.
    async fn cancel_batch(
        &self,
        customer: CustomerId,
        id: BatchId,
        now: DateTime<Utc>,
    ) -> Result<BatchCancellation, StoreError>;

    /// Removes a customer's final batch with all that is stored of it and its lookups. Returns `false` if
    /// there is none.
    async fn erase_batch(&self, customer: CustomerId, id: BatchId) -> Result<bool, StoreError>;

    /// Delivers proofs for rows that have none, without a look-up: a row's lookup that isn't canceled or
    /// delivered ends so, whoever works on it, and is refunded if nobody began to; a row without a lookup
    /// gets one that is delivered, uncharged. Webhooks are told of each. Rows that have a proof already are
    /// passed over. The batch MUST NOT be canceled. Returns the lookups that were delivered now; `None` when the customer has no such
    /// batch, or it is canceled.
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

/// A batch to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBatch {
    /// Facts that don't change.
    pub facts: BatchFacts,
    /// The name and the options, encrypted.
    pub content: Vec<u8>,
    /// The rows, [`domain::batch::ROWS_PER_CHUNK`] in each chunk but the last, encrypted.
    pub chunks: Vec<Vec<u8>>,
    /// The idempotency key of the request that creates it, if it has one.
    pub claim: Option<ScopeClaim>,
}

/// Bounds on what a customer has stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchBounds {
    /// Batches that aren't final.
    pub open: u32,
    /// Rows of all batches, whatever their state: each takes space until it is removed.
    pub rows: u64,
}

impl BatchBounds {
    /// As many as there may be.
    pub const NONE: Self = Self {
        open: u32::MAX,
        rows: u64::MAX,
    };
}

/// Result of [`BatchStore::add_batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchAddition {
    /// It was added.
    Added,
    /// The customer has as many batches that aren't final as it may have.
    TooManyOpen,
    /// The customer would have more rows than it may.
    TooManyRows,
}

/// Facts of a batch that don't change, none of them personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchFacts {
    /// The batch.
    pub id: BatchId,
    /// The customer.
    pub customer: CustomerId,
    /// The key that it was created with, or for.
    pub key: CountedKey,
    /// The bank that is asked.
    pub environment: Environment,
    /// The id in the answer to the request that created it.
    pub request_id: RequestId,
    /// Time of its creation.
    pub created_at: DateTime<Utc>,
    /// Its rows.
    pub counts: RowCounts,
    /// Generation of the secret that its parts are encrypted with.
    pub generation: HashGeneration,
}

/// A stored batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBatch {
    /// Facts that don't change.
    pub facts: BatchFacts,
    /// The name and the options, encrypted.
    pub content: Vec<u8>,
    /// The state.
    pub state: BatchState,
    /// Time of the last change of its state.
    pub updated_at: DateTime<Utc>,
    /// Time at which it is due; `None` once it is final.
    pub due_at: Option<DateTime<Utc>>,
    /// Its progress.
    pub progress: BatchProgress,
}

/// Progress of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchProgress {
    /// The first row that was never tried to be made a lookup of; the number of rows at the end.
    pub next_row: u32,
    /// Number of its lookups in each state, those with none left out.
    pub lookups: Vec<(LookupState, u32)>,
    /// Number of those of its delivered lookups whose seal was invalid at their delivery.
    pub seal_invalid: u32,
    /// Number of those of its delivered lookups whose seal wasn't checked at their delivery.
    pub seal_not_checked: u32,
    /// Time at which the first lookup that isn't final is due; `None` when each is final.
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
    /// Of this environment; all when it is `None`.
    pub environment: Option<Environment>,
    /// In these states; all when it is empty.
    pub states: Vec<BatchState>,
    /// Of the keys that share these counters.
    pub counters: Option<CounterId>,
}

/// A batch that was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedBatch {
    /// The batch.
    pub batch: StoredBatch,
    /// The key to charge: the newest of those that share the counters, and aren't revoked; `None` when
    /// each is.
    pub key: Option<KeyId>,
}

/// Rows of a claimed batch to make lookups of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchFeed {
    /// The batch.
    pub id: BatchId,
    /// The token of its lease.
    pub token: Uuid,
    /// The first row that isn't one of them any more.
    pub next_row: u32,
    /// The lookups: of the background, and each with its row.
    pub lookups: Vec<RowLookup>,
    /// The charge to record, unless the limiter did.
    pub charge: Option<FeedCharge>,
    /// The time.
    pub now: DateTime<Utc>,
}

/// A lookup of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLookup {
    /// The facts. Its `batch` is set.
    pub facts: LookupFacts,
    /// The question, encrypted.
    pub question: Vec<u8>,
}

/// Requests to charge to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedCharge {
    /// The key.
    pub key: KeyId,
    /// The month.
    pub month: Month,
    /// Their number.
    pub requests: u32,
}

/// End of the work on a claimed batch for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRelease {
    /// The batch.
    pub id: BatchId,
    /// The token of its lease.
    pub token: Uuid,
    /// The time.
    pub now: DateTime<Utc>,
    /// The change.
    pub change: BatchChange,
}

/// Change of a batch at the end of the work on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchChange {
    /// It goes on at this time. Its state stays as it is: a paused one runs again once lookups are made.
    Wait {
        /// Time at which it is due.
        due_at: DateTime<Utc>,
    },
    /// There is no quota left.
    Pause {
        /// Time at which it is due.
        due_at: DateTime<Utc>,
    },
    /// Each of its rows has ended.
    Finish,
}

/// Result of [`BatchStore::cancel_batch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchCancellation {
    /// It was canceled now.
    Canceled {
        /// Its lookups that were canceled with it.
        lookups: Vec<CanceledLookup>,
    },
    /// It was final already.
    Final,
    /// The customer has no such batch.
    Unknown,
}

/// A lookup that was canceled with its batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanceledLookup {
    /// The facts.
    pub facts: LookupFacts,
    /// The charge was given back to its month, because nobody had begun to work on it.
    pub refunded: bool,
}

/// A proof to deliver for a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedProof {
    /// The row, as a lookup that it would be made with if it has none.
    pub row: RowLookup,
    /// The proof for a lookup that it has, encrypted as a part of that; `None` when it has none. A row whose
    /// lookup is another one by now is passed over.
    pub existing: Option<(LookupId, Vec<u8>)>,
    /// The proof, encrypted as a part of `row`.
    pub proof: Vec<u8>,
    /// The verdict on its seal.
    pub seal: SealVerdict,
}
