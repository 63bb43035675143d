//! Bounds on what a ZIP inflates to.

use std::io::{self, Read, Seek};

use domain::batches::sheet::WorkbookError;
use zip::ZipArchive;
use zip::result::ZipError;

/// Maximum number of parts.
const PARTS: usize = 1_000;
/// Maximum size of all parts once they are inflated, which bounds the time that parsing takes: the parser can't be
/// stopped. Ten thousand rows of twenty columns have about 10 MiB.
const INFLATED: u64 = 32 << 20;
/// Maximum size of the shared texts once they are inflated: all of them are in memory, each in one of its own.
const SHARED_TEXTS: u64 = 16 << 20;

/// Inflates all parts without keeping them, and counts their bytes: their declared sizes may be lies.
pub(crate) fn check(archive: &mut ZipArchive<impl Read + Seek>) -> Result<(), WorkbookError> {
    if archive.len() > PARTS {
        return Err(WorkbookError::TooLarge);
    }
    let mut left = INFLATED;
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
        let inflated = io::copy(&mut part.take(most + 1), &mut io::sink());
        let inflated = inflated.map_err(|_| WorkbookError::Unreadable)?;
        if inflated > most {
            return Err(WorkbookError::TooLarge);
        }
        left -= inflated;
    }
    Ok(())
}

pub(crate) fn of_zip(error: &ZipError) -> WorkbookError {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => WorkbookError::Encrypted,
        _ => WorkbookError::Unreadable,
    }
}
