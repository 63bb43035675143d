//! Errors of a table, of its rows, and of their cells.

use crate::query::{FieldError, FieldErrorKind};

use super::bounds::{MAX_ID_LENGTH, MAX_ROW_LENGTH};
use super::column::{Column, SheetColumn, headers_of};
use super::mapping::MappingError;

/// Reason why a file can't be read as a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SheetError {
    /// No row at all.
    #[error("the file is empty; send a header and a row for each payment")]
    Empty,
    /// A workbook (XLSX, XLS, ODS) or another file that isn't text.
    #[error("the file is not text; save the workbook as CSV (UTF-8) and send that")]
    NotText,
    /// The first row is a payment.
    #[error("the first row is not a header; add one, or give the columns by number")]
    NoHeader {
        /// The columns, with the values of that row.
        columns: Vec<SheetColumn>,
    },
    /// The header can't be read.
    #[error("the header in line {line} {fault}")]
    Header {
        /// The line, from 1.
        line: u64,
        /// Its fault.
        fault: RowFault,
    },
    /// Required columns aren't among the headers.
    #[error(
        "no column for {}; the headers are {}",
        names(missing),
        headers_of(columns).join(", ")
    )]
    MissingColumns {
        /// All of the missing ones.
        missing: Vec<Column>,
        /// The columns as they were recognised, in a bounded number.
        columns: Vec<SheetColumn>,
    },
    /// Several headers are those of one column.
    #[error("several columns are {column}: {}; keep one, or name it in columns", headers.join(", "))]
    DuplicateColumn {
        /// The column.
        column: Column,
        /// The headers, cut to a bounded length.
        headers: Vec<String>,
        /// The columns as they were recognised, in a bounded number.
        columns: Vec<SheetColumn>,
    },
    /// The caller's own mapping doesn't fit.
    #[error(transparent)]
    Mapping(#[from] MappingError),
}

fn names(columns: &[Column]) -> String {
    let names: Vec<_> = columns.iter().map(|column| column.name()).collect();
    names.join(", ")
}

/// Fault of a row that can't be read at all, or of its form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// A quote that nothing closes.
    #[error(
        "has a quote that is never closed; close it, or double a quote that belongs to the text"
    )]
    UnclosedQuote,
    /// More characters than a row may have.
    #[error("has more than {MAX_ROW_LENGTH} characters; leave out columns that are not needed")]
    TooLong,
    /// Cells beyond the last header. A separator in a value may have split it, for example
    /// `1,234.56`.
    #[error(
        "has {cells} cells and the header {columns}; put quotes around a value that holds the separator"
    )]
    MoreCells {
        /// Number of its cells.
        cells: usize,
        /// Number of headers.
        columns: usize,
    },
    /// A line that isn't JSON.
    #[error("is not JSON (byte {position})")]
    MalformedJson {
        /// Place in the line, in bytes from 1.
        position: usize,
    },
    /// A line that is JSON, but no object.
    #[error("must be a JSON object, not a {found}")]
    NotAnObject {
        /// The JSON type.
        found: &'static str,
    },
    /// A line of JSON that repeats a member.
    #[error("repeats a member (byte {position})")]
    RepeatedMember {
        /// Place in the line, in bytes from 1.
        position: usize,
    },
    /// A line of JSON with a member that isn't known.
    #[error("has the unknown member {name:?}")]
    UnknownMember {
        /// Its name, cut to a bounded length.
        name: String,
        /// The known name that it is probably meant to be.
        meant: Option<&'static str>,
    },
}

/// Problem of a cell, or of the whole row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CellErrorKind {
    /// The value is refused as that of a request's field is.
    #[error(transparent)]
    Field(#[from] FieldErrorKind),
    /// A date whose month stands before its day.
    #[error("the day comes first, for example 20/11/2026")]
    MonthFirst,
    /// An amount whose separators can be read in two ways.
    #[error("write it with a decimal point, for example 1234.56 or 1,234.56")]
    AmbiguousAmount,
    /// A number that a spreadsheet shortened, for example `1.23457E+17`.
    #[error("a spreadsheet shortened the number to {significant} digits; keep the column as text")]
    Shortened {
        /// Digits that are left.
        significant: usize,
    },
    /// A number of which a spreadsheet kept 15 digits; zeros stand in place of the others.
    #[error("a spreadsheet kept 15 digits and wrote zeros after them; keep the column as text")]
    Rounded,
    /// A CLABE without its leading zeros.
    #[error("a spreadsheet dropped {zeros} leading zeros of the CLABE; keep the column as text")]
    LeadingZerosLost {
        /// Number of zeros.
        zeros: usize,
    },
    /// An id that is too long.
    #[error("at most {MAX_ID_LENGTH} characters, {length} were given")]
    IdTooLong {
        /// Number of characters that were given.
        length: usize,
    },
    /// An id with a control character.
    #[error("control characters are not accepted")]
    IdCharacter,
    /// The row can't be read.
    #[error("the row {0}")]
    Row(#[from] RowFault),
}

/// A problem and its place in the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellError {
    /// The column; `None` for the whole row.
    pub column: Option<Column>,
    /// The problem.
    pub problem: CellErrorKind,
}

impl CellError {
    /// A problem of one column.
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

/// Converts the error of a field, which a table has a column for.
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
