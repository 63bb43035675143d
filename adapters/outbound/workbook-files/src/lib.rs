//! Reads the workbooks that people send: XLSX, XLSM, XLS, ODS, and the web pages that banks name `.xls`.
//!
//! Files are untrusted: what they inflate to is counted before anything is parsed, and cells are counted while they
//! are read, so that neither a ratio, a range nor a repetition costs more memory than the bounds allow.

use bytes::Bytes;
use domain::batches::sheet::{WorkbookError, is_page};
use ports::outbound::{Workbook, WorkbookReader};

mod bounds;
mod contents;
mod ods;
mod page;
mod table;
mod value;
mod xls;
mod xlsx;

/// Reader of workbooks.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkbookFiles;

impl WorkbookReader for WorkbookFiles {
    fn open(&self, file: Bytes) -> Result<Box<dyn Workbook>, WorkbookError> {
        if is_page(&file) {
            return Ok(Box::new(page::open(&file)?));
        }
        if !file.starts_with(b"PK") {
            return Ok(Box::new(xls::open(file)?));
        }
        let archive = bounds::open(file.clone())?;
        if archive.index_for_name("content.xml").is_some() {
            return Ok(Box::new(ods::open(archive)?));
        }
        Ok(Box::new(xlsx::open(file)?))
    }
}
