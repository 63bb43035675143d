//! Batches: files of many payments, as the API's callers and people with a session see them.

use chrono::{DateTime, Utc};
use domain::batch::{BatchId, BatchState, RowCounts, RowNumber, RowState};
use domain::file::RequestedFiles;
use domain::hints::Hint;
use domain::idempotency::IdempotencyKey;
use domain::inference::Unresolved;
use domain::key::{Environment, KeyId};
use domain::limits::LimitStatus;
use domain::lookup::{LookupState, RetryFor};
use domain::outcome::Outcome;
use domain::page::PageRequest;
use domain::query::{Field, ProofQuery};

use crate::lookups::{LookupAccess, LookupView};
use crate::people::Caller;

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
