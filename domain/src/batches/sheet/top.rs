//! Finds the header of a table, below titles and blank rows, and the separator of its cells.

use crate::calendar;

use super::column::{Column, SheetColumn};
use super::date;
use super::error::SheetError;
use super::header;
use super::layout;
use super::mapping::{ColumnMapping, Source};
use super::rows::Rows;
use super::separator::Separator;
use super::tokens::{Tokenised, Tokens};

/// Number of leading rows that are searched for the header.
const SEARCHED: usize = 50;

/// The columns of a table, and its rows.
pub(super) struct Top<'a> {
    pub(super) columns: Vec<SheetColumn>,
    /// Reader positioned at the first row of data.
    pub(super) rows: Rows<'a>,
}

/// Reads the header.
pub(super) fn read<'a>(table: Rows<'a>, mapping: &ColumnMapping) -> Result<Top<'a>, SheetError> {
    let header = most_known(table.clone(), mapping);
    if let Some((0, ..)) | None = header {
        if let Some((cells, rows)) = first_payment(table.clone(), mapping) {
            let columns = layout::without_headers(&cells, &rows, mapping)?;
            return Ok(Top { columns, rows });
        }
        let first = table.clone().next().ok_or(SheetError::Empty)?;
        let Tokenised { line, cells } = first;
        let cells = cells.map_err(|fault| SheetError::Header { line, fault })?;
        // A number of five digits may be the code of a bank as well.
        let is_serial = |cell: &str| date::of_serial(cell.trim()).is_some();
        if cells.iter().any(|cell| is_date(cell) && !is_serial(cell)) {
            let columns = layout::without_headers(&cells, &table, mapping)?;
            let rows = table;
            return Ok(Top { columns, rows });
        }
    }
    let (_, headers, rows) = header.ok_or(SheetError::Empty)?;
    let columns = layout::with_headers(&headers, &rows, mapping)?;
    Ok(Top { columns, rows })
}

/// Chooses the separator with which one of the leading rows has the most known headers, then a date in the
/// column of the caller's mapping, then the most cells.
pub(super) fn separator(tokens: &Tokens<'_>, mapping: &ColumnMapping) -> Separator {
    let score = |separator: &Separator| {
        let (tokens, separator) = (tokens.clone(), *separator);
        let rows = leading(Rows::Csv { tokens, separator }).map(|(_, cells, _)| {
            let known = known_columns(&cells, mapping);
            (known, has_date_in_place(&cells, mapping), cells.len())
        });
        rows.max()
    };
    // `max_by_key` returns the last of equal elements.
    let best = Separator::ALL.into_iter().rev().max_by_key(score);
    best.unwrap_or(Separator::Comma)
}

/// The leading rows that can be read, each with its line and a reader of the rows after it.
fn leading(mut table: Rows<'_>) -> impl Iterator<Item = (u64, Vec<String>, Rows<'_>)> {
    let rows = std::iter::from_fn(move || {
        let row = table.next()?;
        Some((row.line, row.cells, table.clone()))
    });
    let rows = rows.take(SEARCHED);
    rows.filter_map(|(line, cells, after)| Some((line, cells.ok()?, after)))
}

/// The first of the leading rows with the most known headers, then the most cells that aren't blank: their number,
/// the row, and the rows after it. A header of two rows is their merged cells above those of the second one.
fn most_known<'a>(
    table: Rows<'a>,
    mapping: &ColumnMapping,
) -> Option<(usize, Vec<String>, Rows<'a>)> {
    let mut best = None;
    let mut most = (0, 0);
    let mut above: Option<(u64, Vec<String>)> = None;
    for (line, mut cells, after) in leading(table) {
        let own = cells.clone();
        let above = above
            .replace((line, own))
            .filter(|(row, _)| row + 1 == line);
        if let Some((_, above)) = above.filter(|_| known_columns(&cells, mapping) > 0) {
            fill(&mut cells, above);
        }
        let known = known_columns(&cells, mapping);
        let filled = cells.iter().filter(|cell| !cell.trim().is_empty()).count();
        if best.is_none() || (known, filled) > most {
            most = (known, filled);
            best = Some((known, cells, after));
        }
    }
    best
}

/// Fills blank cells with those above them.
fn fill(cells: &mut Vec<String>, above: Vec<String>) {
    cells.resize(cells.len().max(above.len()), String::new());
    for (cell, above) in cells.iter_mut().zip(above) {
        if cell.trim().is_empty() {
            *cell = above;
        }
    }
}

/// The first of the leading rows with a date where the caller's mapping has it, and the rows from it on. `None`
/// unless the mapping gives every required column by its number.
fn first_payment<'a>(table: Rows<'a>, mapping: &ColumnMapping) -> Option<(Vec<String>, Rows<'a>)> {
    if !mapping.needs_no_header() {
        return None;
    }
    let mut from = table.clone();
    for (_, cells, after) in leading(table) {
        if has_date_in_place(&cells, mapping) {
            return Some((cells, from));
        }
        from = after;
    }
    None
}

/// Number of cells that are the header of a known column, or of one that the caller's mapping names.
fn known_columns(cells: &[String], mapping: &ColumnMapping) -> usize {
    let is_named = |source: &Source, cell: &str| match source {
        Source::Header(text) => header::are_alike(text, cell),
        Source::Number(_) | Source::Nowhere => false,
    };
    let is_wanted = |cell: &&String| {
        let mut sources = mapping.sources().iter();
        header::column(cell).is_some() || sources.any(|(_, source)| is_named(source, cell))
    };
    cells.iter().filter(is_wanted).count()
}

/// Returns `true` if the cell that the caller's mapping gives for the date holds one.
fn has_date_in_place(cells: &[String], mapping: &ColumnMapping) -> bool {
    let number = mapping.number(Column::Date);
    let cell = number.and_then(|number| cells.get(number.checked_sub(1)?));
    cell.is_some_and(|cell| is_date(cell))
}

fn is_date(cell: &str) -> bool {
    date::spell(cell.trim()).is_ok_and(|date| calendar::parse_date(&date).is_ok())
}
