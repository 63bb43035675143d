//! JSON views of batches and their rows.

use application::{BatchPreview, BatchView, RowOutcome, RowView, RowWarning};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::batches::BatchState;
use domain::batches::sheet::SheetColumn;
use domain::lookups::LookupState;
use domain::outcome::Outcome;
use serde::Serialize;
use utoipa::ToSchema;
use web::problem::{HintReason, LineError, RowError, RowErrorDetail, TableColumn, TableNotice};
use web::{BatchPaths, Language, Problem};

use crate::lookups::question::QuestionBody;
use crate::lookups::views::LookupBody;
use crate::openapi::schemas::words;

/// A batch.
#[derive(Serialize, ToSchema)]
#[schema(as = Batch)]
pub(crate) struct BatchBody {
    /// Its id.
    #[schema(format = "uuid")]
    id: String,
    /// `paused` waits for quota.
    #[schema(schema_with = words::<BatchState>)]
    state: &'static str,
    /// `quota_exceeded` while it is paused; null otherwise.
    #[schema(required)]
    reason: Option<&'static str>,
    /// Your name for it.
    #[schema(required)]
    name: Option<String>,
    /// Formats of the files that are kept.
    formats: Vec<&'static str>,
    /// Seconds during which a row is tried again.
    retry_for: u64,
    #[schema(format = "date-time")]
    created_at: String,
    /// Time of the last change of its state.
    #[schema(format = "date-time")]
    updated_at: String,
    /// Time at which it is erased. Null until it has ended.
    #[schema(required, format = "date-time")]
    erase_at: Option<String>,
    counts: CountsBody,
    /// Rows that have ended, of those that are looked up, in percent.
    progress: f64,
    /// Estimated time at which each row was looked up once, while nobody else asks the bank. Null once that
    /// is so, and while the batch is paused.
    #[schema(required, format = "date-time")]
    eta: Option<String>,
    files: BatchLinks,
}

/// Rows of a batch by what became of them.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchCounts)]
struct CountsBody {
    /// All rows.
    rows: u32,
    /// Rows with errors.
    faulty: u32,
    /// Rows that ask the same as an earlier one.
    duplicates: u32,
    /// Rows that nobody began to look up.
    not_begun: u32,
    /// Rows that wait for their first attempt.
    queued: u32,
    /// Rows that are being looked up.
    running: u32,
    /// Rows that wait for their next attempt.
    waiting: u32,
    /// Rows whose proof is there, but for those of `delivered_seal_invalid` and `delivered_seal_not_checked`.
    delivered: u32,
    /// Rows with a file whose seal was invalid at its delivery: no proof of a payment.
    delivered_seal_invalid: u32,
    /// Rows with a file whose seal wasn't checked at its delivery: nothing speaks for or against it.
    delivered_seal_not_checked: u32,
    not_found: u32,
    failed: u32,
    expired: u32,
    canceled: u32,
    /// Rows whose lookup was erased. Until the batch is finished they count as `not_begun`.
    erased: u32,
}

/// Paths of what a batch gives.
#[derive(Serialize, ToSchema)]
struct BatchLinks {
    /// Its rows, as CSV or JSON lines.
    results: String,
    /// The files of its proofs.
    zip: String,
    /// Its open rows, for the bank's own batch.
    banxico: String,
}

impl BatchBody {
    pub(crate) fn new(batch: &BatchView) -> Self {
        let in_state = |state| batch.in_state(state);
        let paths = BatchPaths::of(batch.id);
        Self {
            id: batch.id.to_string(),
            state: batch.state.name(),
            reason: batch.reason.map(Outcome::name),
            name: batch.name.clone(),
            formats: if batch.files.includes_pdf() {
                vec!["xml", "pdf"]
            } else {
                vec!["xml"]
            },
            retry_for: batch.retry_for.duration().as_secs(),
            created_at: instant(batch.created_at),
            updated_at: instant(batch.updated_at),
            erase_at: batch.erase_at.map(instant),
            counts: CountsBody {
                rows: batch.counts.rows,
                faulty: batch.counts.faulty,
                duplicates: batch.counts.duplicates,
                not_begun: batch.not_begun,
                queued: in_state(LookupState::Queued),
                running: in_state(LookupState::Running),
                waiting: in_state(LookupState::Waiting),
                delivered: batch.delivered(),
                delivered_seal_invalid: batch.seal_invalid,
                delivered_seal_not_checked: batch.seal_not_checked,
                not_found: in_state(LookupState::NotFound),
                failed: in_state(LookupState::Failed),
                expired: in_state(LookupState::Expired),
                canceled: in_state(LookupState::Canceled),
                erased: batch.erased,
            },
            progress: batch.progress(),
            eta: batch.eta.map(instant),
            files: BatchLinks {
                results: paths.results,
                zip: paths.zip,
                banxico: paths.banxico,
            },
        }
    }
}

/// The check of a batch that isn't created.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchPreview)]
pub(crate) struct PreviewBody {
    /// The columns of the table, and what they hold. None for JSON lines.
    columns: Vec<TableColumn>,
    /// Likely mistakes of the table as a whole.
    notices: Vec<NoticeBody>,
    /// All rows.
    rows: u32,
    /// Rows that would be looked up, each of which is counted once.
    ready: u32,
    /// Rows with errors.
    faulty: u32,
    /// Rows that ask the same as an earlier one.
    duplicates: u32,
    /// Requests that the key's month has left. Null without a quota.
    #[schema(required)]
    quota_left: Option<u64>,
    /// Estimated seconds until each row was looked up once, while nobody else asks the bank.
    seconds: u64,
    /// The rows that would not be looked up, 1,000 at most.
    rejected: Vec<RowBody>,
    /// Rows that would be looked up though their data contradict each other, as an account whose check digit
    /// is wrong.
    warned: usize,
    /// Their contradictions, of the first 1,000 of them.
    warnings: Vec<RowWarningBody>,
}

/// Sign that a table holds something else than its columns say.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchNotice)]
pub(crate) struct NoticeBody {
    /// `tracking_keys_elsewhere`: another column holds the tracking keys.
    code: &'static str,
    /// The remedy, for people.
    message: String,
    /// The other column.
    column: TableColumn,
}

impl NoticeBody {
    /// Notice that the tracking keys seem to be in this column, although another one has their header.
    pub(super) fn of_misplaced_keys(column: &SheetColumn, language: Language) -> Self {
        let notice = TableNotice::TrackingKeysElsewhere {
            number: column.number,
            header: column.header.clone(),
        };
        Self {
            code: notice.code(),
            message: notice.message(language),
            column: TableColumn::new(column),
        }
    }
}

/// Maximum rows in each list of rejected rows and of rows with warnings.
const MAX_LISTED: usize = 1000;

impl PreviewBody {
    pub(crate) fn new(preview: &BatchPreview, columns: &[SheetColumn], language: Language) -> Self {
        let counts = preview.counts;
        let rejected = preview.rejected.iter().take(MAX_LISTED);
        let warnings = preview.warnings.iter().take(MAX_LISTED);
        Self {
            columns: columns.iter().map(TableColumn::new).collect(),
            notices: Vec::new(),
            rows: counts.rows,
            ready: counts.ready(),
            faulty: counts.faulty,
            duplicates: counts.duplicates,
            quota_left: preview.quota_left,
            seconds: preview.seconds,
            rejected: rejected.map(|row| RowBody::new(row, language)).collect(),
            warned: preview.warnings.len(),
            warnings: warnings
                .flat_map(|warning| RowWarningBody::all_of(warning, language))
                .collect(),
        }
    }
}

impl PreviewBody {
    /// Adds notices that columns don't match their headers.
    pub(super) fn with_notices(self, notices: Vec<NoticeBody>) -> Self {
        Self { notices, ..self }
    }
}

/// A contradiction in a row that would be looked up all the same.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchRowWarning)]
struct RowWarningBody {
    /// The row's number, from 1 on.
    row: u32,
    /// Its line in the file, from 1 on.
    line: u32,
    /// The field to look at.
    field: &'static str,
    /// Code of a hint, for programs.
    code: &'static str,
    /// The contradiction and the remedy, for people.
    message: String,
}

impl RowWarningBody {
    fn all_of(warning: &RowWarning, language: Language) -> impl Iterator<Item = Self> {
        let contradictions = warning.contradictions.iter();
        contradictions.map(move |(field, hint)| {
            let hint = HintReason::from(hint.clone());
            Self {
                row: warning.row.0 + 1,
                line: warning.line,
                field: field.name(),
                code: hint.code(),
                message: hint.message(language),
            }
        })
    }
}

/// The problem of a table without a valid row, with its first errors.
pub(crate) fn nothing_to_do(preview: &BatchPreview) -> Problem {
    const MOST: usize = 20;
    let faults = preview.rejected.iter().flat_map(|row| {
        let errors = RowError::all_of(&row.outcome).into_iter();
        errors.map(|error| (row.line, error))
    });
    Problem::NothingToLookUp {
        rows: preview.counts.rows,
        faults: faults
            .take(MOST)
            .map(|(line, error)| LineError { line, error })
            .collect(),
    }
}

/// A row of a batch.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchRow)]
pub(crate) struct RowBody {
    /// Its number, from 1 on.
    row: u32,
    /// Its line in the file, from 1 on.
    line: u32,
    /// Your id.
    #[schema(required)]
    id: Option<String>,
    /// The state of its lookup; or `faulty`, `duplicate`, `not_begun`, `erased`.
    state: &'static str,
    /// The question; null for a row that can't be read.
    #[schema(required)]
    question: Option<QuestionBody>,
    /// The row that asked the same first, if it is a duplicate.
    #[schema(required)]
    duplicate_of: Option<u32>,
    /// Its errors.
    errors: Vec<RowErrorDetail>,
    /// Its lookup, if there is one.
    #[schema(required)]
    lookup: Option<LookupBody>,
}

impl RowBody {
    pub(crate) fn new(row: &RowView, language: Language) -> Self {
        let (mut duplicate_of, mut lookup) = (None, None);
        match &row.outcome {
            RowOutcome::Duplicate { of, .. } => duplicate_of = Some(of.0 + 1),
            RowOutcome::Lookup(found) => {
                lookup = Some(LookupBody::new(found, language));
            }
            RowOutcome::Faulty(_)
            | RowOutcome::Unresolved(_)
            | RowOutcome::NotBegun
            | RowOutcome::Erased => {}
        }
        let errors = RowError::all_of(&row.outcome)
            .into_iter()
            .map(|error| RowErrorDetail::new(error, language));
        Self {
            row: row.row.0 + 1,
            line: row.line,
            id: row.caller_id.clone(),
            state: row.outcome.state().name(),
            question: row.query.as_ref().map(QuestionBody::from),
            duplicate_of,
            errors: errors.collect(),
            lookup,
        }
    }
}

pub(super) fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
