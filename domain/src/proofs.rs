//! The proof: the XML that the receiving bank sealed, parsed and compared with the query.
//!
//! Fields that the comparison needs are parsed strictly, the others leniently: the accepted bytes are
//! passed on unchanged, and an unusual spelling is no reason to withhold a proof.

use std::fmt;

use chrono::{NaiveDate, NaiveTime};

use crate::calendar;
use crate::participants::ParticipantCode;
use crate::transfer::Transfer;

pub mod archive;
pub mod candidate;
mod chain;
pub mod check;
mod field;
pub mod file;
pub mod notice;
mod sealed;
pub mod seen;
mod spanish;
mod value;
mod xml;

pub use chain::OriginalChain;
pub use field::ProofField;
pub use sealed::SealedPayment;
pub use spanish::printed_date;

use value::{Value, Values};

/// Maximum size of a proof; one has about 2,000 bytes.
pub const MAX_BYTES: usize = 5 * 1024 * 1024;

/// A proof (`SPEI_Tercero`) read from its XML. `Debug` shows institutions and dates only.
#[derive(Clone, PartialEq, Eq)]
pub struct Proof {
    /// The values outside the chain; those that the source has in the chain alone are the chain's.
    values: Values,
    /// `numeroCertificado`: the serial number of the certificate that verifies the seal.
    pub certificate_number: String,
    /// `sello`: the receiving institution's seal, in base64.
    pub seal: String,
    /// `cadenaCDA`: the text that was sealed.
    pub chain: OriginalChain,
}

/// Error of parsing a proof. It holds names and positions, never a value of the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The XML has more than [`MAX_BYTES`].
    #[error("at most {MAX_BYTES} bytes are read, {bytes} were given")]
    TooLarge {
        /// Size of the XML in bytes.
        bytes: usize,
    },
    /// The XML has far more elements, attributes or fields than any proof.
    #[error("far more elements, attributes or fields than a proof has")]
    TooComplex,
    /// The XML isn't UTF-8, the only encoding of proofs.
    #[error("not UTF-8")]
    NotUtf8,
    /// The XML has a document type declaration, which proofs never have.
    #[error("a document type declaration is not accepted")]
    DocumentType,
    /// The XML isn't well-formed.
    #[error("not well-formed XML, at line {line}, column {column}")]
    NotXml {
        /// Line of the first error, from 1.
        line: u32,
        /// Column of the first error, from 1.
        column: u32,
    },
    /// The root element isn't `SPEI_Tercero`.
    #[error("the root element is not SPEI_Tercero")]
    Root,
    /// An element or attribute that each proof has is missing or empty.
    #[error("{name} is missing")]
    Missing {
        /// Name of the element or attribute in the XML.
        name: &'static str,
    },
    /// An element that occurs once in a proof is repeated, so it would be ambiguous.
    #[error("{name} is repeated")]
    Repeated {
        /// Name of the element or attribute in the XML.
        name: &'static str,
    },
    /// An attribute can't be read.
    #[error("{name} cannot be read")]
    Unreadable {
        /// Name of the element or attribute in the XML.
        name: &'static str,
    },
    /// The sealed chain contradicts an attribute.
    #[error("{name} contradicts the original chain")]
    Contradiction {
        /// The attribute's name in the XML.
        name: &'static str,
    },
}

/// Difference between a proof and the requested transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The tracking key differs.
    #[error("the proof names another tracking key")]
    TrackingKey,
    /// The issuing institution differs.
    #[error("the proof names another issuer")]
    Issuer,
    /// The receiving institution differs.
    #[error("the proof names another receiver")]
    Receiver,
    /// The amount differs.
    #[error("the proof names another amount")]
    Amount,
    /// The proof's dates don't belong to a payment made on the requested date.
    #[error("the proof names another date")]
    Date,
    /// The beneficiary's account differs.
    #[error("the proof names another account")]
    Account,
}

impl Mismatch {
    const ALL: [Self; 6] = [
        Self::TrackingKey,
        Self::Issuer,
        Self::Receiver,
        Self::Amount,
        Self::Date,
        Self::Account,
    ];
}

impl Proof {
    /// Reads a proof's XML, up to [`MAX_BYTES`] of it.
    ///
    /// # Errors
    /// See [`ProofError`].
    pub fn parse(xml: &[u8]) -> Result<Self, ProofError> {
        let proof = Self::read(xml)?;
        proof.agrees_with_its_chain()?;
        Ok(proof)
    }

    /// Reads a proof's XML without comparing its parts: [`crate::proofs::check`] says which of them
    /// contradict each other.
    ///
    /// # Errors
    /// See [`ProofError`]; never [`ProofError::Contradiction`].
    pub fn read(xml: &[u8]) -> Result<Self, ProofError> {
        xml::read(xml)
    }

    /// Returns `true` if a valid XML has content that banks don't write, which a viewer may show and no
    /// seal covers.
    pub fn holds_more(xml: &[u8]) -> bool {
        xml::holds_more(xml)
    }

    /// A copy with the values of the original chain in place of the XML's attributes. The tracking key
    /// isn't in the chain and stays as it is.
    pub(crate) fn as_sealed(&self) -> Self {
        let mut values = self.chain.values();
        for field in ProofField::UNSEALED {
            values.set(field, self.values.get(field).cloned());
        }
        Self {
            values,
            ..self.clone()
        }
    }

    /// A field's value as in the JSON; `None` if the proof has none.
    pub fn written(&self, field: ProofField) -> Option<String> {
        Some(self.values.get(field)?.to_string())
    }

    /// The value of a field with text; `None` for other kinds.
    pub fn text(&self, field: ProofField) -> Option<&str> {
        self.values.text(field)
    }

    /// The value of a field with a number; `None` for other kinds.
    pub fn number(&self, field: ProofField) -> Option<u16> {
        self.values.number(field)
    }

    /// The banking day to which SPEI assigns the payment.
    pub fn operation_date(&self) -> NaiveDate {
        match self.values.get(ProofField::OperationDate) {
            Some(Value::Date(date)) => *date,
            _ => self.chain.operation_date(),
        }
    }

    /// Time of the credit in Mexico City; midnight if it can't be read.
    pub fn credit_time(&self) -> NaiveTime {
        match self.values.get(ProofField::CreditTime) {
            Some(Value::Time(time)) => *time,
            _ => NaiveTime::MIN,
        }
    }

    /// Code of the receiving institution.
    pub fn receiver(&self) -> ParticipantCode {
        match self.values.get(ProofField::ReceiverCode) {
            Some(Value::Participant(code)) => *code,
            _ => self.chain.receiver(),
        }
    }

    /// The tracking key, which the seal doesn't cover; empty if a page lacks it.
    pub fn tracking_key(&self) -> &str {
        self.text(ProofField::TrackingKey).unwrap_or_default()
    }

    /// The amount in centavos; zero if it can't be read.
    pub fn centavos(&self) -> u64 {
        let centavos = self.values.centavos(ProofField::Amount);
        centavos.unwrap_or_default()
    }

    /// Names of the fields whose values equal those of the sealed text, in its order. Not included are
    /// fields that differ, fields whose values are uncertain ([`Self::uncertain_fields`]), and those that
    /// no seal covers. It doesn't check that the seal is valid.
    pub fn covered_fields(&self) -> Vec<&'static str> {
        let sealed = self.chain.values();
        let uncertain = self.uncertain_fields();
        let is_covered = |field: &ProofField| {
            let value = self.values.get(*field);
            let is_read = value.is_some() || !field.is_required();
            is_read && value == sealed.get(*field) && !uncertain.contains(field)
        };
        let covered = ProofField::sealed().filter(is_covered);
        covered.map(ProofField::name).collect()
    }

    /// Checks that this is the proof of `transfer`. A reference number isn't compared, because the file doesn't hold
    /// it. The account isn't compared: for some payment
    /// types the proof names another one than the portal matched. A payment sent late in the day and
    /// credited after midnight has a proof of the next day.
    ///
    /// # Errors
    /// The first [`Mismatch`].
    pub fn answers(&self, transfer: &Transfer) -> Result<(), Mismatch> {
        self.mismatches(transfer).next().map_or(Ok(()), Err)
    }

    /// The sealed fields whose values are uncertain, because a text holds `|`, the separator of the
    /// original chain. They must not be reported as sealed, whatever the file's own fields say.
    pub fn uncertain_fields(&self) -> Vec<ProofField> {
        self.chain.uncertain_fields()
    }

    fn mismatches(&self, transfer: &Transfer) -> impl Iterator<Item = Mismatch> {
        let key = transfer
            .tracking_key()
            .is_some_and(|key| key.as_str() != self.tracking_key());
        let receiver = self.receiver() != transfer.receiver();
        let amount = self.centavos() != transfer.amount().centavos();
        let date = !self.is_dated(transfer.date());
        [
            key.then_some(Mismatch::TrackingKey),
            receiver.then_some(Mismatch::Receiver),
            amount.then_some(Mismatch::Amount),
            date.then_some(Mismatch::Date),
        ]
        .into_iter()
        .flatten()
    }

    /// Returns `true` if the operation date or the credit date is `date`.
    pub fn is_of(&self, date: NaiveDate) -> bool {
        [self.operation_date(), self.chain.credit_date()].contains(&date)
    }

    /// Returns `true` if the operation date or the credit date is `date`, the next day, or the next
    /// banking day.
    fn is_dated(&self, date: NaiveDate) -> bool {
        let accepted = [
            Some(date),
            date.succ_opt(),
            Some(calendar::next_banking_day(date)),
        ];
        [self.operation_date(), self.chain.credit_date()]
            .iter()
            .any(|dated| accepted.contains(&Some(*dated)))
    }

    /// Compares the operation date, the receiver and the amount with the chain.
    fn agrees_with_its_chain(&self) -> Result<(), ProofError> {
        let readings = self.chain.readings();
        let amounts = readings
            .iter()
            .map(|it| it.values().centavos(ProofField::Amount));
        let mut amounts = amounts.flatten().peekable();
        let is_other_amount =
            amounts.peek().is_some() && !amounts.any(|amount| amount == self.centavos());
        let fields = [
            (
                ProofField::OperationDate,
                self.operation_date() != self.chain.operation_date(),
            ),
            (
                ProofField::ReceiverCode,
                self.receiver() != self.chain.receiver(),
            ),
            (ProofField::Amount, is_other_amount),
        ];
        let contradicting = fields.into_iter().find(|(_, differs)| *differs);
        match contradicting.and_then(|(field, _)| field.attribute()) {
            Some((_, name)) => Err(ProofError::Contradiction { name }),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proof")
            .field("operation_date", &self.operation_date())
            .field("receiver", &self.receiver())
            .field("certificate_number", &self.certificate_number)
            .field("chain", &self.chain)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
