//! JSON views of previews of batches, and of rows with their lookups.

use std::cmp::Reverse;
use std::collections::HashMap;

use application::{BatchPreview, RowOutcome, RowView, RowWarning};
use domain::account::Account;
use domain::batches::sheet::SheetColumn;
use domain::tracking_key::TrackingKey;
use serde::Serialize;
use utoipa::ToSchema;
use web::problem::{HintReason, LineError, RowError, RowErrorDetail, TableColumn, TableNotice};
use web::views::batches::{Batch, BatchRow, PassedOver};
use web::{Language, Problem};

use super::found_table::FoundTable;
use crate::lookups::views::LookupBody;

/// The check of a batch that isn't created.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchPreview)]
pub(crate) struct PreviewBody {
    /// The sheet that was read. Null unless the file is a workbook.
    #[schema(required)]
    sheet: Option<String>,
    /// The sheets of the workbook that aren't hidden, 20 at most.
    sheets: Vec<String>,
    /// Other sheets with payments, which aren't read: send each with `sheet`.
    other_sheets: Vec<String>,
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
    /// Rows that would not be rows of the batch, by the reason.
    passed_over: Vec<PassedOver>,
    /// Rows of which a correction changed a value.
    corrected: usize,
    /// What was taken from the texts of a bank statement, of the first 100 rows.
    taken: Vec<TakenBody>,
    /// Errors that are alike, each once with its rows, the most frequent first.
    faults: Vec<FaultBody>,
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

/// A batch that was created.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedBatch)]
pub(crate) struct CreatedBody {
    #[serde(flatten)]
    batch: Batch,
    /// Other sheets with payments, which weren't read, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    other_sheets: Vec<String>,
    /// Likely mistakes of the table as a whole, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    notices: Vec<NoticeBody>,
}

impl CreatedBody {
    pub(crate) fn new(batch: Batch, table: &FoundTable, language: Language) -> Self {
        Self {
            batch,
            other_sheets: table.other_sheets.clone(),
            notices: NoticeBody::all_of(table, language),
        }
    }
}

/// Payment of a row of a bank statement.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchTaken)]
struct TakenBody {
    /// Its line in the file, from 1 on.
    line: u32,
    /// The tracking key, from the text unless it has a column.
    clave_rastreo: String,
    /// The account, from the text unless it has a column.
    cuenta: String,
}

impl TakenBody {
    fn new((line, tracking_key, account): &(u32, TrackingKey, Account)) -> Self {
        Self {
            line: *line,
            clave_rastreo: tracking_key.to_string(),
            cuenta: account.as_str().to_owned(),
        }
    }
}

/// An error that rows have in common.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchFault)]
struct FaultBody {
    #[serde(flatten)]
    error: RowErrorDetail,
    /// The number of rows that have it.
    rows: usize,
    /// Their lines in the file, from 1 on, of the first 100.
    lines: Vec<u32>,
}

impl FaultBody {
    /// Groups the errors of rows by field and message.
    fn all_of(rows: &[RowView], language: Language) -> Vec<Self> {
        let mut groups: Vec<(RowError, usize, Vec<u32>)> = Vec::new();
        let mut known = HashMap::new();
        for row in rows {
            for error in RowError::all_of(&row.outcome) {
                let name = (error.field.clone(), error.message(language).to_owned());
                let group = *known.entry(name).or_insert_with(|| {
                    groups.push((error, 0, Vec::new()));
                    groups.len() - 1
                });
                let (_, count, lines) = &mut groups[group];
                *count += 1;
                if lines.len() < MAX_LINES {
                    lines.push(row.line);
                }
            }
        }
        groups.sort_by_key(|(_, count, _)| Reverse(*count));
        let groups = groups.into_iter().take(MAX_LINES);
        let bodies = groups.map(|(error, rows, lines)| Self {
            error: RowErrorDetail::new(error, language),
            rows,
            lines,
        });
        bodies.collect()
    }
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
    fn all_of(table: &FoundTable, language: Language) -> Vec<Self> {
        let columns = table.misplaced_keys.iter();
        let notices = columns.map(|column| Self::of_misplaced_keys(column, language));
        notices.collect()
    }

    /// Notice that the tracking keys seem to be in this column, although another one has their header.
    fn of_misplaced_keys(column: &SheetColumn, language: Language) -> Self {
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

/// Maximum number of groups of errors, and of lines in each.
const MAX_LINES: usize = 100;

/// Maximum rows in each list of rejected rows and of rows with warnings.
const MAX_LISTED: usize = 1000;

impl PreviewBody {
    pub(crate) fn new(preview: &BatchPreview, table: &FoundTable, language: Language) -> Self {
        let counts = preview.counts;
        let rejected = preview.rejected.iter().take(MAX_LISTED);
        let warnings = preview.warnings.iter().take(MAX_LISTED);
        Self {
            sheet: table.sheet.clone(),
            sheets: table.sheets.clone(),
            other_sheets: table.other_sheets.clone(),
            columns: table.columns.iter().map(TableColumn::new).collect(),
            notices: NoticeBody::all_of(table, language),
            rows: counts.rows,
            ready: counts.ready(),
            faulty: counts.faulty,
            duplicates: counts.duplicates,
            passed_over: preview.passed_over.iter().map(PassedOver::from).collect(),
            corrected: table.corrected,
            taken: table.taken.iter().map(TakenBody::new).collect(),
            faults: FaultBody::all_of(&preview.rejected, language),
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
    if preview.counts.rows == 0 {
        let rows = preview
            .passed_over
            .iter()
            .map(|group| group.rows as usize)
            .sum();
        return Problem::AllPassedOver { rows };
    }
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
