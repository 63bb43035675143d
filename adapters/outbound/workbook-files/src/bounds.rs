//! Bounds on what a ZIP inflates to.

use std::io::{self, Cursor, Read};

use bytes::Bytes;
use domain::batches::sheet::WorkbookError;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::contents::Contents;

/// Beginning of an entry of the directory.
const ENTRY: &[u8] = b"PK\x01\x02";
/// Maximum number of parts.
const PARTS: usize = 1_000;
/// Maximum size of all parts once they are inflated, which bounds the time that parsing takes: the parser can't be
/// stopped. Ten thousand rows of twenty columns have about 10 MiB.
const INFLATED: u64 = 32 << 20;
/// Maximum size of the shared texts once they are inflated: all of them are in memory, each in one of its own.
const SHARED_TEXTS: u64 = 16 << 20;

/// Opens a ZIP and inflates all parts without keeping them, and counts their bytes and what they hold: their declared
/// sizes may be lies.
pub(crate) fn open(file: Bytes) -> Result<ZipArchive<Cursor<Bytes>>, WorkbookError> {
    // The directory is in memory once it is open. A ZIP within the ZIP may have entries, too.
    let entries = file.windows(ENTRY.len()).filter(|it| *it == ENTRY);
    if entries.count() > 2 * PARTS {
        return Err(WorkbookError::TooLarge);
    }
    let mut archive = ZipArchive::new(Cursor::new(file)).map_err(|error| of_zip(&error))?;
    if archive.len() > PARTS {
        return Err(WorkbookError::TooLarge);
    }
    let (mut left, mut contents) = (INFLATED, Contents::default());
    for index in 0..archive.len() {
        let part = archive.by_index(index).map_err(|error| of_zip(&error))?;
        let name = part
            .name()
            .map_err(|error| of_zip(&error))?
            .to_ascii_lowercase();
        let is_shared = name.ends_with("sharedstrings.xml");
        let most = if is_shared {
            left.min(SHARED_TEXTS)
        } else {
            left
        };
        let mut part = part.take(most + 1);
        contents.add(&mut part)?;
        io::copy(&mut part, &mut io::sink()).map_err(|_| WorkbookError::Unreadable)?;
        let inflated = most + 1 - part.limit();
        if inflated > most {
            return Err(WorkbookError::TooLarge);
        }
        left -= inflated;
    }
    Ok(archive)
}

pub(crate) fn of_zip(error: &ZipError) -> WorkbookError {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => WorkbookError::Encrypted,
        _ => WorkbookError::Unreadable,
    }
}
