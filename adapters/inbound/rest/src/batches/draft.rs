//! Reads the request that creates a batch: options and rows.

use std::sync::Arc;

use application::{BatchDraft, DraftRow, FaultyRow};
use bytes::Bytes;
use domain::account::Account;
use domain::batches::sheet::{
    CellErrors, ChosenSheet, Column, ColumnMapping, Correction, RowRules, SheetRow, WorkbookError,
    is_workbook,
};
use domain::calendar;
use domain::keys::KeyId;
use domain::lookups::RetryFor;
use domain::own_accounts::OwnAccount;
use domain::proofs::file::RequestedFiles;
use domain::tracking_key::TrackingKey;
use ports::outbound::WorkbookReader;
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::problem::{FieldFault, FieldProblem, RowError};
use web::{Problem, TableType};

use super::BatchCall;
use super::corrections;
use super::form::SentTable;
use super::found_table::FoundTable;
use super::problems;
use super::table::Table;
use crate::RestState;
use crate::charged_key;
use crate::people::input::{Name, Text};

/// Maximum number of rows of which the check lists what was taken from their texts.
const MOST_TAKEN: usize = 100;

/// Parameters of the request.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Query {
    /// `true` checks the table and answers what would happen.
    #[serde(default)]
    #[param(inline, default = false)]
    dry_run: bool,
    /// Columns that aren't found by their headers: `field:header` or `field:number`, separated by commas,
    /// for example `monto:Total,cuenta:4`. Beside the fields there are, for statements of banks, `texto`, from which
    /// tracking key and account are taken, and `cargo` and `abono`, of which the one that isn't empty is the
    /// amount. The number 0 leaves out a field that isn't needed: `emisor:0`.
    #[validate(length(max = 1000, code = "malformed_mapping"))]
    #[param(max_length = 1000)]
    columns: Option<String>,
    /// The sheet of a workbook, by its name. Without it, the first that isn't hidden and whose header fits.
    sheet: Option<String>,
    /// `true` passes over rows of results of a batch whose lookups aren't stored any more, and that the file calls
    /// delivered with a valid seal. The file proves neither.
    #[serde(default)]
    #[param(inline, default = false)]
    skip_answered: bool,
    /// The files to keep of each proof: `xml`, or `xml,pdf`.
    #[param(inline, pattern = "^(xml|pdf)(,(xml|pdf))?$")]
    formats: Option<String>,
    /// Seconds during which a row is tried again; 0 makes one attempt.
    #[serde(default = "usual_time")]
    #[validate(range(min = 0, max = 259_200))]
    #[param(minimum = 0, maximum = 259_200, default = 86_400)]
    retry_for: u64,
    /// Your name for the batch.
    #[param(value_type = Option<String>, min_length = 1, max_length = 100)]
    name: Option<Name>,
}

fn usual_time() -> u64 {
    RetryFor::DEFAULT.duration().as_secs()
}

/// Validated options of a batch.
pub(super) struct Options {
    /// The table is only checked, and no batch is created.
    pub(super) dry_run: bool,
    mapping: ColumnMapping,
    /// Name of the sheet of a workbook.
    sheet: Option<String>,
    skips_answered: bool,
    files: RequestedFiles,
    /// The key to charge, given by a caller with a session; `None` for a caller with an API key.
    key: Option<KeyId>,
    name: Option<String>,
    retry_for: RetryFor,
}

impl Options {
    /// Validates the request's parameters.
    pub(super) fn of(
        (parameters, named): (Query, Option<KeyId>),
        call: &BatchCall,
    ) -> Result<Self, Problem> {
        let mapping = ColumnMapping::parse(parameters.columns.as_deref().unwrap_or_default());
        Ok(Self {
            dry_run: parameters.dry_run,
            mapping: mapping.map_err(|error| problems::of_mapping(&error))?,
            files: formats(parameters.formats.as_deref())?,
            key: checked_key(call, named)?,
            skips_answered: parameters.skip_answered,
            sheet: parameters.sheet.filter(|name| !name.trim().is_empty()),
            name: parameters.name.map(|Text(name)| name.as_str().to_owned()),
            retry_for: RetryFor::from_secs(parameters.retry_for).unwrap_or(RetryFor::MAX),
        })
    }
}

/// A batch to create, and data about its table.
pub(super) struct ReadTable {
    pub(super) draft: BatchDraft,
    pub(super) found: FoundTable,
}

/// Parses the table on the low-priority runtime.
pub(super) async fn read(
    (state, call): (&RestState, &BatchCall),
    (options, own_accounts): (Options, Vec<OwnAccount>),
    sent: SentTable,
) -> Result<ReadTable, Problem> {
    let most = state.max_batch_rows;
    let today = calendar::today(state.request_layer.clock.now());
    let catalogue = state.participants.catalogue();
    let workbooks = Arc::clone(&state.workbooks);
    let (mapping, sheet) = (options.mapping, options.sheet);
    // Parsing 16 MiB takes some tenths of a second, too long for a thread that serves other requests.
    let read = state.low_priority.spawn_blocking(move || {
        let rules = RowRules {
            today,
            catalogue: &catalogue,
            own_accounts: &own_accounts,
        };
        let wanted = (sheet.as_deref(), &mapping);
        let corrections = corrections::read(sent.corrections.as_deref())?;
        let body = sent.file;
        if sent.format == TableType::Sheet && is_workbook(&body) {
            let sheet = chosen(&*workbooks, body, wanted).map_err(problems::of_workbook)?;
            let table = Table::of_sheet(&sheet, &mapping);
            let table = table.map_err(|error| problems::of_sheet(error, sheet.names.clone()))?;
            let (rows, found) = rows((&table, &corrections), rules, most)?;
            let found = FoundTable {
                sheet: Some(sheet.name),
                sheets: sheet.names,
                other_sheets: sheet.others,
                ..found
            };
            return Ok((rows, found));
        }
        if sheet.is_some() {
            let problem = FieldProblem::Excluded { other: "text/csv" };
            return Err(Problem::invalid_field("sheet", problem));
        }
        let table = Table::open(sent.format, &body, &mapping);
        let table = table.map_err(|error| problems::of_sheet(error, Vec::new()))?;
        rows((&table, &corrections), rules, most)
    });
    let (rows, mut found) = read.await.map_err(|error| call.unwritten(&error))??;
    let draft = BatchDraft {
        key: options.key,
        name: options.name,
        files: options.files,
        retry_for: options.retry_for,
        skips_answered: options.skips_answered,
        columns: std::mem::take(&mut found.own),
        passed_over: std::mem::take(&mut found.passed_over),
        rows,
    };
    Ok(ReadTable { draft, found })
}

/// Reads the sheet of a workbook with this name, or the first whose header fits.
fn chosen(
    workbooks: &dyn WorkbookReader,
    file: Bytes,
    (name, mapping): (Option<&str>, &ColumnMapping),
) -> Result<ChosenSheet, WorkbookError> {
    let mut workbook = workbooks.open(file)?;
    let sheets = workbook.sheets().to_vec();
    ChosenSheet::of(&sheets, name, mapping, |sheet| workbook.rows(sheet))
}

/// Checks `key_id`: required with a session, and refused with an API key.
fn checked_key(call: &BatchCall, named: Option<KeyId>) -> Result<Option<KeyId>, Problem> {
    if call.is_person() {
        return charged_key::named(named).map(Some);
    }
    charged_key::none_named(named)?;
    Ok(None)
}

/// Reads the rows of a table, and what its check tells of it.
fn rows(
    (table, corrections): (&Table<'_>, &[Correction]),
    rules: RowRules<'_>,
    most: u32,
) -> Result<(Vec<DraftRow>, FoundTable), Problem> {
    let mut rows = table.rows(rules, corrections);
    let drafts = of_rows(&mut rows, most)?;
    if drafts.is_empty() {
        return Err(match rows.passed_over().len() {
            0 => Problem::invalid_field("body", FieldProblem::NoRows),
            rows => Problem::AllPassedOver { rows },
        });
    }
    corrections::check(rows.corrector())?;
    let mut columns = table.columns().iter();
    let is_statement = columns.any(|place| place.column == Some(Column::Text));
    let taken = drafts.iter().filter(|_| is_statement).filter_map(taken);
    let found = FoundTable {
        own: rows.own_columns(),
        columns: table.columns().to_vec(),
        misplaced_keys: table.misplaced_tracking_keys().cloned(),
        passed_over: rows.passed_over().to_vec(),
        corrected: rows.corrector().corrected(),
        taken: taken.take(MOST_TAKEN).collect(),
        ..FoundTable::default()
    };
    Ok((drafts, found))
}

/// What a row asks for, of which its text may have told a part.
fn taken(row: &DraftRow) -> Option<(u32, TrackingKey, Account)> {
    let query = row.query.as_ref().ok()?;
    let key = query.criterion.tracking_key()?.clone();
    Some((row.line, key, query.account.clone()))
}

fn of_rows(rows: &mut impl Iterator<Item = SheetRow>, most: u32) -> Result<Vec<DraftRow>, Problem> {
    let mut drafts = Vec::new();
    for row in rows {
        if drafts.len() >= most as usize {
            let problem = FieldProblem::TooManyRows { most };
            return Err(Problem::invalid_field("body", problem));
        }
        drafts.push(DraftRow {
            line: u32::try_from(row.line).unwrap_or(u32::MAX),
            caller_id: row.id,
            cells: row.cells,
            lookup: row.lookup,
            is_called_answered: row.is_called_answered,
            query: row.query.map_err(|errors| faulty(&errors)),
        });
    }
    Ok(drafts)
}

fn faulty(CellErrors(errors): &CellErrors) -> FaultyRow {
    let errors = errors
        .iter()
        .map(|error| RowError::new(error.name(), &FieldFault::from(error).problem));
    RowError::kept(&errors.collect::<Vec<_>>())
}

/// Parses `formats`. The XML is always stored.
fn formats(words: Option<&str>) -> Result<RequestedFiles, Problem> {
    let mut files = RequestedFiles::Xml;
    for word in words.unwrap_or("xml").split(',') {
        match word.trim() {
            "xml" => {}
            "pdf" => files = RequestedFiles::Both,
            _ => {
                let allowed = FieldProblem::NotOneOf {
                    words: &["xml", "pdf"],
                };
                return Err(Problem::invalid_field("formats", allowed));
            }
        }
    }
    Ok(files)
}
