//! Beneficiary accounts: CLABE (18 digits), card (16 digits) and phone (10 digits).

use std::fmt;

/// The beneficiary's account of a transfer.
///
/// A wrong check digit is accepted, because published examples have them; see
/// [`Account::has_valid_check_digit`]. `Debug` hides the digits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Account {
    /// An 18-digit standardised bank account number.
    Clabe(Clabe),
    /// A 16-digit card number.
    Card(Card),
    /// A 10-digit phone number.
    Phone(Phone),
}

/// Error of parsing an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// The text has characters other than ASCII digits, blanks and hyphens.
    #[error("only digits, blanks and hyphens are accepted")]
    NotDigits,
    /// The number of digits is neither 18 nor 16 nor 10.
    #[error("18 digits (CLABE), 16 (card) or 10 (phone) are needed, {digits} were given")]
    Length {
        /// Number of digits that were given.
        digits: usize,
    },
}

impl Account {
    /// Parses an account; blanks and hyphens between the digits are dropped.
    ///
    /// # Errors
    /// See [`AccountError`].
    pub fn parse(text: &str) -> Result<Self, AccountError> {
        let digits: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(AccountError::NotDigits);
        }
        match digits.len() {
            18 => Ok(Self::Clabe(Clabe(digits))),
            16 => Ok(Self::Card(Card(digits))),
            10 => Ok(Self::Phone(Phone(digits))),
            digits => Err(AccountError::Length { digits }),
        }
    }

    /// The digits without separators.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Clabe(clabe) => clabe.as_str(),
            Self::Card(card) => card.as_str(),
            Self::Phone(phone) => phone.as_str(),
        }
    }

    /// Returns `true` if the check digit is right, or the account has none (phone).
    pub fn has_valid_check_digit(&self) -> bool {
        self.expected_check_digit()
            .is_none_or(|expected| expected == self.last_digit())
    }

    /// The last digit, 0–9.
    pub fn last_digit(&self) -> u8 {
        self.as_str().bytes().last().map_or(0, |digit| digit - b'0')
    }

    /// The check digit computed from the other digits, 0–9; `None` for a phone number.
    pub fn expected_check_digit(&self) -> Option<u8> {
        match self {
            Self::Clabe(clabe) => Some(clabe.expected_check_digit()),
            Self::Card(card) => Some(card.expected_check_digit()),
            Self::Phone(_) => None,
        }
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clabe(_) => "Clabe(redacted)",
            Self::Card(_) => "Card(redacted)",
            Self::Phone(_) => "Phone(redacted)",
        })
    }
}

/// An 18-digit CLABE: institution (3), city (3), account (11), check digit (1).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Clabe(String);

impl Clabe {
    /// The 18 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first three digits, which identify the institution.
    pub fn prefix(&self) -> &str {
        &self.0[..3]
    }

    /// The check digit computed from the first 17 digits: weights 3, 7, 1, each product modulo 10
    /// (Asociación de Bancos de México).
    pub fn expected_check_digit(&self) -> u8 {
        let weights = [3, 7, 1].into_iter().cycle();
        let sum: u8 = self
            .0
            .bytes()
            .take(17)
            .zip(weights)
            .fold(0, |sum, (digit, weight)| {
                (sum + (digit - b'0') * weight % 10) % 10
            });
        (10 - sum) % 10
    }
}

/// A 16-digit card number (ISO/IEC 7812).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Card(String);

impl Card {
    /// The 16 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The check digit computed from the first 15 digits (Luhn).
    pub fn expected_check_digit(&self) -> u8 {
        let sum: u8 = self
            .0
            .bytes()
            .take(15)
            .enumerate()
            .fold(0, |sum, (place, digit)| {
                let digit = digit - b'0';
                let doubled = if place % 2 == 0 { digit * 2 } else { digit };
                (sum + doubled / 10 + doubled % 10) % 10
            });
        (10 - sum) % 10
    }
}

/// A 10-digit phone number that its holder has linked to an account: SPEI's account type 10. It has no
/// check digit and doesn't identify the institution.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Phone(String);

impl Phone {
    /// The 10 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn other_lengths_and_characters_are_refused() {
        for digits in [0, 9, 11, 15, 17, 19] {
            let parsed = Account::parse(&"1".repeat(digits));
            assert_eq!(parsed, Err(AccountError::Length { digits }));
        }
        let texts = [
            "00201007777777777a",
            "０１２１８０００４４１２３４５６７８",
            "012180004412345678\n",
        ];
        for text in texts {
            assert_eq!(Account::parse(text), Err(AccountError::NotDigits));
        }
    }

    #[test]
    fn blanks_and_hyphens_are_dropped() {
        let account = Account::parse("002-010-07777777777-1").unwrap();
        assert_eq!(account.as_str(), "002010077777777771");
        assert!(account.has_valid_check_digit());
    }

    #[test]
    fn ten_digits_are_a_phone_number_without_a_check_digit() {
        let phone = Account::parse("55 1234-5678").unwrap();
        assert!(matches!(phone, Account::Phone(_)));
        assert_eq!(phone.as_str(), "5512345678");
        assert_eq!(phone.expected_check_digit(), None);
        assert!(phone.has_valid_check_digit());
        assert_eq!(format!("{phone:?}"), "Phone(redacted)");
    }

    #[test]
    fn a_card_is_checked_by_luhn() {
        let is_valid = |card| Account::parse(card).unwrap().has_valid_check_digit();
        assert!(is_valid("4111 1111 1111 1111"));
        assert!(!is_valid("4111 1111 1111 1112"));
    }

    #[test]
    fn published_clabes_have_the_published_verdict() {
        let mut vectors =
            csv::Reader::from_reader(include_str!("../data/clabe-vectors.csv").as_bytes());
        let mut checked = 0;
        for row in vectors.records().map(Result::unwrap) {
            let valid = matches!(
                Account::parse(&row[0]),
                Ok(account @ Account::Clabe(_)) if account.has_valid_check_digit()
            );
            // Some libraries also refuse an unknown bank, although the digits are right.
            let right_by_its_digits = ["check digit is right", "checksum ok", "formatOk=true"];
            let expected =
                &row[1] == "true" || right_by_its_digits.iter().any(|why| row[4].contains(why));
            assert_eq!(valid, expected, "{} ({})", &row[0], &row[4]);
            checked += 1;
        }
        assert_eq!(checked, 73);
    }

    proptest! {
        #[test]
        fn one_changed_digit_of_a_clabe_or_a_card_never_passes(
            digits in "[0-9]{17}", place: prop::sample::Index, change in 1_u8..10,
        ) {
            for digits in [&digits, &digits[..15]] {
                let unchecked = Account::parse(&format!("{digits}0")).unwrap();
                let right = format!("{digits}{}", unchecked.expected_check_digit().unwrap());
                prop_assert!(Account::parse(&right).unwrap().has_valid_check_digit());
                let place = place.index(digits.len());
                let mut wrong = right.into_bytes();
                wrong[place] = (wrong[place] - b'0' + change) % 10 + b'0';
                let wrong = Account::parse(&String::from_utf8(wrong).unwrap()).unwrap();
                prop_assert!(!wrong.has_valid_check_digit());
            }
        }
    }
}
