//! Uploaded ZIP files: size limits, and reasons why they are refused.

use super::{CheckReason, MAX_FILE_BYTES};
use crate::batches::bank_file::MAX_LINES;

mod entry;
mod records;

pub use entry::{ZipEntry, ZipMethod};

/// Limits on a ZIP and on the files in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZipBounds {
    /// Maximum number of entries, including folders and metadata files of operating systems.
    pub entries: usize,
    /// Maximum number of files, without folders and metadata files of operating systems.
    pub files: usize,
    /// Maximum uncompressed size of a file in bytes.
    pub file_bytes: usize,
    /// Maximum uncompressed size of all files together in bytes.
    pub all_bytes: usize,
    /// Maximum compression ratio of files of more than [`Self::SMALL`] bytes.
    pub ratio: usize,
}

impl ZipBounds {
    /// Size in bytes up to which a file may have any compression ratio.
    pub const SMALL: usize = 64 * 1024;

    /// Limits for a ZIP whose proofs are checked. A proof has about 30 KiB as PDF, and compresses to
    /// between a half and a fifth.
    pub const OF_CHECKS: Self = Self {
        entries: 4 * 50,
        files: 50,
        file_bytes: MAX_FILE_BYTES,
        all_bytes: 8 * MAX_FILE_BYTES,
        ratio: 100,
    };

    /// Limits for a ZIP from the bank's own batch page: at most 500 payments, each with an XML and a
    /// PDF, and a summary. macOS adds a file for each, and there are folders.
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
    /// The ZIP is truncated, damaged, or read differently by different programs.
    #[error("a damaged ZIP")]
    Damaged,
    /// The ZIP has more files than [`ZipBounds::files`], or more entries than [`ZipBounds::entries`].
    #[error("a ZIP of too many files")]
    TooManyFiles,
    /// The file is larger than [`ZipBounds::file_bytes`].
    #[error("a file of too many bytes")]
    FileTooLarge,
    /// The file and those before it are together larger than [`ZipBounds::all_bytes`].
    #[error("files of too many bytes together")]
    FilesTooLarge,
    /// The compression ratio is higher than [`ZipBounds::ratio`].
    #[error("a file that is deflated more than any proof")]
    TooDeflated,
    /// The file is encrypted.
    #[error("an encrypted file")]
    Encrypted,
    /// The file is compressed with a method other than Deflate.
    #[error("a file of an unsupported method")]
    Method,
    /// The entry is a symbolic link, or a folder with the name of a file.
    #[error("an entry that is no file")]
    NotAFile,
    /// The compressed data is damaged.
    #[error("a file that can't be inflated")]
    Unreadable,
}

impl ZipError {
    /// The reason that the API reports.
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
