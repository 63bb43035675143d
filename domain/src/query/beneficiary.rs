//! The beneficiary that a caller expects in the proof.

use std::fmt;

use super::{Checker, Field, FieldError, Token, text};

/// The beneficiary that a caller expects in the proof, before validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawBeneficiary<'a> {
    /// `nombre_beneficiario`: name of the beneficiary.
    pub name: Token<'a>,
    /// `rfc_beneficiario`: RFC or CURP of the beneficiary.
    pub tax_id: Token<'a>,
}

/// The beneficiary that a caller expects in the proof. `Debug` hides the values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ExpectedBeneficiary {
    /// Expected name; `None` if not given.
    pub name: Option<String>,
    /// Expected RFC or CURP; `None` if not given.
    pub tax_id: Option<String>,
}

impl ExpectedBeneficiary {
    /// Parses both fields. Any text is accepted, because an invalid one just doesn't match.
    ///
    /// # Errors
    /// Every field that isn't a string, in the API's order.
    pub fn parse(raw: &RawBeneficiary<'_>) -> Result<Self, Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut check = Checker {
            errors: &mut errors,
        };
        let owned = |text: &str| Ok(text.to_owned());
        let expected = Self {
            name: check.optional(Field::BeneficiaryName, text(&raw.name), owned),
            tax_id: check.optional(Field::BeneficiaryTaxId, text(&raw.tax_id), owned),
        };
        if errors.is_empty() {
            Ok(expected)
        } else {
            Err(errors)
        }
    }
}

impl fmt::Debug for ExpectedBeneficiary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExpectedBeneficiary(redacted)")
    }
}
