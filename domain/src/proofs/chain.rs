//! The original chain (`cadenaCDA`): the text that the receiving institution seals.
//!
//! Format: `||` fields `|` certificate number `||` seal, with fields separated by `|`. Three versions
//! with 18, 25 and 42 fields are known; the first 18 fields mean the same in all. A `|` within a text
//! shifts the fields after it ([`reading`]), so a chain may have any number of fields.

use std::fmt;

use chrono::{NaiveDate, NaiveTime};

use super::party::{Party, given};
use super::{ProofError, ProofField};
use crate::amount::centavos_from_bank_spelling;
use crate::participants::ParticipantCode;

mod reading;

pub(crate) use reading::ChainReading;

const NAME: &str = "cadenaCDA";
/// Number of fields common to all versions of the format.
const SHARED_FIELDS: usize = 18;
/// Number of fields in each known version of the format.
const KNOWN_LENGTHS: [usize; 3] = [SHARED_FIELDS, 25, 42];
/// Maximum number of parts separated by `|`: six times the longest known version.
const MAX_PARTS: usize = 256;

/// Indexes of fields, where 0 is the first one after the leading `||`.
mod place {
    pub(super) const PAYMENT_TYPE: usize = 0;
    pub(super) const OPERATION_DATE: usize = 1;
    pub(super) const CREDIT_DATE: usize = 2;
    pub(super) const CREDIT_TIME: usize = 3;
    pub(super) const RECEIVER: usize = 4;
    pub(super) const PAYER: usize = 5;
    pub(super) const BENEFICIARY: usize = 10;
    pub(super) const CONCEPT: usize = 15;
    pub(super) const VAT: usize = 16;
    pub(super) const AMOUNT: usize = 17;
    /// Number of fields before the first text that may hold a `|`.
    pub(super) const FIXED: usize = 6;
}

/// The sealed text and its parsed fields. `Debug` shows type, dates, receiver and length.
#[derive(Clone, PartialEq, Eq)]
pub struct OriginalChain {
    text: String,
    length: usize,
    payment_type: Option<u16>,
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
        if fields.len() < SHARED_FIELDS {
            return None;
        }
        Some(Self {
            text: text.to_owned(),
            length: fields.len(),
            payment_type: fields[place::PAYMENT_TYPE].trim().parse().ok(),
            operation_date: day_month_year(fields[place::OPERATION_DATE])?,
            credit_date: day_month_year(fields[place::CREDIT_DATE])?,
            receiver: ParticipantCode::parse(fields[place::RECEIVER].trim())?,
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

    /// SPEI's payment type: 1 is a transfer between two customers.
    pub fn payment_type(&self) -> Option<u16> {
        self.payment_type
    }

    /// The banking day to which SPEI assigns the payment.
    pub fn operation_date(&self) -> NaiveDate {
        self.operation_date
    }

    /// The calendar date of the credit in Mexico City.
    pub fn credit_date(&self) -> NaiveDate {
        self.credit_date
    }

    /// Time of the credit in Mexico City; `None` if it can't be parsed.
    pub fn credit_time(&self) -> Option<NaiveTime> {
        self.likeliest().credit_time()
    }

    /// Code of the receiving institution, which made the seal.
    pub fn receiver(&self) -> ParticipantCode {
        self.receiver
    }

    /// The payer, from the most likely reading.
    pub fn payer(&self) -> Party {
        self.likeliest().payer()
    }

    /// The payee, from the most likely reading.
    pub fn beneficiary(&self) -> Party {
        self.likeliest().beneficiary()
    }

    /// The payer's free text, from the most likely reading.
    pub fn concept(&self) -> Option<&str> {
        self.likeliest().concept()
    }

    /// The value added tax in centavos, from the most likely reading; `None` if it can't be parsed.
    pub fn vat_centavos(&self) -> Option<u64> {
        self.likeliest().vat_centavos()
    }

    /// The amount in centavos, from the most likely reading; `None` if it can't be parsed.
    pub fn centavos(&self) -> Option<u64> {
        self.likeliest().centavos()
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
        let sealed = ProofField::ALL.into_iter().take(SHARED_FIELDS).enumerate();
        let mut readings = ChainReading::all(&self.text, self.length);
        let first = readings.next().filter(ChainReading::is_of_known_generation);
        let Some(first) = first else {
            return sealed.skip(place::FIXED).map(|(_, field)| field).collect();
        };
        let mut differs = [false; SHARED_FIELDS];
        for other in readings {
            for (place, differs) in differs.iter_mut().enumerate() {
                *differs |= first.text(place).trim() != other.text(place).trim();
            }
        }
        sealed
            .filter(|(place, _)| differs[*place])
            .map(|(_, field)| field)
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

    fn likeliest(&self) -> ChainReading<'_> {
        ChainReading::all(&self.text, self.length)
            .next()
            .unwrap_or_else(|| ChainReading::plain(&self.text))
    }

    /// The [`Self::length`] texts between the leading `||` and the certificate number.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.text.split('|').skip(2).take(self.length)
    }
}

impl<'a> ChainReading<'a> {
    fn credit_time(&self) -> Option<NaiveTime> {
        NaiveTime::parse_from_str(self.text(place::CREDIT_TIME).trim(), "%H%M%S").ok()
    }

    pub(crate) fn payer(&self) -> Party {
        self.party(place::PAYER)
    }

    pub(crate) fn beneficiary(&self) -> Party {
        self.party(place::BENEFICIARY)
    }

    pub(crate) fn concept(&self) -> Option<&'a str> {
        given(self.text(place::CONCEPT))
    }

    pub(crate) fn vat_centavos(&self) -> Option<u64> {
        centavos_from_bank_spelling(self.text(place::VAT))
    }

    pub(crate) fn centavos(&self) -> Option<u64> {
        centavos_from_bank_spelling(self.text(place::AMOUNT))
    }

    fn party(&self, first: usize) -> Party {
        Party::from_texts([0, 1, 2, 3, 4].map(|place| self.text(first + place)))
    }
}

/// Parses `ddmmyyyy`.
fn day_month_year(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    if text.len() != 8 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number = |range: std::ops::Range<usize>| text[range].parse::<u32>().ok();
    let year = text[4..].parse().ok()?;
    NaiveDate::from_ymd_opt(year, number(2..4)?, number(0..2)?)
}

impl fmt::Debug for OriginalChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OriginalChain")
            .field("payment_type", &self.payment_type)
            .field("operation_date", &self.operation_date)
            .field("credit_date", &self.credit_date)
            .field("receiver", &self.receiver)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}
