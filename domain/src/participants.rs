//! SPEI participants: codes, names, and a catalogue by date.

use std::fmt;

use chrono::NaiveDate;

mod catalogue;
mod csv;
pub mod inference;
mod names;
mod renewal;

pub use catalogue::Catalogue;
pub use csv::CatalogueError;
pub use names::{MAX_LENGTH as MAX_NAME_LENGTH, NamedParticipant};
pub use renewal::{DamagedList, ListedParticipant, Renewal};

/// Maximum length of a participant's listed name, in characters; the central bank's have up to 15.
const MAX_LISTED_LENGTH: usize = 40;

/// A participant's code: five digits, or `2001` for the central bank itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParticipantCode(u32);

/// Error of reading a participant's code or name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParticipantError {
    /// The text is neither a name, nor five ASCII digits without a leading zero, nor `2001`.
    #[error("a participant code has 5 digits (the central bank's is 2001)")]
    Malformed,
    /// The code is well-formed but not in the list, which is as recent as the transfer.
    #[error("no participant has this code in the list of {list_date}")]
    Unknown {
        /// Date of the list of participants.
        list_date: NaiveDate,
    },
    /// No participant has this name on the date.
    #[error("no participant has this name")]
    UnknownName {
        /// Participants with similar names; may be empty.
        nearest: Vec<NamedParticipant>,
    },
    /// Several participants have this name.
    #[error("several participants have this name")]
    AmbiguousName {
        /// The participants with this name.
        candidates: Vec<NamedParticipant>,
    },
}

impl ParticipantCode {
    /// Code of the central bank (Banco de México).
    pub const CENTRAL_BANK: Self = Self(2001);

    /// Parses a code by its form only; use a [`Catalogue`] to see if it exists.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "2001" {
            return Some(Self::CENTRAL_BANK);
        }
        let five_digits =
            text.len() == 5 && !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
        five_digits.then(|| text.parse().ok().map(Self)).flatten()
    }

    /// The code as a number, as it is stored.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl ParticipantCode {
    /// The first three digits of CLABEs at the participant: the last three of the code.
    pub fn clabe_prefix(self) -> String {
        format!("{:03}", self.0 % 1_000)
    }
}

impl fmt::Display for ParticipantCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for ParticipantCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParticipantCode({self})")
    }
}

/// A participant's code during a period of validity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// Code that the portal uses.
    pub code: ParticipantCode,
    /// The first three digits of CLABEs at this participant.
    pub clabe_prefix: String,
    /// The institution, identified by its newest code. Payments between two codes of an institution
    /// don't use SPEI.
    pub institution: ParticipantCode,
    /// Short name in the central bank's list.
    pub name: String,
    /// First day on which the code is valid; `None` if unknown or unlimited.
    pub valid_from: Option<NaiveDate>,
    /// Last day on which the code is valid; `None` if it has no end.
    pub valid_to: Option<NaiveDate>,
    /// Date of the first list with the code, if the code became valid on an unknown day.
    pub listed_since: Option<NaiveDate>,
}

impl Participant {
    /// Returns `true` if the code may be valid on `date`. A code that became valid on an unknown day
    /// may have been valid on any day before it was listed.
    pub fn is_valid_on(&self, date: NaiveDate) -> bool {
        self.valid_from.is_none_or(|from| from <= date) && self.valid_to.is_none_or(|to| date <= to)
    }

    /// Returns `true` if the code is certain to be valid on `date`.
    pub fn is_certain_on(&self, date: NaiveDate) -> bool {
        self.is_valid_on(date) && self.listed_since.is_none_or(|since| since <= date)
    }

    /// Sort order of an institution's codes that are valid on `date`: the newest one that is certain
    /// comes last.
    fn precedence_on(&self, date: NaiveDate) -> impl Ord + use<> {
        let since = self.valid_from.max(self.listed_since);
        (self.is_certain_on(date), since)
    }
}

/// Returns `true` if the text can be a participant's name: printable, not blank, and not too long.
fn is_name(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= MAX_LISTED_LENGTH
        && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::day;
    use rstest::rstest;

    #[test]
    fn nu_has_the_code_of_the_date() {
        let dates = [
            ("2026-08-04", "90638"),
            ("2026-08-05", "40638"),
            ("2019-01-01", "90638"),
        ];
        for (date, code) in dates {
            let participant = Catalogue::embedded().by_clabe_prefix("638", day(date));
            assert_eq!(participant.unwrap().code.to_string(), code, "{date}");
        }
    }

    #[test]
    fn codes_are_read_by_their_shape() {
        let read = |text| Catalogue::embedded().participant(text, day("2026-09-11"));
        for text in ["40012", "2001", "90638"] {
            assert_eq!(read(text).map(|code| code.to_string()), Ok(text.to_owned()));
        }
        for text in ["02001", "4012", "400120", "４００１２", "", " 40012"] {
            assert_eq!(read(text), Err(ParticipantError::Malformed), "{text}");
        }
    }

    #[rstest]
    #[case::older("2019-01-01", false)]
    #[case::of_the_day("2026-09-11", false)]
    #[case::newer("2026-09-12", true)]
    fn an_unlisted_code_may_be_newer_than_the_list(#[case] date: &str, #[case] is_read: bool) {
        let catalogue = Catalogue::embedded();
        let list_date = catalogue.as_of();
        assert_eq!(list_date, day("2026-09-11"));
        let code = ParticipantCode::parse("90846").unwrap();
        let unknown = ParticipantError::Unknown { list_date };
        let expected = is_read.then_some(code).ok_or(unknown);
        assert_eq!(catalogue.participant("90846", day(date)), expected);
    }

    #[rstest]
    #[case::before_it_was_listed("2026-10-05", false)]
    #[case::since_it_is_listed("2026-10-06", true)]
    fn a_code_from_an_unknown_day_is_certain_since_it_is_listed(
        #[case] date: &str,
        #[case] is_certain: bool,
        #[values("169", "171", "708")] prefix: &str,
    ) {
        let catalogue = Catalogue::embedded();
        let newcomer = catalogue.by_clabe_prefix(prefix, day(date)).unwrap();
        assert_eq!(newcomer.is_certain_on(day(date)), is_certain);
    }

    #[test]
    fn at_most_one_participant_has_a_prefix_on_a_date() {
        let catalogue = Catalogue::embedded();
        assert_eq!(catalogue.participants().len(), 105);
        for date in ["2020-01-01", "2026-08-04", "2026-08-05", "2026-11-20"].map(day) {
            for participant in catalogue.participants() {
                let holders = catalogue.participants().iter().filter(|other| {
                    other.clabe_prefix == participant.clabe_prefix && other.is_valid_on(date)
                });
                assert_eq!(holders.count(), 1, "{} on {date}", participant.clabe_prefix);
            }
        }
    }

    #[rstest]
    #[case::nu_before_it_was_a_bank("90638", "40638")]
    #[case::nu("40638", "40638")]
    #[case::any_other("40012", "40012")]
    #[case::nobody("40999", "40999")]
    #[case::another_code_of_a_known_prefix("40646", "90646")]
    fn a_code_belongs_to_an_institution(#[case] code: &str, #[case] institution: &str) {
        let code = ParticipantCode::parse(code).unwrap();
        let found = Catalogue::embedded().institution(code);
        assert_eq!(found.to_string(), institution);
    }

    #[test]
    fn codes_end_with_their_clabe_prefix_and_those_with_the_same_are_one_institution() {
        let catalogue = Catalogue::embedded();
        for one in catalogue.participants() {
            let code = one.code.to_string();
            assert!(code.ends_with(&one.clabe_prefix), "{code}");
            for other in catalogue.participants() {
                let same_prefix = one.clabe_prefix == other.clabe_prefix;
                let same_institution = one.institution == other.institution;
                assert_eq!(same_institution, same_prefix, "{code}");
            }
        }
    }
}
