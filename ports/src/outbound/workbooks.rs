//! Port: reading of workbooks that users upload.

use bytes::Bytes;
use domain::batches::sheet::{WorkbookError, WorkbookRow};

/// Port: reader of workbooks.
pub trait WorkbookReader: Send + Sync {
    /// Reads what sheets there are. The file is one of [`domain::batches::sheet::is_workbook`] and may be hostile:
    /// memory and time MUST be bounded whatever it declares. Macros, links and formulas MUST NOT be evaluated.
    ///
    /// # Errors
    /// [`WorkbookError::Unreadable`], [`WorkbookError::Encrypted`], [`WorkbookError::TooLarge`].
    fn open(&self, file: Bytes) -> Result<Box<dyn Workbook>, WorkbookError>;
}

/// An open workbook.
pub trait Workbook: Send {
    /// Names of the sheets that programs show, in their order.
    fn sheets(&self) -> &[String];

    /// Reads the rows of the sheet at an index of [`Self::sheets`], in ascending order of their numbers, without
    /// those that are empty. To be called once for each sheet.
    ///
    /// # Errors
    /// [`WorkbookError::Unreadable`], [`WorkbookError::TooLarge`].
    fn rows(&mut self, sheet: usize) -> Result<Vec<WorkbookRow>, WorkbookError>;
}
