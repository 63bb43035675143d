//! Port: reading of the ZIP files that people send.

use bytes::Bytes;
use domain::check::{ZipBounds, ZipError};

/// Port: the files of a ZIP.
pub trait ZipReader: Send + Sync {
    /// Reads the directory of a ZIP. The file may be hostile: memory and time MUST be bounded by its size and by
    /// `bounds`, whatever its directory says, and no name of a file in it may be taken for a path. MUST refuse a ZIP
    /// out of which programs take different files ([`domain::check::ZipEntry::of`]).
    ///
    /// # Errors
    /// [`ZipError::Damaged`], [`ZipError::TooManyFiles`].
    fn open(&self, zip: Bytes, bounds: ZipBounds) -> Result<Box<dyn ZipFiles>, ZipError>;
}

/// The files of a ZIP, one after the other: only one is in memory at a time.
pub trait ZipFiles: Send {
    /// Inflates the next file that is no litter ([`domain::check::ZipEntry::is_litter`]); `None` after the last one. One
    /// that can't be read spoils none of the others.
    fn next_file(&mut self) -> Option<ZippedFile>;
}

/// A file of a ZIP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZippedFile {
    /// Its name, as the ZIP has it.
    pub name: String,
    /// Its content, or the reason why it can't be read.
    pub content: Result<Bytes, ZipError>,
}
