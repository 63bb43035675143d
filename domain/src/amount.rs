//! Amounts of money in centavos, parsed exactly from the caller's text.

use std::fmt;

/// Maximum number of digits before the decimal point.
pub const MAX_INTEGER_DIGITS: usize = 16;

/// A positive amount of Mexican pesos, stored in centavos.
///
/// It is never a float: `9007199254740993.01` is kept exactly. `Debug` hides the value, because amounts
/// are personal data that must not be logged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Amount(u64);

/// Error of parsing an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// The text isn't a plain decimal number with an optional point, for example `1,234.56` or `NaN`.
    #[error("not a plain decimal number")]
    NotDecimal,
    /// The text is in scientific notation, for example `1e2`.
    #[error("an exponent is not accepted")]
    Exponent,
    /// The amount is zero or negative.
    #[error("must be greater than zero")]
    NotPositive,
    /// More than two digits after the point.
    #[error("at most two decimals")]
    TooManyDecimals,
    /// More than [`MAX_INTEGER_DIGITS`] digits before the point.
    #[error("at most {MAX_INTEGER_DIGITS} digits before the point")]
    TooLarge,
}

impl Amount {
    /// Parses a decimal number such as `1234.56`, exactly.
    ///
    /// # Errors
    /// See [`AmountError`]; the value is never rounded.
    pub fn parse(token: &str) -> Result<Self, AmountError> {
        let unsigned = token.strip_prefix('-');
        let digits = unsigned.unwrap_or(token);
        if digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains(['e', 'E']) {
            return Err(AmountError::Exponent);
        }
        let (integer, fraction) = split_decimal(digits).ok_or(AmountError::NotDecimal)?;
        if unsigned.is_some() {
            return Err(AmountError::NotPositive);
        }
        if fraction.len() > 2 {
            return Err(AmountError::TooManyDecimals);
        }
        if integer.len() > MAX_INTEGER_DIGITS {
            return Err(AmountError::TooLarge);
        }
        let centavos = centavos(integer, fraction).ok_or(AmountError::TooLarge)?;
        Self::from_centavos(centavos).ok_or(AmountError::NotPositive)
    }

    /// Returns an amount of `centavos`; `None` for zero.
    pub fn from_centavos(centavos: u64) -> Option<Self> {
        (centavos > 0).then_some(Self(centavos))
    }

    /// The amount in centavos.
    pub fn centavos(self) -> u64 {
        self.0
    }
}

/// Formats pesos with a dot and two decimals, as the portal's form requires: `1234.56`.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&pesos(self.0))
    }
}

impl fmt::Debug for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Amount(redacted)")
    }
}

/// Formats centavos as pesos with a dot and two decimals: `1234.56`, also `0.00`.
pub fn pesos(centavos: u64) -> String {
    format!("{}.{:02}", centavos / 100, centavos % 100)
}

/// Parses an amount in the spelling of receiving banks, in centavos: `3414.95`, `300`, `9858.7`,
/// `000000000000008.17`, also `0.00`.
///
/// `None` if it isn't a decimal number or has fractions of a centavo.
pub fn centavos_from_bank_spelling(text: &str) -> Option<u64> {
    let (integer, fraction) = split_decimal(text.trim())?;
    centavos(
        integer.trim_start_matches('0'),
        fraction.trim_end_matches('0'),
    )
}

/// Splits `digits[.digits]`; `None` for anything else.
fn split_decimal(text: &str) -> Option<(&str, &str)> {
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match text.split_once('.') {
        None => all_digits(text).then_some((text, "")),
        Some((integer, fraction)) => {
            (all_digits(integer) && all_digits(fraction)).then_some((integer, fraction))
        }
    }
}

/// The value in centavos of ASCII digits before and after the point; `None` when it needs more
/// than two decimals or overflows.
fn centavos(integer: &str, fraction: &str) -> Option<u64> {
    if fraction.len() > 2 {
        return None;
    }
    let pesos = integer.bytes().try_fold(0_u64, |sum, digit| {
        sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    })?;
    let cents = fraction
        .bytes()
        .chain(std::iter::repeat(b'0'))
        .take(2)
        .fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    pesos.checked_mul(100)?.checked_add(cents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case(AmountError::NotPositive, &["0", "0.00", "-0", "-1"])]
    #[case(AmountError::TooManyDecimals, &["0.001"])]
    #[case(AmountError::Exponent, &["1e2", "1E400"])]
    #[case(AmountError::NotDecimal, &["NaN", "", "1,234.56", "1.", ".5", "+1", "１２"])]
    #[case(AmountError::TooLarge, &["10000000000000000"])]
    fn an_invalid_amount_is_refused_with_its_reason(
        #[case] reason: AmountError,
        #[case] tokens: &[&str],
    ) {
        for token in tokens {
            assert_eq!(Amount::parse(token), Err(reason), "{token}");
        }
    }

    #[test]
    fn an_amount_that_no_double_can_hold_is_read_exactly() {
        let amount = Amount::parse("9007199254740993.01").unwrap();
        assert_eq!(amount.centavos(), 900_719_925_474_099_301);
        assert_eq!(amount.to_string(), "9007199254740993.01");
    }

    #[rstest]
    #[case("3414.95", Some(341_495))]
    #[case("300", Some(30_000))]
    #[case("9858.7", Some(985_870))]
    #[case("000000000000008.17", Some(817))]
    #[case("0.00", Some(0))]
    #[case("12.3400", Some(1_234))]
    #[case("12.345", None)]
    #[case("NA", None)]
    fn the_spellings_of_banks_are_numbers(#[case] text: &str, #[case] value: Option<u64>) {
        assert_eq!(centavos_from_bank_spelling(text), value);
    }

    #[test]
    fn debug_shows_no_amount() {
        assert!(!format!("{:?}", Amount(123_456)).contains("123"));
    }

    proptest! {
        #[test]
        fn display_and_parse_are_inverse(centavos in 1_u64..1_000_000_000_000_000_000) {
            let amount = Amount::from_centavos(centavos).unwrap();
            prop_assert_eq!(Amount::parse(&amount.to_string()), Ok(amount));
        }
    }
}
