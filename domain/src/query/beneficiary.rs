//! The beneficiary that a caller expects.

use std::fmt;

use super::{Checker, Field, FieldError, Token, text};

/// The beneficiary that a caller expects a proof to name, before validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawBeneficiary<'a> {
    /// `nombre_beneficiario`.
    pub name: Token<'a>,
    /// `rfc_beneficiario`.
    pub tax_id: Token<'a>,
}

/// The beneficiary that a caller expects a proof to name. `Debug` hides it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ExpectedBeneficiary {
    /// Its name, when the caller gave one.
    pub name: Option<String>,
    /// Its RFC or CURP, when the caller gave one.
    pub tax_id: Option<String>,
}

impl ExpectedBeneficiary {
    /// Reads both fields. Any text is accepted: one that nobody has matches nobody.
    ///
    /// # Errors
    /// Every field that is no string, in the API's order.
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
