//! Determines which column of a table holds which field.

use super::column::{Column, MAX_FOUND, SheetColumn, listed};
use super::error::SheetError;
use super::header;
use super::mapping::{ColumnMapping, MappingError, Source, cut};
use super::results::ResultPlaces;
use super::rows::Rows;
use super::samples;

/// Columns of results, in the order in which they are looked for, with their names in results of former versions.
const OF_RESULTS: [(Column, &str); 5] = [
    (Column::State, "estado_codigo"),
    (Column::State, "estado"),
    (Column::Seal, "sello_codigo"),
    (Column::Seal, "sello"),
    (Column::Lookup, "consulta"),
];

/// Recognises the columns of a table from its headers. Samples come from the rows below.
pub(super) fn with_headers(
    headers: &[String],
    rows: &Rows<'_>,
    mapping: &ColumnMapping,
) -> Result<Vec<SheetColumn>, SheetError> {
    let headers_shown = headers.iter().map(|header| cut(header.trim()));
    let mut columns = numbered(headers_shown, rows);
    assign(&mut columns, headers, mapping)?;
    let assigned: Vec<_> = mapping
        .sources()
        .iter()
        .map(|(column, _)| *column)
        .collect();
    let is_named = |text: &String, column: Column| text.trim() == column.name();
    // A table in the names of the API, such as the results of a batch, may have further columns like them.
    let has_names_of_api = Column::REQUIRED
        .iter()
        .all(|column| headers.iter().any(|text| is_named(text, *column)));
    let results = ResultPlaces::of(headers);
    // What a workbook of results adds is none of the caller's columns.
    let own = match results {
        Some(ResultPlaces::From(begin)) => begin,
        _ => headers.len(),
    };
    let mut repeated = None;
    for wanted in Column::ALL {
        if assigned.contains(&wanted) {
            continue;
        }
        let mut named: Vec<_> = columns
            .iter_mut()
            .zip(&headers[..own])
            .filter(|(place, text)| place.column.is_none() && header::column(text) == Some(wanted))
            .collect();
        if has_names_of_api && named.iter().any(|(_, text)| is_named(text, wanted)) {
            named.retain(|(_, text)| is_named(text, wanted));
        }
        match &mut named[..] {
            [] => {}
            [(one, _)] => one.column = Some(wanted),
            several => {
                let headers = several.iter().take(MAX_FOUND);
                let headers: Vec<_> = headers.map(|(place, _)| place.header.clone()).collect();
                repeated.get_or_insert((wanted, headers));
            }
        }
    }
    for wanted in Column::OF_STATEMENTS {
        let tells = |column: &Column| column.alternatives().contains(&wanted);
        // A text beside a tracking key or an account is a note.
        let mut told = Column::REQUIRED.iter().filter(|it| tells(it));
        let is_needed = told.all(|it| !has(&columns, *it));
        if is_needed && !assigned.contains(&wanted) {
            let mut places = columns.iter_mut().zip(&headers[..own]);
            let place = places.find(|(place, text)| {
                place.column.is_none() && header::column(text) == Some(wanted)
            });
            if let Some((place, _)) = place {
                place.column = Some(wanted);
            }
        }
    }
    // Before them the caller may have columns of such names.
    let begin = match results {
        Some(ResultPlaces::From(begin)) => begin,
        _ => 0,
    };
    for (wanted, name) in OF_RESULTS.into_iter().filter(|_| results.is_some()) {
        let is_known = has(&columns, wanted);
        let mut places = columns.iter_mut().zip(headers).skip(begin);
        let place = places.find(|(place, text)| place.column.is_none() && text.trim() == name);
        if let Some((place, _)) = place.filter(|_| !is_known) {
            place.column = Some(wanted);
        }
    }
    match repeated {
        Some((column, headers)) => Err(SheetError::DuplicateColumn {
            column,
            headers,
            columns: listed(columns),
        }),
        None => complete(columns),
    }
}

/// Assigns the columns of a table without headers, given its first row, and its rows from that one on.
pub(super) fn without_headers(
    cells: &[String],
    rows: &Rows<'_>,
    mapping: &ColumnMapping,
) -> Result<Vec<SheetColumn>, SheetError> {
    let mut columns = numbered(cells.iter().map(|_| String::new()), rows);
    if !mapping.needs_no_header() {
        return Err(SheetError::NoHeader {
            columns: listed(columns),
        });
    }
    assign(&mut columns, &[], mapping)?;
    complete(columns)
}

/// Builds unassigned columns with these headers.
fn numbered(headers: impl ExactSizeIterator<Item = String>, rows: &Rows<'_>) -> Vec<SheetColumn> {
    let samples = samples::of(rows, headers.len());
    let columns = (1..).zip(headers.zip(samples));
    let columns = columns.map(|(number, (header, samples))| SheetColumn {
        number,
        header,
        samples,
        column: None,
    });
    columns.collect()
}

/// Assigns the columns given in the caller's mapping.
fn assign(
    columns: &mut [SheetColumn],
    headers: &[String],
    mapping: &ColumnMapping,
) -> Result<(), MappingError> {
    let count = columns.len();
    for (column, source) in mapping.sources() {
        let column = *column;
        let index = match source {
            Source::Nowhere => continue,
            Source::Number(number) => number.checked_sub(1),
            Source::Header(text) => Some(find(headers, column, text)?),
        };
        let place = index.and_then(|index| columns.get_mut(index)).ok_or({
            MappingError::NoSuchNumber {
                column,
                number: index.map_or(0, |index| index.saturating_add(1)),
                columns: count,
            }
        })?;
        if let Some(first) = place.column.replace(column) {
            let second = column;
            return Err(MappingError::Shared { first, second });
        }
    }
    Ok(())
}

/// Index of the only column with a header.
fn find(headers: &[String], column: Column, wanted: &str) -> Result<usize, MappingError> {
    let exact: Vec<_> = indexes(headers, |text| text.trim() == wanted);
    let found = match &exact[..] {
        [] => indexes(headers, |text| header::are_alike(text, wanted)),
        _ => exact,
    };
    let header = cut(wanted);
    match found[..] {
        [index] => Ok(index),
        [] => Err(MappingError::NoSuchHeader { column, header }),
        _ => Err(MappingError::AmbiguousHeader { column, header }),
    }
}

fn indexes(headers: &[String], is_wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    let all = headers.iter().enumerate();
    all.filter(|(_, text)| is_wanted(text))
        .map(|(index, _)| index)
        .collect()
}

/// Returns the columns if none of the required ones is missing.
fn complete(columns: Vec<SheetColumn>) -> Result<Vec<SheetColumn>, SheetError> {
    let is_told = |column: &Column| {
        let mut others = column.alternatives().iter();
        has(&columns, *column) || others.any(|other| has(&columns, *other))
    };
    let missing = Column::REQUIRED.into_iter().filter(|it| !is_told(it));
    let missing: Vec<_> = missing.collect();
    if missing.is_empty() {
        return Ok(columns);
    }
    Err(SheetError::MissingColumns {
        missing,
        columns: listed(columns),
    })
}

fn has(columns: &[SheetColumn], wanted: Column) -> bool {
    columns.iter().any(|place| place.column == Some(wanted))
}
