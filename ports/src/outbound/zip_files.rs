//! Port: reading of ZIP files that users upload.

use bytes::Bytes;
use domain::proofs::check::{ZipBounds, ZipError};

/// Port: reader of ZIP files.
pub trait ZipReader: Send + Sync {
    /// Reads the directory of a ZIP file. The file may be hostile: memory and time MUST be bounded by its
    /// size and by `bounds`, whatever its directory says, and file names in it MUST NOT be used as paths.
    /// MUST refuse ZIP files that different programs extract differently ([`domain::proofs::check::ZipEntry::of`]).
    ///
    /// # Errors
    /// [`ZipError::Damaged`], [`ZipError::TooManyFiles`].
    fn open(&self, zip: Bytes, bounds: ZipBounds) -> Result<Box<dyn ZipFiles>, ZipError>;
}

/// The files of a ZIP, read one after another, so that only one is in memory at a time.
pub trait ZipFiles: Send {
    /// Inflates the next file, skipping metadata of operating systems
    /// ([`domain::proofs::check::ZipEntry::is_litter`]); `None` after the last one. A file that can't be read doesn't
    /// affect the others.
    fn next_file(&mut self) -> Option<ZippedFile>;
}

/// A file in a ZIP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZippedFile {
    /// Its name, as recorded in the ZIP.
    pub name: String,
    /// Its inflated content, or the reason why it can't be read.
    pub content: Result<Bytes, ZipError>,
}
