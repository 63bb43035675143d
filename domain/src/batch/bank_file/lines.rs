//! The files that the bank's page takes: a payment in each line, and no header.

use crate::query::ProofQuery;
use crate::transfer::Transfer;

/// Fewest lines of a file: the page refuses one line.
pub const MIN_LINES: usize = 2;
/// Most lines of a file.
pub const MAX_LINES: usize = 500;

/// A payment as a line of the bank's file, without the line's end.
#[derive(Clone, PartialEq, Eq)]
pub struct BankLine(String);

/// Reason why a payment can't stand in the bank's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BankLineError {
    /// The issuer isn't known.
    #[error("the issuer is not known; name emisor")]
    NoIssuer,
    /// The receiver isn't known.
    #[error("the receiver is not known; name receptor")]
    NoReceiver,
    /// Issuer and receiver are one institution: such a payment has no proof.
    #[error("issuer and receiver are the same institution")]
    SameInstitution,
    /// The tracking key holds the separator of the file, which has no quotes.
    #[error(
        "the tracking key holds a comma, which the bank's file can't carry; look it up by itself"
    )]
    Comma,
}

impl BankLine {
    /// The line of a transfer: `AAAA-MM-DD,clave,emisor,receptor,cuenta,monto`. Its date is the calendar's in
    /// Mexico City, as it is in a transfer.
    ///
    /// # Errors
    /// [`BankLineError::Comma`].
    pub fn of_transfer(transfer: &Transfer) -> Result<Self, BankLineError> {
        let key = transfer.tracking_key().as_str();
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

    /// The line of a question that names both institutions.
    ///
    /// # Errors
    /// See [`BankLineError`].
    pub fn of_query(query: &ProofQuery) -> Result<Self, BankLineError> {
        let transfer = Transfer::new(
            query.date,
            query.tracking_key.clone(),
            query.account.clone(),
            query.amount,
            query.issuer.ok_or(BankLineError::NoIssuer)?,
            query.receiver.ok_or(BankLineError::NoReceiver)?,
        );
        Self::of_transfer(&transfer.map_err(|_| BankLineError::SameInstitution)?)
    }

    /// The line.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The line is personal data.
impl std::fmt::Debug for BankLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BankLine(redacted)")
    }
}

/// Fewer lines than the bank takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the bank takes files of {MIN_LINES} lines or more, and there are {lines}; look it up by itself"
)]
pub struct TooFewLines {
    /// Number of lines.
    pub lines: usize,
}

/// Lines in as few files as the bank allows, of equal length but for one line.
#[derive(Clone, Debug)]
pub struct BankFiles<'a> {
    rest: &'a [BankLine],
    files: usize,
}

impl<'a> BankFiles<'a> {
    /// Splits the lines.
    ///
    /// # Errors
    /// [`TooFewLines`] for none or one.
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

/// The files' texts, in the order of the lines; a line ends with CR and LF.
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
