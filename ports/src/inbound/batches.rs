//! Batches: files of many payments, as the API's callers and people with a session see them.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::batch::bank_file::BankLine;
use domain::batch::{BatchId, BatchState, RowCounts, RowNumber, RowState};
use domain::file::RequestedFiles;
use domain::hints::Hint;
use domain::idempotency::IdempotencyKey;
use domain::inference::Unresolved;
use domain::key::{Environment, KeyId};
use domain::limits::LimitStatus;
use domain::lookup::{LookupState, RetryFor};
use domain::outcome::Outcome;
use domain::page::{Page, PageRequest};
use domain::query::{Field, ProofQuery};

use super::{Caller, LookupAccess, LookupView};

mod error;
mod import;
mod upload;

pub use error::BatchError;
pub use import::{DeliveredRow, FileUse, ImportReport, UnusedReason};
pub use upload::{UploadPlace, UploadedFile};

/// Port: batches of the customer of an API key, of the key's environment; or of a person's own account,
/// of both environments. Nothing here is charged but the rows, each when its lookup is made; reads with
/// a key are bounded.
#[async_trait]
pub trait Batches: Send + Sync {
    /// Checks a caller who is about to upload a file, and the key that it names, before it sends the file
    /// in vain; then waits for one of the account's places for such files.
    ///
    /// # Errors
    /// See [`BatchError`].
    async fn upload(
        &self,
        access: &BatchAccess,
        file: UploadedFile,
        key: Option<KeyId>,
    ) -> Result<UploadPlace, BatchError>;

    /// Checks the rows of a batch, and changes nothing.
    ///
    /// # Errors
    /// See [`BatchError`].
    async fn preview(
        &self,
        access: &BatchAccess,
        draft: BatchDraft,
    ) -> Result<BatchRead<BatchPreview>, BatchError>;

    /// Creates a batch. Its rows that can be looked up are, one after another; the others are listed.
    ///
    /// # Errors
    /// See [`BatchError`].
    async fn create(
        &self,
        access: &BatchAccess,
        draft: BatchDraft,
        repeatable: Option<RepeatableBatch>,
    ) -> Result<CreatedBatch, BatchError>;

    /// One batch. With a `wait` it returns once the batch's state changes, or that time is over; at once if
    /// 16 reads of the customer wait in this process already.
    ///
    /// # Errors
    /// See [`BatchError`].
    async fn find(
        &self,
        access: &BatchAccess,
        id: BatchId,
        wait: Duration,
    ) -> Result<BatchRead<BatchView>, BatchError>;

    /// Batches, newest first, one page without a total. One that can't be decrypted is among them, without
    /// its name and with default options.
    ///
    /// # Errors
    /// See [`BatchError`].
    async fn list(
        &self,
        access: &BatchAccess,
        query: &BatchQuery,
    ) -> Result<BatchRead<Page<BatchView>>, BatchError>;

    /// The payments whose rows are open, as lines of files for the bank's own batch. A row is open that has
    /// no proof, unless it was canceled.
    ///
    /// # Errors
    /// See [`BatchError`].
    async fn bank_lines(
        &self,
        access: &BatchAccess,
        id: BatchId,
    ) -> Result<BatchRead<Vec<BankLine>>, BatchError>;

    /// The rows of a batch from `first` on, read as they are asked for.
    ///
    /// # Errors
    /// See [`BatchError`].
    async fn rows(
        &self,
        access: &BatchAccess,
        id: BatchId,
        first: RowNumber,
    ) -> Result<BatchRead<Box<dyn BatchRows>>, BatchError>;

    /// As [`Batches::rows`], for whoever reads them to the end: it has a place among the account's downloads until it
    /// is dropped.
    ///
    /// # Errors
    /// [`BatchError::TooManyDownloads`], and the others.
    async fn download(
        &self,
        access: &BatchAccess,
        id: BatchId,
        first: RowNumber,
    ) -> Result<BatchRead<Box<dyn BatchRows>>, BatchError>;

    /// Follows a batch until it is final, whichever process works on it.
    ///
    /// # Errors
    /// Those of [`Batches::find`].
    async fn changes(
        &self,
        access: &BatchAccess,
        id: BatchId,
    ) -> Result<Box<dyn BatchChanges>, BatchError>;

    /// Cancels a batch that isn't final, and the lookups of its rows.
    ///
    /// # Errors
    /// [`BatchError::Final`], and the others.
    async fn cancel(
        &self,
        access: &BatchAccess,
        id: BatchId,
    ) -> Result<BatchRead<BatchView>, BatchError>;

    /// Removes a final batch with all that is stored of it.
    ///
    /// # Errors
    /// [`BatchError::NotFinal`], and the others.
    async fn erase(&self, access: &BatchAccess, id: BatchId) -> Result<BatchRead<()>, BatchError>;

    /// Delivers the proofs among files that the bank's own batch gave, to rows that have none and asked for
    /// them; each is recognised by its content.
    ///
    /// # Errors
    /// [`BatchError::Canceled`], and the others.
    async fn import(
        &self,
        access: &BatchAccess,
        id: BatchId,
        files: Vec<Bytes>,
    ) -> Result<BatchRead<ImportReport>, BatchError>;
}

/// Rows of a batch, in their order.
#[async_trait]
pub trait BatchRows: Send {
    /// The next rows, some at a time; `None` after the last one.
    ///
    /// # Errors
    /// [`BatchError::Unknown`] once the batch is erased, the store failed, or a row can't be decrypted.
    async fn next(&mut self) -> Result<Option<Vec<RowView>>, BatchError>;
}

/// Caller of a use case.
#[derive(Clone, Debug)]
pub enum BatchAccess {
    /// With an API key.
    Key(LookupAccess),
    /// With a session. A batch is created for a key of the caller's account.
    Person(Caller),
}

/// A batch to create or to check.
#[derive(Clone, Debug)]
pub struct BatchDraft {
    /// The key to charge, of a person; a caller with an API key uses that.
    pub key: Option<KeyId>,
    /// Its creator's name for it.
    pub name: Option<String>,
    /// The files to keep of each proof: the XML, or both.
    pub files: RequestedFiles,
    /// Time during which each row is tried again.
    pub retry_for: RetryFor,
    /// The rows, in their order.
    pub rows: Vec<DraftRow>,
}

/// A row as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftRow {
    /// Number of its line in the file, from 1 on.
    pub line: u32,
    /// The caller's own id.
    pub caller_id: Option<String>,
    /// The query; or the cells and what is wrong with them, for [`RowOutcome::Faulty`].
    pub query: Result<ProofQuery, FaultyRow>,
}

/// A row that can't be read: its cells and the errors, in the encoding of whoever read it. It comes back as
/// it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultyRow(pub String);

/// A request to create a batch that has an idempotency key.
#[derive(Clone, Debug)]
pub struct RepeatableBatch {
    /// The key.
    pub key: IdempotencyKey,
    /// Method, path and content, in a form that is the same for each spelling of one request.
    pub content: Vec<u8>,
}

/// A batch that was created, now or by an earlier request with the same idempotency key.
#[derive(Clone, Debug)]
pub struct CreatedBatch {
    /// The batch; `None` when it was erased since.
    pub batch: BatchRead<Option<BatchView>>,
    /// An earlier request created it.
    pub repeated: bool,
}

/// Result of a use case, and whose it is.
#[derive(Clone, Debug)]
pub struct BatchRead<T> {
    /// The result.
    pub found: T,
    /// The key, and the bank that it asks; `None` for a person.
    pub key: Option<(KeyId, Environment)>,
    /// The key's limit status; nothing of it changed.
    pub limit_status: Option<LimitStatus>,
}

/// Filter and page of a list of batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchQuery {
    /// Of this environment, for a person; all when it is `None`.
    pub environment: Option<Environment>,
    /// In these states; all when it is empty.
    pub states: Vec<BatchState>,
    /// Of this key, and of those that share its counters by rotation.
    pub key: Option<KeyId>,
    /// The page.
    pub page: PageRequest,
}

/// Changes of one batch: its present state first, then what changed, about once a second at most.
#[async_trait]
pub trait BatchChanges: Send + Sync {
    /// Waits for the next change; `None` after the final state.
    ///
    /// # Errors
    /// [`BatchError::Unknown`] once it is erased, [`BatchError::Unreadable`], and
    /// [`BatchError::Refused`] when the store fails. There is nothing to follow after an error.
    async fn next(&mut self) -> Result<Option<BatchView>, BatchError>;
}

/// Result of the check of a batch.
#[derive(Clone, Debug)]
pub struct BatchPreview {
    /// Its rows.
    pub counts: RowCounts,
    /// The rows that would not be looked up, in their order.
    pub rejected: Vec<RowView>,
    /// The rows that would be looked up though their questions contradict themselves, in their order.
    pub warnings: Vec<RowWarning>,
    /// Requests that the key's month has left; `None` without a quota.
    pub quota_left: Option<u64>,
    /// Estimated time until each row was looked up once, in seconds, while nobody else asks the bank.
    pub seconds: u64,
}

/// A row whose question contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowWarning {
    /// Its number, from 0 on.
    pub row: RowNumber,
    /// Number of its line in the file, from 1 on.
    pub line: u32,
    /// The contradictions, each with the field to look at.
    pub contradictions: Vec<(Field, Hint)>,
}

/// A batch, decrypted.
#[derive(Clone, Debug)]
pub struct BatchView {
    /// The id.
    pub id: BatchId,
    /// The key that it was created with, or for.
    pub key: KeyId,
    /// The bank that is asked.
    pub environment: Environment,
    /// The state.
    pub state: BatchState,
    /// Reason of the state: [`Outcome::QuotaExceeded`] for a paused one.
    pub reason: Option<Outcome>,
    /// Its creator's name for it.
    pub name: Option<String>,
    /// The files that are kept.
    pub files: RequestedFiles,
    /// Time during which each row is tried again.
    pub retry_for: RetryFor,
    /// Time of its creation.
    pub created_at: DateTime<Utc>,
    /// Time of the last change of its state.
    pub updated_at: DateTime<Utc>,
    /// Time at which it is erased; `None` until it is final.
    pub erase_at: Option<DateTime<Utc>>,
    /// Its rows.
    pub counts: RowCounts,
    /// Rows that no lookup was made of yet; before the batch is finished, those of erased lookups, too.
    pub not_begun: u32,
    /// Rows of a finished batch whose lookups were erased.
    pub erased: u32,
    /// Number of lookups in each state, those with none left out.
    pub lookups: Vec<(LookupState, u32)>,
    /// Number of those of the delivered lookups whose seal was invalid at their delivery.
    pub seal_invalid: u32,
    /// Number of those of the delivered lookups whose seal wasn't checked at their delivery.
    pub seal_not_checked: u32,
    /// Estimated time at which each row was looked up once; `None` once that is so, and while it is paused.
    pub eta: Option<DateTime<Utc>>,
}

impl BatchView {
    /// Number of lookups in a state.
    pub fn in_state(&self, state: LookupState) -> u32 {
        let same = self.lookups.iter().filter(|(of, _)| *of == state);
        same.map(|(_, lookups)| lookups).sum()
    }

    /// Number of delivered lookups whose seal was neither invalid nor unchecked at their delivery.
    pub fn delivered(&self) -> u32 {
        let delivered = self.in_state(LookupState::Delivered);
        delivered.saturating_sub(self.seal_invalid + self.seal_not_checked)
    }

    /// Rows that are looked up and have ended.
    pub fn ended(&self) -> u32 {
        let ended = self.lookups.iter().filter(|(state, _)| state.is_final());
        ended.map(|(_, lookups)| lookups).sum::<u32>() + self.erased
    }

    /// Rows that have ended, of those that are looked up, in percent with one decimal.
    pub fn progress(&self) -> f64 {
        match self.counts.ready() {
            0 => 100.0,
            ready => f64::from(self.ended() * 1000 / ready) / 10.0,
        }
    }
}

/// A row of a batch.
#[derive(Clone, Debug)]
pub struct RowView {
    /// Its number, from 0 on.
    pub row: RowNumber,
    /// Number of its line in the file, from 1 on.
    pub line: u32,
    /// The caller's own id.
    pub caller_id: Option<String>,
    /// The query; `None` for a faulty row.
    pub query: Option<ProofQuery>,
    /// Its outcome.
    pub outcome: RowOutcome,
}

/// Outcome of a row.
#[derive(Clone, Debug)]
pub enum RowOutcome {
    /// It has errors.
    Faulty(FaultyRow),
    /// A bank could not be inferred, or both are the same.
    Unresolved(Unresolved),
    /// It asks the same as an earlier row.
    Duplicate {
        /// The number of the earlier row.
        of: RowNumber,
        /// The line of the earlier row.
        line: u32,
    },
    /// No lookup was made of it yet; or never will be, of a canceled batch.
    NotBegun,
    /// Its lookup has ended, and was erased since.
    Erased,
    /// Its lookup; without attempts.
    Lookup(Box<LookupView>),
}

impl RowOutcome {
    /// The state of the row.
    pub fn state(&self) -> RowState {
        match self {
            Self::Faulty(_) | Self::Unresolved(_) => RowState::Faulty,
            Self::Duplicate { .. } => RowState::Duplicate,
            Self::NotBegun => RowState::NotBegun,
            Self::Erased => RowState::Erased,
            Self::Lookup(lookup) => lookup.state.into(),
        }
    }
}
