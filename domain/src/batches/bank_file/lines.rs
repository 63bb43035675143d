//! Files for the bank's own batch page: one payment per line, no header.

use crate::query::ProofQuery;
use crate::transfer::Transfer;

/// Minimum number of lines in a file; the page refuses a single line.
pub const MIN_LINES: usize = 2;
/// Maximum number of lines in a file.
pub const MAX_LINES: usize = 500;

/// A payment as a line of the bank's file, without the line break.
#[derive(Clone, PartialEq, Eq)]
pub struct BankLine(String);

/// Reason why a payment can't be written to the bank's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BankLineError {
    /// The issuer isn't known.
    #[error("the issuer is not known; name emisor")]
    NoIssuer,
    /// The receiver isn't known.
    #[error("the receiver is not known; name receptor")]
    NoReceiver,
    /// Issuer and receiver are the same institution; such a payment has no proof.
    #[error("issuer and receiver are the same institution")]
    SameInstitution,
    /// Only the reference number is known, which the format doesn't take.
    #[error("the bank's file takes no reference number; look it up by itself")]
    NoTrackingKey,
    /// The tracking key contains a comma, the file's separator, and the format has no quotes.
    #[error(
        "the tracking key holds a comma, which the bank's file can't carry; look it up by itself"
    )]
    Comma,
}

impl BankLine {
    /// Formats a transfer: `AAAA-MM-DD,clave,emisor,receptor,cuenta,monto`. The date is the calendar
    /// date in Mexico City.
    ///
    /// # Errors
    /// [`BankLineError::NoTrackingKey`], [`BankLineError::Comma`].
    pub fn of_transfer(transfer: &Transfer) -> Result<Self, BankLineError> {
        let key = transfer
            .tracking_key()
            .ok_or(BankLineError::NoTrackingKey)?;
        let key = key.as_str();
        if key.contains(',') {
            return Err(BankLineError::Comma);
        }
        Ok(Self(format!(
            "{},{key},{},{},{},{}",
            transfer.date(),
            transfer.issuer(),
            transfer.receiver(),
            transfer.account().as_str(),
            transfer.amount(),
        )))
    }

    /// Formats a query that names both institutions.
    ///
    /// # Errors
    /// See [`BankLineError`].
    pub fn of_query(query: &ProofQuery) -> Result<Self, BankLineError> {
        let transfer = Transfer::new(
            query.date,
            query.criterion.clone(),
            query.account.clone(),
            query.amount,
            query.issuer.ok_or(BankLineError::NoIssuer)?,
            query.receiver.ok_or(BankLineError::NoReceiver)?,
        );
        Self::of_transfer(&transfer.map_err(|_| BankLineError::SameInstitution)?)
    }

    /// The line, without the line break.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Redacted, because the line is personal data.
impl std::fmt::Debug for BankLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BankLine(redacted)")
    }
}

/// Error of a file with fewer than [`MIN_LINES`] lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the bank takes files of {MIN_LINES} lines or more, and there are {lines}; look it up by itself"
)]
pub struct TooFewLines {
    /// Number of lines that were given.
    pub lines: usize,
}

/// Iterator that splits lines into as few files as the bank allows, with lengths that differ by at most
/// one.
#[derive(Clone, Debug)]
pub struct BankFiles<'a> {
    rest: &'a [BankLine],
    files: usize,
}

impl<'a> BankFiles<'a> {
    /// Splits the lines into files of at most [`MAX_LINES`].
    ///
    /// # Errors
    /// [`TooFewLines`] for fewer than [`MIN_LINES`] lines.
    pub fn new(lines: &'a [BankLine]) -> Result<Self, TooFewLines> {
        if lines.len() < MIN_LINES {
            return Err(TooFewLines { lines: lines.len() });
        }
        Ok(Self {
            rest: lines,
            files: lines.len().div_ceil(MAX_LINES),
        })
    }
}

/// Yields the text of each file, in the order of the lines; lines end with CR LF.
impl Iterator for BankFiles<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let length = self.rest.len().checked_div(self.files)?;
        let (lines, rest) = self.rest.split_at(length);
        self.rest = rest;
        self.files -= 1;
        let lines = lines.iter().flat_map(|line| [line.as_str(), "\r\n"]);
        Some(lines.collect())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.files, Some(self.files))
    }
}

impl ExactSizeIterator for BankFiles<'_> {}

#[cfg(test)]
mod tests;
