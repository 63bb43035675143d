//! Data about a table that its check tells.

use domain::account::Account;
use domain::batches::sheet::{OwnColumn, PassedOver, SheetColumn};
use domain::tracking_key::TrackingKey;

/// Data about a table, for its check.
#[derive(Default)]
pub(crate) struct FoundTable {
    /// The sheet that was chosen; `None` for a file that is no workbook.
    pub(crate) sheet: Option<String>,
    /// Names of all sheets.
    pub(crate) sheets: Vec<String>,
    /// Names of other sheets whose header fits, too, and which aren't read.
    pub(crate) other_sheets: Vec<String>,
    /// The columns of the rows' cells.
    pub(crate) own: Vec<OwnColumn>,
    /// The recognised columns; empty for JSON lines.
    pub(crate) columns: Vec<SheetColumn>,
    /// A column that seems to hold the tracking keys, although another one has their header.
    pub(crate) misplaced_keys: Option<SheetColumn>,
    /// Lines that ask for no payment, with the reason.
    pub(crate) passed_over: Vec<(u64, PassedOver)>,
    /// Number of rows with a corrected value.
    pub(crate) corrected: usize,
    /// Lines with what was taken from their texts, the first ones.
    pub(crate) taken: Vec<(u32, TrackingKey, Account)>,
}
