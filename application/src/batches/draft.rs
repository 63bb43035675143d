//! Checks of a new batch's rows.

use std::collections::HashMap;

use super::types::{DraftRow, RowOutcome, RowView, RowWarning};
use chrono::NaiveDate;
use domain::batches::sheet::{Column, OwnColumn, PassedOver, PassedOverRows, without_guard};
use domain::batches::{BatchState, RowCounts, RowNumber};
use domain::hints;
use domain::participants::Catalogue;
use domain::participants::inference::{self, Resolution, Unresolved};
use domain::query::ProofQuery;
use domain::transfer::Transfer;

use super::content::{RowKind, StoredRow};

/// The rows of a new batch after the checks, with their counts.
pub(super) struct CheckedRows {
    pub(super) rows: Vec<StoredRow>,
    pub(super) counts: RowCounts,
    /// The columns of the rows' cells.
    pub(super) columns: Vec<OwnColumn>,
    /// Rows of the table that aren't among them.
    pub(super) passed_over: Vec<PassedOverRows>,
}

impl CheckedRows {
    /// Finds rows whose participants can't be resolved, and duplicates of earlier rows.
    pub(super) fn of(
        rows: Vec<DraftRow>,
        (columns, passed_over): (Vec<OwnColumn>, &[(u64, PassedOver)]),
        catalogue: &Catalogue,
    ) -> Self {
        let mut counts = RowCounts::default();
        let mut first = HashMap::new();
        let mut checked = Vec::with_capacity(rows.len());
        for (number, row) in (0..).map(RowNumber).zip(rows) {
            counts.rows += 1;
            let kind = match row.query {
                Ok(query) => of_query(
                    inference::resolvable(query, catalogue),
                    catalogue,
                    |asked| {
                        let earlier = *first.entry(asked).or_insert((number, row.line));
                        (earlier.0 != number).then_some(earlier)
                    },
                ),
                Err(faulty) => RowKind::Faulty(faulty),
            };
            match kind {
                RowKind::Ready(_) => {}
                RowKind::Duplicate { .. } => counts.duplicates += 1,
                RowKind::Unresolved(_) | RowKind::Faulty(_) => counts.faulty += 1,
            }
            checked.push(StoredRow {
                line: row.line,
                caller_id: row.caller_id,
                cells: row.cells,
                kind,
            });
        }
        Self {
            rows: checked,
            counts,
            columns,
            passed_over: PassedOverRows::grouped(passed_over),
        }
    }

    /// The rows that won't be looked up.
    pub(super) fn rejected(&self, catalogue: &Catalogue) -> Vec<RowView> {
        let numbered = (0..).map(RowNumber).zip(&self.rows);
        numbered
            .filter(|(_, row)| !matches!(row.kind, RowKind::Ready(_)))
            .map(|(number, row)| {
                without_lookup(number, row, (BatchState::Queued, &self.columns, catalogue))
            })
            .collect()
    }

    /// The rows that will be looked up although their query is contradictory.
    pub(super) fn warnings(&self, today: NaiveDate, catalogue: &Catalogue) -> Vec<RowWarning> {
        let numbered = (0..).map(RowNumber).zip(&self.rows);
        let warnings = numbered.filter_map(|(row, stored)| {
            let RowKind::Ready(query) = &stored.kind else {
                return None;
            };
            let Resolution { inferred, transfer } = inference::resolve(query.clone(), catalogue);
            let contradictions =
                hints::contradictions(&transfer.ok()?, &inferred, today, catalogue);
            (!contradictions.is_empty()).then_some(RowWarning {
                row,
                line: stored.line,
                contradictions,
            })
        });
        warnings.collect()
    }
}

/// Kind of a row with this query. `earlier` returns the first row with the same transfer, if there is one.
fn of_query(
    query: ProofQuery,
    catalogue: &Catalogue,
    earlier: impl FnOnce(Transfer) -> Option<(RowNumber, u32)>,
) -> RowKind {
    let Resolution { transfer, .. } = inference::resolve(query.clone(), catalogue);
    let Ok(transfer) = transfer else {
        return RowKind::Unresolved(query);
    };
    match earlier(transfer) {
        Some((of, line)) => RowKind::Duplicate { query, of, line },
        None => RowKind::Ready(query),
    }
}

/// View of a row without a lookup, whose cells have these columns, in a batch in this state.
pub(super) fn without_lookup(
    row: RowNumber,
    stored: &StoredRow,
    (batch, columns, catalogue): (BatchState, &[OwnColumn], &Catalogue),
) -> RowView {
    let outcome = match &stored.kind {
        RowKind::Ready(_) => RowOutcome::NotBegun { batch },
        RowKind::Unresolved(query) => unresolved(query, catalogue),
        RowKind::Duplicate { of, line, .. } => RowOutcome::Duplicate {
            of: *of,
            line: *line,
        },
        RowKind::Faulty(faulty) => RowOutcome::Faulty(faulty.clone()),
    };
    let written = match stored.kind {
        RowKind::Faulty(_) => written(&stored.cells, columns),
        _ => Vec::new(),
    };
    RowView {
        row,
        line: stored.line,
        caller_id: stored.caller_id.clone(),
        cells: stored.cells.clone(),
        query: stored.kind.query().cloned(),
        written,
        outcome,
    }
}

/// The values of a payment, as they came.
fn written(cells: &[String], columns: &[OwnColumn]) -> Vec<(Column, String)> {
    let cells = columns.iter().zip(cells);
    let values = cells.filter_map(|(place, cell)| {
        let column = place.column.filter(|column| Column::ALL.contains(column))?;
        let text = without_guard(cell.trim());
        (!text.is_empty()).then(|| (column, text.to_owned()))
    });
    values.collect()
}

/// The reason by the current catalogue, which may differ from the catalogue at creation.
fn unresolved(query: &ProofQuery, catalogue: &Catalogue) -> RowOutcome {
    let Resolution { transfer, .. } = inference::resolve(query.clone(), catalogue);
    RowOutcome::Unresolved(transfer.err().unwrap_or(Unresolved::InferenceFailed {
        issuer: None,
        receiver: None,
    }))
}
