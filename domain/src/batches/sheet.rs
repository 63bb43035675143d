//! Tables of payments in the usual formats of people, spreadsheets and programs.
//!
//! [`Sheet`] reads a CSV file: it detects encoding, separator and header, then yields a [`SheetRow`]
//! per row. [`SheetRow::of_cells`] builds rows from other formats (JSON lines), with the same errors.

mod amount;
mod bounds;
mod cell;
mod column;
mod damage;
mod date;
mod encoding;
mod error;
mod header;
mod layout;
mod mapping;
mod misplaced;
mod open;
mod row;
mod separator;
#[cfg(test)]
mod tests;
mod tokens;
mod top;

pub use bounds::{MAX_BLANK_ROWS, MAX_ID_LENGTH, MAX_ROW_LENGTH};
pub use cell::Spelling;
pub use column::{Column, SheetColumn, headers_of};
pub use encoding::Encoding;
pub use error::{CellError, CellErrorKind, CellErrors, RowFault, SheetError};
pub use mapping::{ColumnMapping, MappingError};
pub use open::{Sheet, SheetRows};
pub use row::{RawCells, RowRules, SheetRow};
pub use separator::Separator;
