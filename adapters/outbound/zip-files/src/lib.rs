//! ZIP files: their files, one after the other.
//!
//! The files are hostile until the contrary is shown. A directory takes memory for each of its entries, so they
//! are counted before it is read; a file's sizes are believed only as far as what is inflated confirms them.
#![warn(missing_docs)]

use std::io::{Cursor, Read as _};

use bytes::Bytes;
use domain::check::{ZipBounds, ZipError};
use domain::file::EntryKind;
use ports::outbound::{ZipFiles, ZipReader, ZippedFile};
use zip::ZipArchive;

/// First bytes of a directory's entry (APPNOTE.TXT, 4.3.12).
const ENTRY_SIGNATURE: &[u8] = b"PK\x01\x02";
/// Most entries of a directory for each file that is read: folders, and what macOS adds to each file.
const ENTRIES_OF_A_FILE: usize = 4;

/// Reader of ZIP files.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeflatedZip;

impl ZipReader for DeflatedZip {
    fn open(&self, zip: Bytes, bounds: ZipBounds) -> Result<Box<dyn ZipFiles>, ZipError> {
        let most = bounds.files.saturating_mul(ENTRIES_OF_A_FILE);
        let entries = zip
            .windows(ENTRY_SIGNATURE.len())
            .filter(|window| *window == ENTRY_SIGNATURE);
        if entries.take(most + 1).count() > most {
            return Err(ZipError::TooManyFiles);
        }
        let mut archive = ZipArchive::new(Cursor::new(zip)).map_err(|_| ZipError::Damaged)?;
        // Programs differ in which of two files with one name they take out, and in where a ZIP behind other
        // bytes begins.
        let is_ambiguous = archive.has_duplicate_names() || archive.offset() != 0;
        if is_ambiguous || archive.has_overlapping_entries().unwrap_or(true) {
            return Err(ZipError::Damaged);
        }
        let mut files = Vec::new();
        for index in 0..archive.len() {
            let entry = archive
                .by_index_data(index)
                .map_err(|_| ZipError::Damaged)?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            if entry.is_file() && EntryKind::of(&name) != EntryKind::Litter {
                files.push((index, name));
            }
        }
        if files.len() > bounds.files {
            return Err(ZipError::TooManyFiles);
        }
        Ok(Box::new(Files {
            archive,
            rest: files.into_iter(),
            bounds,
            inflated: 0,
        }))
    }
}

struct Files {
    archive: ZipArchive<Cursor<Bytes>>,
    /// The files that are left, by their places in the directory.
    rest: std::vec::IntoIter<(usize, String)>,
    bounds: ZipBounds,
    /// Bytes inflated so far.
    inflated: usize,
}

impl ZipFiles for Files {
    fn next_file(&mut self) -> Option<ZippedFile> {
        let (index, name) = self.rest.next()?;
        let content = self.content(index);
        Some(ZippedFile { name, content })
    }
}

impl Files {
    fn content(&mut self, index: usize) -> Result<Bytes, ZipError> {
        let ZipBounds {
            file_bytes,
            all_bytes,
            ..
        } = self.bounds;
        let data = self.archive.by_index_data(index);
        if data.map_err(|_| ZipError::Unreadable)?.encrypted() {
            return Err(ZipError::Encrypted);
        }
        let entry = self.archive.by_index(index);
        let entry = entry.map_err(|_| ZipError::Unreadable)?;
        let (size, deflated) = (entry.size(), entry.compressed_size());
        if size > file_bytes as u64 {
            return Err(ZipError::FileTooLarge);
        }
        if is_too_deflated(size, deflated, self.bounds) {
            return Err(ZipError::TooDeflated);
        }
        let most = file_bytes.min(all_bytes.saturating_sub(self.inflated));
        let mut bytes = Vec::new();
        // One byte more than the most tells that there is more.
        let read = entry.take(most as u64 + 1).read_to_end(&mut bytes);
        self.inflated = self.inflated.saturating_add(bytes.len());
        read.map_err(|_| ZipError::Unreadable)?;
        if bytes.len() > file_bytes {
            return Err(ZipError::FileTooLarge);
        }
        if bytes.len() > most {
            return Err(ZipError::FilesTooLarge);
        }
        if bytes.len() as u64 != size {
            return Err(ZipError::Unreadable);
        }
        Ok(bytes.into())
    }
}

fn is_too_deflated(inflated: u64, deflated: u64, bounds: ZipBounds) -> bool {
    inflated > ZipBounds::SMALL as u64 && inflated / bounds.ratio as u64 > deflated
}
