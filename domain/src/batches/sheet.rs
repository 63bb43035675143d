//! Tables of payments in the usual formats of people, spreadsheets and programs.
//!
//! [`Sheet`] reads a CSV file, of which it detects encoding and separator, or a sheet of a workbook: it finds the
//! header, then yields a [`SheetRow`] per row. [`SheetRow::of_cells`] builds rows from other formats (JSON lines), with the same errors.

mod amount;
mod bounds;
mod cell;
mod chosen_sheet;
mod column;
mod corrections;
mod damage;
mod date;
mod encoding;
mod error;
mod header;
mod layout;
mod mapping;
mod misplaced;
mod open;
mod own;
mod passed_over;
mod results;
mod row;
mod rows;
mod samples;
mod separator;
mod statement;
#[cfg(test)]
mod tests;
mod tokens;
mod top;
mod workbook;

pub(crate) use amount::amount_of_text;
pub use bounds::{
    MAX_BLANK_ROWS, MAX_CORRECTION_LENGTH, MAX_CORRECTIONS, MAX_ID_LENGTH, MAX_ROW_LENGTH,
};
pub use cell::{Spelling, without_guard};
pub use chosen_sheet::ChosenSheet;
pub use column::{Column, SheetColumn, headers_of};
pub use corrections::{CorrectedRows, Correction, CorrectionError, CorrectionFault, Corrector};
pub(crate) use date::date_of_text;
pub use date::serial_number;
pub use error::{CellError, CellErrorKind, CellErrors, RowFault, SheetError};
pub use mapping::{ColumnMapping, MappingError};
pub use open::{Sheet, SheetRows};
pub use own::{OwnColumn, OwnValue};
pub use passed_over::{PassedOver, PassedOverRows};
pub use results::RESULTS_BEGIN;
pub use row::{RawCells, RowRules, SheetRow};
pub use workbook::{WorkbookCell, WorkbookError, WorkbookRow, is_page, is_workbook};
