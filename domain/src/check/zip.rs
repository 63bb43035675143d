//! ZIP files that people send in place of a proof: their bounds, and their faults.

use super::{CheckReason, MAX_FILE_BYTES};
use crate::batch::bank_file::MAX_LINES;

mod entry;
mod records;

pub use entry::{ZipEntry, ZipMethod};

/// Bounds of a ZIP and of the files in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZipBounds {
    /// Most entries, folders and litter among them.
    pub entries: usize,
    /// Most files that aren't litter.
    pub files: usize,
    /// Most bytes of a file, inflated.
    pub file_bytes: usize,
    /// Most bytes of all files together, inflated.
    pub all_bytes: usize,
    /// Most inflated bytes for each deflated one, of files of more than [`Self::SMALL`] bytes.
    pub ratio: usize,
}

impl ZipBounds {
    /// Bytes up to which a file may have any ratio.
    pub const SMALL: usize = 64 * 1024;

    /// Bounds of a ZIP whose proofs are checked. A proof has some 30 KiB as PDF, and is deflated to half or a
    /// fifth.
    pub const OF_CHECKS: Self = Self {
        entries: 4 * 50,
        files: 50,
        file_bytes: MAX_FILE_BYTES,
        all_bytes: 8 * MAX_FILE_BYTES,
        ratio: 100,
    };

    /// Bounds of the ZIP of the bank's own batch. That has at most 500 payments, each with an XML and a PDF, and a
    /// summary; macOS adds a file to each, and there are folders.
    pub const OF_IMPORTS: Self = Self {
        entries: 5 * MAX_LINES,
        files: 5 * MAX_LINES,
        file_bytes: MAX_FILE_BYTES,
        all_bytes: 128 * MAX_FILE_BYTES,
        ratio: 100,
    };
}

/// Reason why a ZIP, or a file in it, isn't read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ZipError {
    /// Cut off, damaged, or read differently by different programs.
    #[error("a damaged ZIP")]
    Damaged,
    /// More files than [`ZipBounds::files`], or more entries than [`ZipBounds::entries`].
    #[error("a ZIP of too many files")]
    TooManyFiles,
    /// More bytes than [`ZipBounds::file_bytes`].
    #[error("a file of too many bytes")]
    FileTooLarge,
    /// With the files before it, more bytes than [`ZipBounds::all_bytes`].
    #[error("files of too many bytes together")]
    FilesTooLarge,
    /// Deflated more than [`ZipBounds::ratio`] times.
    #[error("a file that is deflated more than any proof")]
    TooDeflated,
    /// Encrypted.
    #[error("an encrypted file")]
    Encrypted,
    /// Compressed by another method than Deflate.
    #[error("a file of an unsupported method")]
    Method,
    /// A link, or a folder whose name is that of a file.
    #[error("an entry that is no file")]
    NotAFile,
    /// Damaged.
    #[error("a file that can't be inflated")]
    Unreadable,
}

impl ZipError {
    /// The reason, as it is told.
    pub fn reason(self) -> CheckReason {
        match self {
            Self::Damaged => CheckReason::DamagedZip,
            Self::TooManyFiles | Self::FilesTooLarge => CheckReason::ZipTooLarge,
            Self::FileTooLarge => CheckReason::TooLarge,
            Self::TooDeflated => CheckReason::TooDeflated,
            Self::Encrypted => CheckReason::EncryptedEntry,
            Self::Unreadable | Self::Method | Self::NotAFile => CheckReason::UnreadableEntry,
        }
    }
}
