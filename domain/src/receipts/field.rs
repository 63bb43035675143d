//! Fields of a receipt as they were read.

use super::page::Place;
use crate::variants::named_enum;

/// Maximum number of other values of a field.
pub const MAX_ALTERNATIVES: usize = 5;
/// Maximum length of a value, in characters.
pub const MAX_VALUE_LENGTH: usize = 100;

named_enum! {
    /// A field of a receipt, in the order of the API. The serialized names are those of the APIs.
    #[derive(PartialOrd, Ord)]
    pub enum ReceiptField {
        /// Date of the transfer, as `2026-11-20`.
        #[strum(serialize = "fecha")]
        Date,
        /// Time of day, as `10:53:36`.
        #[strum(serialize = "hora")]
        Time,
        /// Tracking key.
        #[strum(serialize = "clave_rastreo")]
        TrackingKey,
        /// Numeric reference, of at most seven digits.
        #[strum(serialize = "numero_referencia")]
        Reference,
        /// Account of the beneficiary: its digits, or masked as `****1234`.
        #[strum(serialize = "cuenta")]
        Account,
        /// Amount in pesos, as `1234.56`.
        #[strum(serialize = "monto")]
        Amount,
        /// Code of the issuing institution.
        #[strum(serialize = "emisor")]
        Issuer,
        /// Code of the receiving institution.
        #[strum(serialize = "receptor")]
        Receiver,
        /// Name of the beneficiary.
        #[strum(serialize = "nombre_beneficiario")]
        Beneficiary,
        /// Concept, which the payer wrote.
        #[strum(serialize = "concepto")]
        Concept,
    }
}

named_enum! {
    /// Confidence in a field that was read.
    #[derive(PartialOrd, Ord)]
    pub enum ReadConfidence {
        /// Only one of label, shape and check digit tells it, or they contradict each other.
        Low,
        /// Two of them agree.
        Medium,
        /// All that there are agree, and no character is in doubt.
        High,
    }
}

/// A field that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadField {
    /// The field.
    pub field: ReceiptField,
    /// Its value, in the form that requests take.
    pub value: String,
    /// Confidence in the value.
    pub confidence: ReadConfidence,
    /// The text that it was taken from.
    pub text: String,
    /// Page of the text, from 1, and its box in fractions of the page; `None` for a text without positions, and for an
    /// institution that another field tells.
    pub place: Option<(usize, Place)>,
    /// Other values that the receipt may mean, at most [`MAX_ALTERNATIVES`].
    pub alternatives: Vec<String>,
    /// Characters were replaced by those that look like them.
    pub is_corrected: bool,
}

impl ReadField {
    /// A field that another one tells, or the link to the portal.
    pub(super) fn told(field: ReceiptField, value: String, confidence: ReadConfidence) -> Self {
        Self {
            field,
            value,
            confidence,
            text: String::new(),
            place: None,
            alternatives: Vec::new(),
            is_corrected: false,
        }
    }
}
