//! The original chain (`cadenaCDA`): the text that the receiving institution seals.
//!
//! Format: `||` fields `|` certificate number `||` seal, with fields separated by `|`. Three versions
//! with 18, 25 and 42 fields are known; the first 18 fields mean the same in all. A `|` within a text
//! shifts the fields after it ([`reading`]), so a chain may have any number of fields.

use std::fmt;

use chrono::NaiveDate;

use super::ProofError;
use super::field::{ProofField, SEALED};
use super::value::{Spelling, Value, Values};
use crate::participants::ParticipantCode;

mod reading;

pub(crate) use reading::ChainReading;

const NAME: &str = "cadenaCDA";
/// Number of fields in each known version of the format.
const KNOWN_LENGTHS: [usize; 3] = [SEALED, 25, 42];
/// Maximum number of parts separated by `|`: six times the longest known version.
const MAX_PARTS: usize = 256;

/// Fields before the first text that may hold a `|`. All readings of a chain agree on them.
pub(crate) const FIXED: usize = ProofField::PayerName as usize;

/// The sealed text and its parsed fields. `Debug` shows dates, receiver and length.
#[derive(Clone, PartialEq, Eq)]
pub struct OriginalChain {
    text: String,
    length: usize,
    operation_date: NaiveDate,
    credit_date: NaiveDate,
    receiver: ParticipantCode,
}

impl OriginalChain {
    /// Parses a chain. Dates and receiver must be valid; the other fields are parsed on demand.
    pub(crate) fn parse(text: &str) -> Result<Self, ProofError> {
        let parts: Vec<&str> = text.split('|').take(MAX_PARTS + 1).collect();
        if parts.len() > MAX_PARTS {
            return Err(ProofError::TooComplex);
        }
        Self::from_parts(text, &parts).ok_or(ProofError::Unreadable { name: NAME })
    }

    fn from_parts(text: &str, parts: &[&str]) -> Option<Self> {
        let ["", "", fields @ .., _certificate, "", _seal] = parts else {
            return None;
        };
        if fields.len() < SEALED {
            return None;
        }
        let value = |field: ProofField| Value::read(field, fields[field as usize], Spelling::Chain);
        let date = |field| match value(field)? {
            Value::Date(date) => Some(date),
            _ => None,
        };
        Some(Self {
            text: text.to_owned(),
            length: fields.len(),
            operation_date: date(ProofField::OperationDate)?,
            credit_date: date(ProofField::CreditDate)?,
            receiver: match value(ProofField::ReceiverCode)? {
                Value::Participant(code) => code,
                _ => return None,
            },
        })
    }

    /// The whole chain including its seal, as in the XML.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text whose UTF-8 bytes are signed (RSA, PKCS#1 v1.5): the chain without the seal, but
    /// with the leading and the trailing `||`.
    pub fn signed_text(&self) -> &str {
        let seal = self.seal().len();
        &self.text[..self.text.len() - seal]
    }

    /// Number of fields between the leading `||` and the certificate number.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns `true` for the known lengths of 18, 25 or 42 fields.
    pub fn is_of_known_length(&self) -> bool {
        KNOWN_LENGTHS.contains(&self.length)
    }

    /// The banking day to which SPEI assigns the payment.
    pub fn operation_date(&self) -> NaiveDate {
        self.operation_date
    }

    /// The calendar date of the credit in Mexico City.
    pub fn credit_date(&self) -> NaiveDate {
        self.credit_date
    }

    /// Code of the receiving institution, which made the seal.
    pub fn receiver(&self) -> ParticipantCode {
        self.receiver
    }

    /// The values of the most likely reading.
    pub(crate) fn values(&self) -> Values {
        let likeliest = ChainReading::all(&self.text, self.length).next();
        let likeliest = likeliest.unwrap_or_else(|| ChainReading::plain(&self.text));
        likeliest.values()
    }

    /// The serial number of the certificate that verifies the seal.
    pub fn certificate_number(&self) -> &str {
        self.text.rsplit('|').nth(2).unwrap_or_default()
    }

    /// The seal in base64, repeated at the end of the chain.
    pub fn seal(&self) -> &str {
        self.text.rsplit('|').next().unwrap_or_default()
    }

    /// The fields whose values are uncertain: a `|` in a name or in the concept allows several readings
    /// of the chain, or no reading fits a known version of the format.
    pub fn uncertain_fields(&self) -> Vec<ProofField> {
        let mut readings = ChainReading::all(&self.text, self.length);
        let first = readings.next().filter(ChainReading::is_of_known_generation);
        let Some(first) = first else {
            return ProofField::sealed().skip(FIXED).collect();
        };
        let mut differs = [false; SEALED];
        for other in readings {
            for (place, differs) in differs.iter_mut().enumerate() {
                *differs |= first.text(place).trim() != other.text(place).trim();
            }
        }
        ProofField::sealed()
            .filter(|field| differs[*field as usize])
            .collect()
    }

    /// Possible readings of the chain, the most likely first. If a chain of a known length has no
    /// well-formed reading, it is split as it is, and its fields are uncertain.
    pub(crate) fn readings(&self) -> Vec<ChainReading<'_>> {
        let mut readings: Vec<_> = ChainReading::all(&self.text, self.length).collect();
        if readings.is_empty() && self.is_of_known_length() {
            readings.push(ChainReading::plain(&self.text));
        }
        readings
    }

    /// The [`Self::length`] texts between the leading `||` and the certificate number.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.text.split('|').skip(2).take(self.length)
    }
}

impl fmt::Debug for OriginalChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OriginalChain")
            .field("operation_date", &self.operation_date)
            .field("credit_date", &self.credit_date)
            .field("receiver", &self.receiver)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}
