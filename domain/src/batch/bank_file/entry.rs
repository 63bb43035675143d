//! Names in the ZIP that the bank mails. They say which payment a file is of, and are never paths.

use chrono::NaiveDate;

use crate::calendar;
use crate::file::Format;
use crate::tracking_key::TrackingKey;

/// Longest name, in bytes; the bank's have at most 46.
const MAX_NAME_LENGTH: usize = 100;

/// Name of the list of all payments in the ZIP.
const SUMMARY: &str = "resumen.txt";

/// Meaning of a name in the bank's ZIP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryName {
    /// A file of a proof: `[AAAA-MM-DD]clave.xml` or `.pdf`.
    Proof {
        /// The date of the payment.
        date: NaiveDate,
        /// Its tracking key.
        tracking_key: TrackingKey,
        /// The file's format.
        format: Format,
    },
    /// The list of all payments, `resumen.txt`.
    Summary,
}

/// Reason why a name isn't one of the bank's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryNameError {
    /// A name that leads elsewhere, or could on some system: folders, `..`, a drive.
    #[error("is a path")]
    Path,
    /// A NUL, another control character, or bytes that aren't UTF-8.
    #[error("has characters that no file name of the bank has")]
    Character,
    /// Longer than any name of the bank.
    #[error("has more than {MAX_NAME_LENGTH} bytes")]
    TooLong,
    /// None of the bank's names.
    #[error("is neither [AAAA-MM-DD]clave.xml nor [AAAA-MM-DD]clave.pdf nor resumen.txt")]
    Unknown,
}

impl EntryNameError {
    /// Returns `true` for a name that no honest archive has.
    pub fn is_hostile(self) -> bool {
        !matches!(self, Self::Unknown)
    }
}

impl EntryName {
    /// Reads a name.
    ///
    /// # Errors
    /// See [`EntryNameError`].
    pub fn parse(name: &[u8]) -> Result<Self, EntryNameError> {
        if name.len() > MAX_NAME_LENGTH {
            return Err(EntryNameError::TooLong);
        }
        let name = str::from_utf8(name).map_err(|_| EntryNameError::Character)?;
        if name.chars().any(char::is_control) {
            return Err(EntryNameError::Character);
        }
        let is_drive = name.as_bytes().get(1) == Some(&b':');
        if name.contains(['/', '\\']) || is_drive || matches!(name, "." | "..") {
            return Err(EntryNameError::Path);
        }
        if name.eq_ignore_ascii_case(SUMMARY) {
            return Ok(Self::Summary);
        }
        Self::of_proof(name).ok_or(EntryNameError::Unknown)
    }

    fn of_proof(name: &str) -> Option<Self> {
        let (date, rest) = name.strip_prefix('[')?.split_once(']')?;
        let (key, extension) = rest.rsplit_once('.')?;
        let format = [Format::Xml, Format::Pdf]
            .into_iter()
            .find(|format| extension.eq_ignore_ascii_case(format.extension()))?;
        Some(Self::Proof {
            date: calendar::parse_date(date).ok()?,
            tracking_key: TrackingKey::parse(key).ok()?,
            format,
        })
    }
}

#[cfg(test)]
mod tests;
