//! Accounts of which only the last digits are shown.

use std::fmt;

use crate::account::Account;

/// Fewest and most digits that are shown.
const SHOWN: std::ops::RangeInclusive<usize> = 3..=8;

/// The last digits of an account: `****1234`, `•••• 1234`, `…777771`; and the first ones, where they are shown too:
/// `4152 **** **** 1234`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MaskedAccount {
    /// Empty if none is shown.
    beginning: String,
    ending: String,
}

impl MaskedAccount {
    /// Parses a mask and 3 to 8 digits, and digits before the mask.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end_matches([' ', '.', ',', ')']);
        let is_digit = |c: char| c.is_ascii_digit();
        let shown = text.chars().filter(|c| !matches!(c, ' ' | '-'));
        let beginning: String = shown.take_while(char::is_ascii_digit).collect();
        let before = text.trim_end_matches(is_digit);
        let mask = before.trim_end_matches([' ', '-']);
        let signs = mask.chars().rev().take_while(|c| is_mask(*c)).count();
        let is_masked = signs >= 2 || mask.ends_with('…');
        let of_ending = Self::of_ending(&text[before.len()..]).filter(|_| is_masked)?;
        Some(Self {
            beginning,
            ..of_ending
        })
    }

    /// An account with these last digits; `None` unless they are 3 to 8 digits.
    pub fn of_ending(ending: &str) -> Option<Self> {
        let is_ending = SHOWN.contains(&ending.len()) && ending.bytes().all(|b| b.is_ascii_digit());
        is_ending.then(|| Self {
            beginning: String::new(),
            ending: ending.to_owned(),
        })
    }

    /// Returns `true` if the account has these first and last digits.
    pub fn fits(&self, account: &Account) -> bool {
        let digits = account.as_str();
        digits.starts_with(&self.beginning) && digits.ends_with(&self.ending)
    }
}

/// `****1234` or `4152****1234`, as requests take it.
impl fmt::Display for MaskedAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}****{}", self.beginning, self.ending)
    }
}

/// Returns `true` for a sign that stands for digits and for nothing else.
pub(crate) fn is_written_mask(c: char) -> bool {
    matches!(c, '*' | '•' | '●' | '…')
}

/// Returns `true` for a sign in place of a digit.
pub(crate) fn is_mask(c: char) -> bool {
    matches!(c, '*' | '•' | '●' | '∙' | '·' | '…' | 'x' | 'X' | '#' | '.')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("****1234", Some("****1234"))]
    #[case("•••• 1234", Some("****1234"))]
    #[case("**123", Some("****123"))]
    #[case("XXXX-XXXX-XXXX-1234", Some("****1234"))]
    #[case("4152 **** **** 5678", Some("4152****5678"))]
    #[case("4152-31**-****-5678", Some("415231****5678"))]
    #[case("…777771", Some("****777771"))]
    #[case("*1234", None)]
    #[case("****12", None)]
    #[case("****123456789", None)]
    #[case("1234", None)]
    #[case("cuenta 1234", None)]
    #[case("", None)]
    fn the_last_digits_are_read_behind_a_mask(#[case] text: &str, #[case] read: Option<&str>) {
        let found = MaskedAccount::parse(text).map(|it| it.to_string());
        assert_eq!(found.as_deref(), read);
    }

    #[test]
    fn an_account_fits_by_its_ending() {
        let account = Account::parse("002010077777777771").unwrap();
        let fits = |text| MaskedAccount::parse(text).unwrap().fits(&account);
        assert!(fits("****7771"));
        assert!(!fits("****7772"));
        assert!(!fits("****0020"));
        assert!(fits("0020 **** **** 7771"));
        assert!(!fits("4152 **** **** 7771"));
    }
}
