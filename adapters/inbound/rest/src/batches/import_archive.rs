//! The ZIP that the central bank mails, as somebody uploads it: read within bounds, and never unpacked to a
//! disk.
//!
//! Everything that the directory of the archive says is checked before a byte is inflated; its sizes are
//! checked again while files are read, one at a time. An archive with a fault is refused as a whole. The
//! work takes a while: it is none for a thread that serves requests.

use std::io::{Cursor, Read as _};

use bytes::Bytes;
use domain::batch::bank_file::{EntryName, EntryNameError};
use domain::check::MAX_FILE_BYTES;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

/// Largest archive that is read: 500 payments have about 16 MiB of PDFs.
pub(crate) const MAX_ARCHIVE_BYTES: usize = 64 * 1024 * 1024;

/// Bounds of an archive's parts.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Most files.
    files: usize,
    /// Most bytes of a file, inflated.
    file_bytes: u64,
    /// Most bytes of all files, inflated.
    all_bytes: u64,
    /// Most inflated bytes for each deflated one, of files of more than [`SMALL`].
    ratio: u64,
}

/// A batch of the bank has at most 500 payments, each with an XML and a PDF, and a summary. A proof has some
/// 30 KiB and is deflated to half or a fifth.
const BOUNDS: Bounds = Bounds {
    files: 2 * domain::batch::bank_file::MAX_LINES + 1,
    file_bytes: MAX_FILE_BYTES as u64,
    all_bytes: 128 * 1024 * 1024,
    ratio: 100,
};

/// Bytes up to which a file may have any ratio.
const SMALL: u64 = 64 * 1024;

/// First bytes of a central directory's entry (APPNOTE.TXT, 4.3.12).
const ENTRY_SIGNATURE: &[u8] = b"PK\x01\x02";
/// First bytes of a file in an archive (4.3.7), and of an empty archive (4.3.16).
const ARCHIVE_SIGNATURES: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// Reason why an archive is refused. Files are counted from 1, in the order of its directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ImportArchiveError {
    #[error("the file is no ZIP; send the one that the bank's link gives")]
    NotAZip,
    #[error("the ZIP is cut off or damaged; download it again")]
    Truncated,
    #[error("the ZIP has more than {MAX_ARCHIVE_BYTES} bytes")]
    TooLarge,
    #[error("the ZIP has more than {most} files")]
    TooManyFiles { most: usize },
    #[error("file {number} of the ZIP has more than {most} bytes")]
    FileTooLarge { number: usize, most: u64 },
    #[error("the files of the ZIP have more than {most} bytes together")]
    FilesTooLarge { most: u64 },
    #[error("file {number} of the ZIP is deflated more than {most} times")]
    Ratio { number: usize, most: u64 },
    #[error("file {number} of the ZIP is a ZIP itself; send that one")]
    Nested { number: usize },
    #[error("file {number} of the ZIP is encrypted; send the ZIP as it was downloaded")]
    Encrypted { number: usize },
    #[error("file {number} of the ZIP is compressed by a method that is not read; use Deflate")]
    Method { number: usize },
    #[error("two files of the ZIP have one name")]
    DuplicateNames,
    #[error("files of the ZIP overlap")]
    Overlap,
    #[error("the ZIP contradicts itself: its directory says other than its files")]
    Inconsistent,
    #[error("the name of file {number} of the ZIP {problem}")]
    HostileName {
        number: usize,
        problem: EntryNameError,
    },
    #[error("entry {number} of the ZIP is a folder or a link, not a file")]
    NotAFile { number: usize },
    #[error("file {number} of the ZIP is damaged; download the ZIP again")]
    DamagedFile { number: usize },
}

/// A file of the archive.
#[derive(Debug)]
pub(crate) struct ImportedFile {
    /// Its name; `None` for one that the bank doesn't give.
    pub(crate) name: Option<EntryName>,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
}

/// An archive, and an iterator over its files. After an error there are none.
pub(crate) struct ImportArchive {
    archive: ZipArchive<Cursor<Bytes>>,
    bounds: Bounds,
    next: usize,
    /// Bytes inflated so far.
    inflated: u64,
}

impl ImportArchive {
    /// Reads the directory of an archive, and checks all of it.
    pub(crate) fn open(file: Bytes) -> Result<Self, ImportArchiveError> {
        Self::within(BOUNDS, file)
    }

    fn within(bounds: Bounds, file: Bytes) -> Result<Self, ImportArchiveError> {
        use ImportArchiveError as Error;
        if file.len() > MAX_ARCHIVE_BYTES {
            return Err(Error::TooLarge);
        }
        if !is_archive(&file) {
            return Err(Error::NotAZip);
        }
        // Reading a directory takes memory for each of its entries, so they are counted first.
        let entries = file
            .windows(ENTRY_SIGNATURE.len())
            .filter(|window| *window == ENTRY_SIGNATURE);
        if entries.take(bounds.files + 1).count() > bounds.files {
            return Err(Error::TooManyFiles { most: bounds.files });
        }
        let mut archive = ZipArchive::new(Cursor::new(file)).map_err(|_| Error::Truncated)?;
        if archive.has_duplicate_names() {
            return Err(Error::DuplicateNames);
        }
        check_entries(&archive, bounds)?;
        if archive
            .has_overlapping_entries()
            .map_err(|_| Error::Truncated)?
        {
            return Err(Error::Overlap);
        }
        archive
            .validate_header_consistency()
            .map_err(|_| Error::Inconsistent)?;
        Ok(Self {
            archive,
            bounds,
            next: 0,
            inflated: 0,
        })
    }

    fn read(&mut self, index: usize) -> Result<ImportedFile, ImportArchiveError> {
        use ImportArchiveError as Error;
        let number = index + 1;
        let Bounds {
            file_bytes,
            all_bytes,
            ..
        } = self.bounds;
        let entry = self.archive.by_index(index).map_err(|error| match error {
            ZipError::CompressionMethodNotSupported(_) => Error::Method { number },
            _ => Error::DamagedFile { number },
        })?;
        let name = EntryName::parse(entry.name_raw()).ok();
        let (size, deflated) = (entry.size(), entry.compressed_size());
        let mut bytes = Vec::new();
        let most = file_bytes.min(all_bytes - self.inflated);
        // One byte more than the most tells that there is more.
        entry
            .take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(|_| Error::DamagedFile { number })?;
        let length = bytes.len() as u64;
        if length > file_bytes {
            return Err(Error::FileTooLarge {
                number,
                most: file_bytes,
            });
        }
        if length > most {
            return Err(Error::FilesTooLarge { most: all_bytes });
        }
        self.inflated += length;
        check_ratio(number, length, deflated, self.bounds)?;
        if length != size {
            return Err(Error::DamagedFile { number });
        }
        if is_archive(&bytes) {
            return Err(Error::Nested { number });
        }
        Ok(ImportedFile { name, bytes })
    }
}

impl Iterator for ImportArchive {
    type Item = Result<ImportedFile, ImportArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.archive.len() {
            return None;
        }
        let index = self.next;
        self.next += 1;
        let file = self.read(index);
        if file.is_err() {
            self.next = self.archive.len();
        }
        Some(file)
    }
}

/// Checks what the directory says of each file: its name, its kind, and its sizes.
fn check_entries(
    archive: &ZipArchive<Cursor<Bytes>>,
    bounds: Bounds,
) -> Result<(), ImportArchiveError> {
    use ImportArchiveError as Error;
    let mut total = 0_u64;
    for index in 0..archive.len() {
        let number = index + 1;
        let entry = archive.by_index_data(index).map_err(|_| Error::Truncated)?;
        match EntryName::parse(entry.name_raw()) {
            Err(problem) if problem.is_hostile() => {
                return Err(Error::HostileName { number, problem });
            }
            _ => {}
        }
        if !entry.is_file() {
            return Err(Error::NotAFile { number });
        }
        if entry.encrypted() {
            return Err(Error::Encrypted { number });
        }
        let methods = [CompressionMethod::Stored, CompressionMethod::Deflated];
        if !methods.contains(&entry.compression()) {
            return Err(Error::Method { number });
        }
        if entry.size() > bounds.file_bytes {
            let most = bounds.file_bytes;
            return Err(Error::FileTooLarge { number, most });
        }
        total += entry.size();
        if total > bounds.all_bytes {
            let most = bounds.all_bytes;
            return Err(Error::FilesTooLarge { most });
        }
        check_ratio(number, entry.size(), entry.compressed_size(), bounds)?;
    }
    Ok(())
}

fn check_ratio(
    number: usize,
    inflated: u64,
    deflated: u64,
    bounds: Bounds,
) -> Result<(), ImportArchiveError> {
    if inflated > SMALL && inflated / bounds.ratio > deflated {
        let most = bounds.ratio;
        return Err(ImportArchiveError::Ratio { number, most });
    }
    Ok(())
}

fn is_archive(bytes: &[u8]) -> bool {
    ARCHIVE_SIGNATURES
        .iter()
        .any(|signature| bytes.starts_with(signature))
}

#[cfg(test)]
mod tests;
