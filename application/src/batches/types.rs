//! Requests and views of batches, for callers with an API key and people with a session.

use chrono::{DateTime, Utc};
use domain::batches::sheet::{Column, OwnColumn, PassedOver, PassedOverRows};
use domain::batches::{BatchId, BatchState, RowCounts, RowNumber, RowState};
use domain::hints::Hint;
use domain::idempotency::IdempotencyKey;
use domain::keys::{Environment, KeyId};
use domain::limits::LimitStatus;
use domain::lookups::{LookupId, LookupState, RetryFor};
use domain::outcome::Outcome;
use domain::page::PageRequest;
use domain::participants::inference::Unresolved;
use domain::proofs::file::RequestedFiles;
use domain::query::{Field, ProofQuery};

use crate::lookups::{LookupAccess, LookupView};
use crate::people::Caller;

/// Caller of a use case of batches.
#[derive(Clone, Debug)]
pub enum BatchAccess {
    /// A caller with an API key.
    Key(LookupAccess),
    /// A person with a session, who names a key of the account when creating a batch.
    Person(Caller),
}

/// A batch to create or to check.
#[derive(Clone, Debug)]
pub struct BatchDraft {
    /// The key to charge, named by a person; `None` for a caller with an API key, whose key is charged.
    pub key: Option<KeyId>,
    /// Name that the creator gave the batch.
    pub name: Option<String>,
    /// Files to keep of each proof: XML, or XML and PDF.
    pub files: RequestedFiles,
    /// Time during which a row without a proof is tried again.
    pub retry_for: RetryFor,
    /// Rows that the file calls answered, and whose lookups aren't stored any more, aren't looked up.
    pub skips_answered: bool,
    /// The columns of the rows' cells.
    pub columns: Vec<OwnColumn>,
    /// Lines that are passed over, with the reason.
    pub passed_over: Vec<(u64, PassedOver)>,
    /// The rows, in row order.
    pub rows: Vec<DraftRow>,
}

/// A row as parsed from the uploaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftRow {
    /// Line number in the file, from 1.
    pub line: u32,
    /// The caller's id of the row; `None` if not given.
    pub caller_id: Option<String>,
    /// The cells of the caller's columns, as they came.
    pub cells: Vec<String>,
    /// The lookup that asked for the row before, as the results of a batch tell.
    pub lookup: Option<LookupId>,
    /// The file calls the row delivered with a valid seal.
    pub is_called_answered: bool,
    /// The query; or the cells and their errors, to be returned as [`RowOutcome::Faulty`].
    pub query: Result<ProofQuery, FaultyRow>,
}

/// Cells and errors of a row that can't be parsed, as encoded by the inbound adapter. Stored and returned
/// unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultyRow(pub String);

/// Idempotency data of a request to create a batch.
#[derive(Clone, Debug)]
pub struct RepeatableBatch {
    /// The idempotency key.
    pub key: IdempotencyKey,
    /// Method, path and content of the request, in a canonical form.
    pub content: Vec<u8>,
}

/// A batch that this request, or an earlier one with the same idempotency key, created.
#[derive(Clone, Debug)]
pub struct CreatedBatch {
    /// The batch; `None` if it was erased in the meantime.
    pub batch: BatchRead<Option<BatchView>>,
    /// `true` if an earlier request created it.
    pub repeated: bool,
}

/// Result of a use case, with the key that was used.
#[derive(Clone, Debug)]
pub struct BatchRead<T> {
    /// Batch, page, rows or report that the use case returns.
    pub found: T,
    /// The key and its environment; `None` for a person.
    pub key: Option<(KeyId, Environment)>,
    /// Limit status of the key, which this request doesn't change; `None` for a person.
    pub limit_status: Option<LimitStatus>,
}

/// Filter and page of a list of batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchQuery {
    /// Only this environment, for a person; `None` for all.
    pub environment: Option<Environment>,
    /// Only these states; empty for all.
    pub states: Vec<BatchState>,
    /// Only batches of this key and of those that share its counters by rotation; `None` for all.
    pub key: Option<KeyId>,
    /// Position and size of the page.
    pub page: PageRequest,
}

/// Result of checking a batch before its creation.
#[derive(Clone, Debug)]
pub struct BatchPreview {
    /// Number of all, of faulty and of duplicate rows.
    pub counts: RowCounts,
    /// Rows that would not be looked up, in row order.
    pub rejected: Vec<RowView>,
    /// Rows that would be looked up although their query is contradictory, in row order.
    pub warnings: Vec<RowWarning>,
    /// Rows that aren't rows of the batch, by the reason.
    pub passed_over: Vec<PassedOverRows>,
    /// Requests left of the key's monthly quota; `None` without a quota.
    pub quota_left: Option<u64>,
    /// Estimated seconds until every row was looked up once, if no other lookups are made.
    pub seconds: u64,
}

/// A row whose query is contradictory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowWarning {
    /// Row number, from 0.
    pub row: RowNumber,
    /// Line number in the file, from 1.
    pub line: u32,
    /// The contradictions, each with the field to correct.
    pub contradictions: Vec<(Field, Hint)>,
}

/// A decrypted batch.
#[derive(Clone, Debug)]
pub struct BatchView {
    /// Id of the batch.
    pub id: BatchId,
    /// The key that created the batch, or that a person chose for it.
    pub key: KeyId,
    /// Environment of the key, which decides the bank to query.
    pub environment: Environment,
    /// State in the life cycle.
    pub state: BatchState,
    /// Reason for the state: [`Outcome::QuotaExceeded`] if paused, otherwise `None`.
    pub reason: Option<Outcome>,
    /// Name that the creator gave the batch.
    pub name: Option<String>,
    /// Files that are kept of each proof.
    pub files: RequestedFiles,
    /// Time during which a row without a proof is tried again.
    pub retry_for: RetryFor,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time of the last change of the state.
    pub updated_at: DateTime<Utc>,
    /// Time at which the batch will be erased; `None` until it is final.
    pub erase_at: Option<DateTime<Utc>>,
    /// Number of all, of faulty and of duplicate rows.
    pub counts: RowCounts,
    /// Rows of its table that aren't rows of the batch, by the reason; none of a batch that an older version created.
    pub passed_over: Vec<PassedOverRows>,
    /// Number of rows without a lookup yet. Until the batch is finished, includes rows with erased lookups.
    pub not_begun: u32,
    /// Number of rows of a finished batch with erased lookups.
    pub erased: u32,
    /// Number of lookups in each state; states without lookups are left out.
    pub lookups: Vec<(LookupState, u32)>,
    /// Number of delivered lookups whose seal was invalid at delivery.
    pub seal_invalid: u32,
    /// Number of delivered lookups whose seal wasn't checked at delivery.
    pub seal_not_checked: u32,
    /// Estimated time at which every row was looked up once; `None` afterwards, and while the batch is
    /// paused.
    pub eta: Option<DateTime<Utc>>,
}

impl BatchView {
    /// Number of lookups in a state.
    pub fn in_state(&self, state: LookupState) -> u32 {
        let same = self.lookups.iter().filter(|(of, _)| *of == state);
        same.map(|(_, lookups)| lookups).sum()
    }

    /// Number of delivered lookups whose seal was valid at delivery.
    pub fn delivered(&self) -> u32 {
        let delivered = self.in_state(LookupState::Delivered);
        delivered.saturating_sub(self.seal_invalid + self.seal_not_checked)
    }

    /// Number of rows whose lookup has ended.
    pub fn ended(&self) -> u32 {
        let ended = self.lookups.iter().filter(|(state, _)| state.is_final());
        ended.map(|(_, lookups)| lookups).sum::<u32>() + self.erased
    }

    /// Percentage of rows to look up that have ended, with one decimal.
    pub fn progress(&self) -> f64 {
        match self.counts.ready() {
            0 => 100.0,
            ready => f64::from(self.ended() * 1000 / ready) / 10.0,
        }
    }
}

/// A row of a batch with its outcome.
#[derive(Clone, Debug)]
pub struct RowView {
    /// Row number, from 0.
    pub row: RowNumber,
    /// Line number in the file, from 1.
    pub line: u32,
    /// The caller's id of the row; `None` if not given.
    pub caller_id: Option<String>,
    /// The cells of the caller's columns, as they came; empty for a row that can't be split into cells.
    pub cells: Vec<String>,
    /// The query; `None` for a row with errors.
    pub query: Option<ProofQuery>,
    /// Values of a row with errors, as they came; empty for another row.
    pub written: Vec<(Column, String)>,
    /// Lookup of the row, or the reason why it has none.
    pub outcome: RowOutcome,
}

/// Lookup of a row, or the reason why it has none.
#[derive(Clone, Debug)]
pub enum RowOutcome {
    /// The row has errors.
    Faulty(FaultyRow),
    /// A participant could not be inferred, or issuer and receiver are the same institution.
    Unresolved(Unresolved),
    /// The row has the same query as an earlier one.
    Duplicate {
        /// Number of the earlier row.
        of: RowNumber,
        /// Line of the earlier row.
        line: u32,
    },
    /// No lookup was created yet, or the batch was canceled before.
    NotBegun {
        /// State of the batch.
        batch: BatchState,
    },
    /// The lookup has ended and was erased.
    Erased,
    /// The lookup, without its attempts.
    Lookup(Box<LookupView>),
}

impl RowOutcome {
    /// State of the row, as reported to callers.
    pub fn state(&self) -> RowState {
        match self {
            Self::Faulty(_) | Self::Unresolved(_) => RowState::Faulty,
            Self::Duplicate { .. } => RowState::Duplicate,
            Self::NotBegun { .. } => RowState::NotBegun,
            Self::Erased => RowState::Erased,
            Self::Lookup(lookup) => lookup.state.into(),
        }
    }
}
