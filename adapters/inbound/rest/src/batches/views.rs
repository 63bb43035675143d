//! JSON views of previews of batches, and of rows with their lookups.

use application::{BatchPreview, RowOutcome, RowView, RowWarning};
use domain::batches::sheet::SheetColumn;
use serde::Serialize;
use utoipa::ToSchema;
use web::problem::{HintReason, LineError, RowError, TableColumn, TableNotice};
use web::views::batches::BatchRow;
use web::{Language, Problem};

use crate::lookups::views::LookupBody;

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
    #[serde(flatten)]
    row: BatchRow,
    /// Its lookup, if there is one.
    #[schema(required)]
    lookup: Option<LookupBody>,
}

impl RowBody {
    pub(crate) fn new(row: &RowView, language: Language) -> Self {
        let lookup = match &row.outcome {
            RowOutcome::Lookup(found) => Some(LookupBody::new(found, language)),
            _ => None,
        };
        Self {
            row: BatchRow::new(row, language),
            lookup,
        }
    }
}
