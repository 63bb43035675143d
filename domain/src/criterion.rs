//! The criterion by which the bank finds a transfer: its tracking key, or its reference number.

use std::fmt;

use crate::tracking_key::TrackingKey;

/// Largest reference number of a SPEI payment.
const MAX_REFERENCE: u32 = 9_999_999;

/// Identifies a transfer, together with its date, account and amount.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// The tracking key, which one transfer of a day has.
    TrackingKey(TrackingKey),
    /// The reference number, which several transfers may have.
    Reference(ReferenceNumber),
}

impl Criterion {
    /// The tracking key; `None` for a reference number.
    pub fn tracking_key(&self) -> Option<&TrackingKey> {
        match self {
            Self::TrackingKey(key) => Some(key),
            Self::Reference(_) => None,
        }
    }

    /// The reference number; `None` for a tracking key.
    pub fn reference(&self) -> Option<ReferenceNumber> {
        match self {
            Self::TrackingKey(_) => None,
            Self::Reference(reference) => Some(*reference),
        }
    }
}

impl From<TrackingKey> for Criterion {
    fn from(key: TrackingKey) -> Self {
        Self::TrackingKey(key)
    }
}

impl From<ReferenceNumber> for Criterion {
    fn from(reference: ReferenceNumber) -> Self {
        Self::Reference(reference)
    }
}

/// As it is written in the bank's form.
impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TrackingKey(key) => f.write_str(key.as_str()),
            Self::Reference(reference) => reference.fmt(f),
        }
    }
}

/// Numeric reference (*referencia numérica*) of a transfer, which the payer or the payer's bank chooses: 1 to
/// 9,999,999. Many transfers of a day may have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReferenceNumber(u32);

/// Error of parsing a reference number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of 1 to 7 digits above 0")]
pub struct ReferenceNumberError;

impl ReferenceNumber {
    /// Parses 1 to 7 digits; surrounding blanks are dropped, and so are zeros in front.
    ///
    /// # Errors
    /// [`ReferenceNumberError`] for any other text, and for 0.
    pub fn parse(text: &str) -> Result<Self, ReferenceNumberError> {
        let digits = text.trim_matches(' ');
        let is_number =
            (1..=7).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = is_number.then(|| digits.parse().ok()).flatten();
        let number = number.filter(|number| (1..=MAX_REFERENCE).contains(number));
        number.map(Self).ok_or(ReferenceNumberError)
    }
}

/// The digits, without zeros in front.
impl fmt::Display for ReferenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("1", Some("1"))]
    #[case("4900001", Some("4900001"))]
    #[case("9999999", Some("9999999"))]
    #[case(" 0000042 ", Some("42"))]
    #[case("0", None)]
    #[case("0000000", None)]
    #[case("00000042", None)]
    #[case("10000000", None)]
    #[case("", None)]
    #[case("-1", None)]
    #[case("+1", None)]
    #[case("1.0", None)]
    #[case("12 34", None)]
    #[case("١", None)]
    fn a_reference_is_a_number_of_at_most_seven_digits(
        #[case] text: &str,
        #[case] read: Option<&str>,
    ) {
        let parsed = ReferenceNumber::parse(text).map(|it| it.to_string());
        assert_eq!(parsed.ok().as_deref(), read);
    }

    #[test]
    fn a_criterion_is_a_key_or_a_reference() {
        let key = TrackingKey::parse("1234567").unwrap();
        let of_key = Criterion::from(key.clone());
        assert_eq!(
            (of_key.tracking_key(), of_key.reference()),
            (Some(&key), None)
        );
        let reference = ReferenceNumber::parse("1234567").unwrap();
        let of_reference = Criterion::from(reference);
        assert_eq!(of_reference.tracking_key(), None);
        assert_eq!(of_reference.reference(), Some(reference));
        assert_ne!(of_key, of_reference);
        assert_eq!(of_key.to_string(), of_reference.to_string());
    }
}
