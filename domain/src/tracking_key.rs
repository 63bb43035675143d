//! Tracking keys (*clave de rastreo*), which issuing banks assign to transfers.

use std::fmt;
use std::ops::Range;

use chrono::NaiveDate;

use crate::calendar;

/// Maximum length of a tracking key in SPEI, in characters.
pub const MAX_LENGTH: usize = 30;

/// Maximum number of digits in a SPEI payment's numeric reference.
const MAX_REFERENCE_DIGITS: usize = 7;

/// Number of digits of a date and a participant's code, with which many keys begin.
const DATE_AND_CODE: usize = 13;

/// A tracking key: 1 to 30 printable ASCII characters without `<`, `>`, `"` and `\`.
///
/// Case is kept, because the portal is case-sensitive.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TrackingKey(String);

/// Error of parsing a tracking key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrackingKeyError {
    /// The text is empty or blank.
    #[error("must not be empty")]
    Empty,
    /// The key is longer than [`MAX_LENGTH`].
    #[error("at most {MAX_LENGTH} characters, {length} were given")]
    TooLong {
        /// Number of characters in the key.
        length: usize,
    },
    /// The key has a control character, a character outside ASCII (such as a look-alike letter), or one
    /// of `<`, `>`, `"`, `\`.
    #[error("the character {character:?} at place {place} is not accepted")]
    Character {
        /// The first such character.
        character: char,
        /// Its position, from 1.
        place: usize,
    },
}

impl TrackingKey {
    /// Parses a tracking key; surrounding blanks are dropped.
    ///
    /// # Errors
    /// See [`TrackingKeyError`].
    pub fn parse(text: &str) -> Result<Self, TrackingKeyError> {
        let key = text.trim_matches(' ');
        let refused =
            |c: char| !(c == ' ' || c.is_ascii_graphic()) || matches!(c, '<' | '>' | '"' | '\\');
        if let Some((index, character)) = key.chars().enumerate().find(|(_, c)| refused(*c)) {
            return Err(TrackingKeyError::Character {
                character,
                place: index + 1,
            });
        }
        match key.len() {
            0 => Err(TrackingKeyError::Empty),
            1..=MAX_LENGTH => Ok(Self(key.to_owned())),
            length => Err(TrackingKeyError::TooLong { length }),
        }
    }

    /// The key as given, without surrounding blanks.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` for a number of at most 7 digits, and for a date in digits; separators are
    /// ignored. Banks' keys are longer.
    pub fn looks_like_reference(&self) -> bool {
        let digits = self.0.replace(['-', '/', '.', ' '], "");
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.len() {
            0 => false,
            1..=MAX_REFERENCE_DIGITS => is_number,
            8 if is_number => {
                is_date(&digits, [0..4, 4..6, 6..8]) || is_date(&digits, [4..8, 2..4, 0..2])
            }
            _ => false,
        }
    }

    /// Returns `true` if a bank may have assigned the key: it has letters, digits, `-`, `/` and `_`
    /// only, and at least one digit. Blanks are known only in keys that begin with a date and a
    /// participant's code (`data/tracking-key-patterns.csv`); any other text with blanks may be a
    /// sentence.
    pub fn may_be_a_banks(&self) -> bool {
        let is_written =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/' | b'_');
        let has_code = self.0.starts_with("20")
            && self
                .0
                .bytes()
                .take(DATE_AND_CODE)
                .all(|byte| byte.is_ascii_digit());
        self.0.bytes().any(|byte| byte.is_ascii_digit())
            && self
                .0
                .bytes()
                .all(|byte| is_written(byte) || byte == b' ' && has_code)
    }

    /// The key's characters out of `[A-Za-z0-9._-]`, for a file name; `_` if none is left.
    pub fn file_name_part(&self) -> String {
        let safe = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let part: String = self.0.chars().filter(safe).collect();
        if part.is_empty() {
            "_".to_owned()
        } else {
            part
        }
    }
}

/// Returns `true` if year, month and day at these positions are a date since SPEI began.
fn is_date(digits: &str, places: [Range<usize>; 3]) -> bool {
    let [year, month, day] = places.map(|place| digits.get(place).unwrap_or_default());
    let date = match (year.parse(), month.parse(), day.parse()) {
        (Ok(year), Ok(month), Ok(day)) => NaiveDate::from_ymd_opt(year, month, day),
        _ => None,
    };
    date.is_some_and(|date| date >= calendar::EARLIEST)
}

impl fmt::Display for TrackingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Redacted, like the account and the amount: together they give access to the proof.
impl fmt::Debug for TrackingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TrackingKey(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("", TrackingKeyError::Empty)]
    #[case("   ", TrackingKeyError::Empty)]
    #[case("1234567890123456789012345678901", TrackingKeyError::TooLong { length: 31 })]
    #[case("AB\u{7}C", TrackingKeyError::Character { character: '\u{7}', place: 3 })]
    #[case("АBC", TrackingKeyError::Character { character: 'А', place: 1 })]
    #[case("A\nB", TrackingKeyError::Character { character: '\n', place: 2 })]
    #[case("A\"B", TrackingKeyError::Character { character: '"', place: 2 })]
    fn an_invalid_tracking_key_is_refused(#[case] text: &str, #[case] reason: TrackingKeyError) {
        assert_eq!(TrackingKey::parse(text), Err(reason));
    }

    #[rstest]
    #[case::digits(true, &["161225", "1234567", "10001"])]
    #[case::dates(true, &["16/12/2025", "20251216", "16122025", "16-12-25"])]
    #[case::others(false, &["12345678", "16122S", "--", "MBAN01002611200000000001"])]
    fn a_reference_is_no_tracking_key(#[case] expected: bool, #[case] keys: &[&str]) {
        for key in keys {
            let key = TrackingKey::parse(key).unwrap();
            assert_eq!(key.looks_like_reference(), expected, "{key}");
        }
    }

    #[test]
    fn blanks_around_are_dropped_and_a_part_of_a_file_name_never_climbs_or_is_empty() {
        assert_eq!(TrackingKey::parse(" bNet01 ").unwrap().as_str(), "bNet01");
        for (key, part) in [("../a b'c", "..abc"), ("///", "_")] {
            assert_eq!(TrackingKey::parse(key).unwrap().file_name_part(), part);
        }
    }

    proptest! {
        #[test]
        fn an_accepted_key_is_short_printable_ascii(text in "\\PC{0,40}") {
            if let Ok(key) = TrackingKey::parse(&text) {
                prop_assert!((1..=MAX_LENGTH).contains(&key.as_str().len()));
                prop_assert!(key.as_str().bytes().all(|b| (0x20..0x7f).contains(&b)));
                prop_assert!(key.file_name_part().bytes().all(
                    |b| b.is_ascii_alphanumeric() || b"._-".contains(&b)
                ));
            }
        }
    }
}
