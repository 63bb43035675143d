//! Files of a ZIP that somebody sent: read one at a time, within bounds, and never unpacked to a disk.
//!
//! A file with a fault is given as one and spoils no other. Sizes are checked as the directory of the archive
//! says them, and again while a file is inflated. That takes a while: it is no work for a thread that serves
//! requests.

use std::borrow::Cow;
use std::io::{Cursor, Read as _};

use bytes::Bytes;
use domain::file::{EntryKind, EntryName};
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

/// Bounds of an archive's files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ZipBounds {
    /// Most files and folders.
    pub(crate) entries: usize,
    /// Most bytes of a file, inflated.
    pub(crate) file_bytes: u64,
    /// Most bytes of all files, inflated. Those that don't fit aren't read.
    pub(crate) all_bytes: u64,
}

/// Most inflated bytes for each deflated one, of files of more than [`SMALL`]. A proof is deflated to half or
/// a fifth.
const MAX_RATIO: u64 = 100;
/// Bytes up to which a file may have any ratio.
const SMALL: u64 = 64 * 1024;

/// First bytes of a central directory's entry (APPNOTE.TXT, 4.3.12).
const ENTRY_SIGNATURE: &[u8] = b"PK\x01\x02";
/// First bytes of a file in an archive (4.3.7), and of an empty archive (4.3.16).
const ARCHIVE_SIGNATURES: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// Reason why nothing of an archive is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ZipFault {
    #[error("the file is no ZIP")]
    NotAZip,
    #[error("the ZIP is cut off or contradicts itself")]
    Damaged,
    #[error("the ZIP has more than {most} files")]
    TooManyEntries { most: usize },
}

/// Reason why a file of an archive isn't read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryProblem {
    /// It is damaged, or isn't what the directory says.
    Damaged,
    Encrypted,
    /// It is neither stored nor deflated.
    Method,
    /// It is larger than a file may be, or deflated more than any honest one.
    TooLarge,
    /// It doesn't fit within the bound of all files.
    DoesNotFit,
    /// It is a ZIP itself.
    Nested,
    /// It is a link.
    NotAFile,
}

/// A file of an archive.
#[derive(Debug)]
pub(crate) struct ZippedFile {
    pub(crate) name: EntryName,
    pub(crate) kind: EntryKind,
    pub(crate) content: Result<Bytes, EntryProblem>,
}

/// Iterator over the files of an archive, without folders, and without those that a system left there.
pub(crate) struct ZipEntries {
    archive: ZipArchive<Cursor<Bytes>>,
    file_bytes: u64,
    /// Bytes that may still be inflated.
    left: u64,
    next: usize,
}

/// Returns `true` if the first bytes are those of a ZIP.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    ARCHIVE_SIGNATURES
        .iter()
        .any(|signature| bytes.starts_with(signature))
}

impl ZipEntries {
    /// Reads the directory of an archive.
    pub(crate) fn open(file: Bytes, bounds: ZipBounds) -> Result<Self, ZipFault> {
        if !is_zip(&file) {
            return Err(ZipFault::NotAZip);
        }
        // Reading a directory takes memory for each of its entries, so they are counted first.
        let entries = file
            .windows(ENTRY_SIGNATURE.len())
            .filter(|window| *window == ENTRY_SIGNATURE);
        let most = bounds.entries;
        if entries.take(most + 1).count() > most {
            return Err(ZipFault::TooManyEntries { most });
        }
        let mut archive = ZipArchive::new(Cursor::new(file)).map_err(|_| ZipFault::Damaged)?;
        // One of two files with one name isn't seen; files that overlap are no honest program's. A file whose
        // place can't be read is a fault of its own.
        if archive.has_duplicate_names() || archive.has_overlapping_entries().unwrap_or(false) {
            return Err(ZipFault::Damaged);
        }
        Ok(Self {
            archive,
            file_bytes: bounds.file_bytes,
            left: bounds.all_bytes,
            next: 0,
        })
    }

    fn read(&mut self, index: usize) -> Result<Bytes, EntryProblem> {
        use EntryProblem as Problem;
        let said = self.archive.by_index_data(index);
        let said = said.map_err(|_| Problem::Damaged)?;
        let (size, deflated) = (said.size(), said.compressed_size());
        if !said.is_file() {
            return Err(Problem::NotAFile);
        }
        if said.encrypted() {
            return Err(Problem::Encrypted);
        }
        let methods = [CompressionMethod::Stored, CompressionMethod::Deflated];
        if !methods.contains(&said.compression()) {
            return Err(Problem::Method);
        }
        self.check_sizes(size, deflated)?;
        let entry = self.archive.by_index(index).map_err(|error| match error {
            ZipError::CompressionMethodNotSupported(_) => Problem::Method,
            _ => Problem::Damaged,
        })?;
        let mut bytes = Vec::new();
        // One byte more than it says tells that there is more.
        let read = entry.take(size + 1).read_to_end(&mut bytes);
        let length = bytes.len() as u64;
        self.left = self.left.saturating_sub(length);
        if read.is_err() || length != size {
            return Err(Problem::Damaged);
        }
        if is_zip(&bytes) {
            return Err(Problem::Nested);
        }
        Ok(bytes.into())
    }

    fn check_sizes(&self, size: u64, deflated: u64) -> Result<(), EntryProblem> {
        let is_bomb = size > SMALL && size / MAX_RATIO > deflated;
        if size > self.file_bytes || is_bomb {
            return Err(EntryProblem::TooLarge);
        }
        if size > self.left {
            return Err(EntryProblem::DoesNotFit);
        }
        Ok(())
    }
}

impl Iterator for ZipEntries {
    type Item = ZippedFile;

    fn next(&mut self) -> Option<ZippedFile> {
        while self.next < self.archive.len() {
            let index = self.next;
            self.next += 1;
            let Ok(entry) = self.archive.by_index_data(index) else {
                continue;
            };
            // macOS writes UTF-8 without saying so.
            let raw = entry.name_raw();
            let name = match str::from_utf8(raw) {
                Ok(name) => Cow::Borrowed(name),
                Err(_) => entry
                    .name()
                    .unwrap_or_else(|_| String::from_utf8_lossy(raw)),
            };
            let (name, kind) = (EntryName::of(&name), EntryKind::of(&name));
            if entry.is_dir() || kind == EntryKind::Litter {
                continue;
            }
            return Some(ZippedFile {
                name,
                kind,
                content: self.read(index),
            });
        }
        None
    }
}

#[cfg(test)]
mod tests;
