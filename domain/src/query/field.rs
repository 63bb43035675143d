//! Fields of a proof request, and their validation errors.

use crate::account::AccountError;
use crate::amount::AmountError;
use crate::calendar::DateError;
use crate::criterion::ReferenceNumberError;
use crate::participants::ParticipantError;
use crate::tracking_key::TrackingKeyError;

/// A field of a proof request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Date of the transfer in Mexico City.
    Date,
    /// Tracking key, assigned by the issuing bank.
    TrackingKey,
    /// Reference number, in place of the tracking key.
    Reference,
    /// The beneficiary's CLABE, card or phone number.
    Account,
    /// Amount in pesos.
    Amount,
    /// Code or name of the issuing institution.
    Issuer,
    /// Code or name of the receiving institution.
    Receiver,
    /// Name to compare with the beneficiary's.
    BeneficiaryName,
    /// RFC or CURP to compare with the beneficiary's.
    BeneficiaryTaxId,
}

impl Field {
    /// The field's name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Date => "fecha",
            Self::TrackingKey => "clave_rastreo",
            Self::Reference => "numero_referencia",
            Self::Account => "cuenta",
            Self::Amount => "monto",
            Self::Issuer => "emisor",
            Self::Receiver => "receptor",
            Self::BeneficiaryName => "nombre_beneficiario",
            Self::BeneficiaryTaxId => "rfc_beneficiario",
        }
    }
}

/// Validation error of a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldErrorKind {
    /// A required field is missing.
    #[error("is required")]
    Missing,
    /// The value has the wrong JSON type.
    #[error("must be a {expected}, not a {found}")]
    WrongType {
        /// JSON type of the field.
        expected: &'static str,
        /// JSON type that was given.
        found: &'static str,
    },
    /// The date can't be parsed or is out of range.
    #[error(transparent)]
    Date(#[from] DateError),
    /// The tracking key can't be parsed.
    #[error(transparent)]
    TrackingKey(#[from] TrackingKeyError),
    /// Neither the tracking key nor the reference number is given.
    #[error("is required, or numero_referencia in its place")]
    NoCriterion,
    /// The account is masked, and doesn't show enough digits.
    #[error("must show the last 3 to 8 digits")]
    MaskedDigits,
    /// The reference number can't be parsed.
    #[error(transparent)]
    Reference(#[from] ReferenceNumberError),
    /// The tracking key and the reference number were given together.
    #[error("is taken in place of clave_rastreo: give one of them")]
    WithTrackingKey,
    /// The reference number was given where only a tracking key is taken.
    #[error("is taken by stored lookups and batches alone: give clave_rastreo, or use them")]
    StoredOnly,
    /// The account can't be parsed.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The account is masked, and none of the customer's own accounts fits.
    #[error("none of the own accounts fits: give all its digits, or add it to them")]
    NoOwnAccount,
    /// The amount can't be parsed or is out of range.
    #[error(transparent)]
    Amount(#[from] AmountError),
    /// The code or name of an institution is malformed, unknown or ambiguous.
    #[error(transparent)]
    Participant(#[from] ParticipantError),
}

impl FieldErrorKind {
    pub(crate) fn of(self, field: Field) -> FieldError {
        FieldError {
            field,
            problem: self,
        }
    }
}

/// A field and its validation error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", field.name())]
pub struct FieldError {
    /// The field that was refused.
    pub field: Field,
    /// Reason of the refusal.
    pub problem: FieldErrorKind,
}
