//! Errors of a table, of its rows, and of their cells.

use crate::query::{FieldError, FieldErrorKind};

use super::bounds::{MAX_ID_LENGTH, MAX_ROW_LENGTH};
use super::column::{Column, SheetColumn, headers_of};
use super::mapping::MappingError;

/// Reason why a file can't be read as a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SheetError {
    /// The file has no rows.
    #[error("the file is empty; send a header and a row for each payment")]
    Empty,
    /// A workbook (XLSX, XLS, ODS) or another file that isn't text.
    #[error("the file is not text; save the workbook as CSV (UTF-8) and send that")]
    NotText,
    /// The first row holds payment data instead of headers.
    #[error("the first row is not a header; add one, or give the columns by number")]
    NoHeader {
        /// The columns, with the values of the first rows as samples.
        columns: Vec<SheetColumn>,
    },
    /// The header can't be read.
    #[error("the header in line {line} {fault}")]
    Header {
        /// Number of the line, from 1.
        line: u64,
        /// Reason why it can't be read.
        fault: RowFault,
    },
    /// Required columns aren't among the headers.
    #[error(
        "no column for {}; the headers are {}",
        names(missing),
        headers_of(columns).join(", ")
    )]
    MissingColumns {
        /// All missing columns.
        missing: Vec<Column>,
        /// The recognised columns, at most a fixed number.
        columns: Vec<SheetColumn>,
    },
    /// Several headers match the same column.
    #[error("several columns are {column}: {}; keep one, or name it in columns", headers.join(", "))]
    DuplicateColumn {
        /// The column that they match.
        column: Column,
        /// The matching headers, each shortened to a maximum length.
        headers: Vec<String>,
        /// The recognised columns, at most a fixed number.
        columns: Vec<SheetColumn>,
    },
    /// The caller's column mapping is invalid.
    #[error(transparent)]
    Mapping(#[from] MappingError),
}

fn names(columns: &[Column]) -> String {
    let names: Vec<_> = columns.iter().map(|column| column.name()).collect();
    names.join(", ")
}

/// Reason why a row can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// A quoted cell has no closing quote.
    #[error(
        "has a quote that is never closed; close it, or double a quote that belongs to the text"
    )]
    UnclosedQuote,
    /// The row has more than [`MAX_ROW_LENGTH`] characters.
    #[error("has more than {MAX_ROW_LENGTH} characters; leave out columns that are not needed")]
    TooLong,
    /// The row has more cells than the header. A separator in a value may have split it, for example
    /// `1,234.56`.
    #[error(
        "has {cells} cells and the header {columns}; put quotes around a value that holds the separator"
    )]
    MoreCells {
        /// Number of cells in the row.
        cells: usize,
        /// Number of headers.
        columns: usize,
    },
    /// The line isn't valid JSON.
    #[error("is not JSON (byte {position})")]
    MalformedJson {
        /// Byte offset in the line, from 1.
        position: usize,
    },
    /// The line is JSON, but not an object.
    #[error("must be a JSON object, not a {found}")]
    NotAnObject {
        /// The JSON type that was given.
        found: &'static str,
    },
    /// A member of the JSON object is repeated.
    #[error("repeats a member (byte {position})")]
    RepeatedMember {
        /// Byte offset in the line, from 1.
        position: usize,
    },
    /// A member of the JSON object is unknown.
    #[error("has the unknown member {name:?}")]
    UnknownMember {
        /// Name of the member, shortened to a maximum length.
        name: String,
        /// The most similar known name, if any.
        meant: Option<&'static str>,
    },
}

/// Problem of a cell, or of the whole row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CellErrorKind {
    /// The value is invalid for the field, as in a single request.
    #[error(transparent)]
    Field(#[from] FieldErrorKind),
    /// The date is written with the month first.
    #[error("the day comes first, for example 20/11/2026")]
    MonthFirst,
    /// The separators of the amount can be read in two ways.
    #[error("write it with a decimal point, for example 1234.56 or 1,234.56")]
    AmbiguousAmount,
    /// A spreadsheet converted the number to scientific notation, for example `1.23457E+17`.
    #[error("a spreadsheet shortened the number to {significant} digits; keep the column as text")]
    Shortened {
        /// Number of significant digits that are left.
        significant: usize,
    },
    /// A spreadsheet kept 15 digits of the number and replaced the rest with zeros.
    #[error("a spreadsheet kept 15 digits and wrote zeros after them; keep the column as text")]
    Rounded,
    /// The CLABE lost its leading zeros.
    #[error("a spreadsheet dropped {zeros} leading zeros of the CLABE; keep the column as text")]
    LeadingZerosLost {
        /// Number of missing zeros.
        zeros: usize,
    },
    /// The row's id has more than [`MAX_ID_LENGTH`] characters.
    #[error("at most {MAX_ID_LENGTH} characters, {length} were given")]
    IdTooLong {
        /// Number of characters in the id.
        length: usize,
    },
    /// The row's id has a control character.
    #[error("control characters are not accepted")]
    IdCharacter,
    /// The whole row can't be read.
    #[error("the row {0}")]
    Row(#[from] RowFault),
}

/// A problem and the column that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellError {
    /// The column; `None` for the whole row.
    pub column: Option<Column>,
    /// Reason of the refusal.
    pub problem: CellErrorKind,
}

impl CellError {
    /// A problem with the value in one column.
    pub fn of(column: Column, problem: impl Into<CellErrorKind>) -> Self {
        Self {
            column: Some(column),
            problem: problem.into(),
        }
    }

    /// The column's name in the API, or that of an unknown member; `row` for the whole row.
    pub fn name(&self) -> &str {
        match &self.problem {
            CellErrorKind::Row(RowFault::UnknownMember { name, .. }) => name,
            _ => self.column.map_or("row", Column::name),
        }
    }
}

impl From<RowFault> for CellError {
    fn from(fault: RowFault) -> Self {
        Self {
            column: None,
            problem: fault.into(),
        }
    }
}

/// Converts the error of a request field to that of its column.
impl From<FieldError> for CellError {
    fn from(error: FieldError) -> Self {
        Self {
            column: Column::of_field(error.field),
            problem: error.problem.into(),
        }
    }
}

/// All problems of a row, in the order of the columns; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellErrors(pub Vec<CellError>);

impl From<RowFault> for CellErrors {
    fn from(fault: RowFault) -> Self {
        Self(vec![fault.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_named_by_its_column_its_member_or_the_row() {
        let unknown = RowFault::UnknownMember {
            name: "fehca".to_owned(),
            meant: Some("fecha"),
        };
        let not_an_object = RowFault::NotAnObject { found: "number" };
        let errors = [
            CellError::of(Column::Amount, CellErrorKind::AmbiguousAmount),
            unknown.into(),
            not_an_object.into(),
        ];
        assert_eq!(
            errors.each_ref().map(CellError::name),
            ["monto", "fehca", "row"]
        );
    }
}
