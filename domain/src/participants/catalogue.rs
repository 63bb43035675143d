//! Catalogue of participants by date.

use std::sync::LazyLock;

use chrono::NaiveDate;

use super::{Participant, ParticipantCode, ParticipantError};

/// Catalogue of participants by date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    pub(super) participants: Vec<Participant>,
    pub(super) as_of: NaiveDate,
}

/// Date of the compiled-in list.
const EMBEDDED_AS_OF: NaiveDate = NaiveDate::from_ymd_opt(2026, 9, 11).expect("a day");

/// The central bank's public list of 2026-09-11, earlier codes that older payments need, and
/// institutions that are known to have joined since.
static EMBEDDED: LazyLock<Catalogue> = LazyLock::new(|| {
    Catalogue::from_csv(include_str!("../../data/banks.csv"), EMBEDDED_AS_OF)
        .expect("the embedded list is tested")
});

impl Catalogue {
    /// The compiled-in catalogue.
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// Date of the newest list of the central bank that it includes.
    pub fn as_of(&self) -> NaiveDate {
        self.as_of
    }

    /// All present and past participants, sorted by CLABE prefix.
    pub fn participants(&self) -> &[Participant] {
        &self.participants
    }

    /// The participants that may be valid on `date`, sorted by CLABE prefix.
    pub fn on(&self, date: NaiveDate) -> impl Iterator<Item = &Participant> {
        self.participants
            .iter()
            .filter(move |participant| participant.is_valid_on(date))
    }

    /// The participant that has or had this code.
    pub fn find(&self, code: ParticipantCode) -> Option<&Participant> {
        self.participants
            .iter()
            .find(|participant| participant.code == code)
    }

    /// The participant whose CLABEs begin with `prefix` on `date`. While an institution changes its
    /// code, the newer code that is certainly valid.
    pub fn by_clabe_prefix(&self, prefix: &str, date: NaiveDate) -> Option<&Participant> {
        self.on(date)
            .filter(|participant| participant.clabe_prefix == prefix)
            .max_by_key(|participant| participant.precedence_on(date))
    }

    /// The newest code of the institution that has or had this code. Codes with the same CLABE prefix
    /// belong to the same institution, even if they aren't listed.
    pub fn institution(&self, code: ParticipantCode) -> ParticipantCode {
        let of_prefix = |prefix: &str| {
            let mut all = self.participants.iter();
            all.find(|participant| participant.clabe_prefix == prefix)
        };
        self.find(code)
            .or_else(|| of_prefix(&code.clabe_prefix()))
            .map_or(code, |participant| participant.institution)
    }

    /// The participant under which an institution takes part on `date`; `None` if it doesn't.
    pub fn by_institution(
        &self,
        institution: ParticipantCode,
        date: NaiveDate,
    ) -> Option<&Participant> {
        self.on(date)
            .filter(|participant| participant.institution == institution)
            .max_by_key(|participant| participant.precedence_on(date))
    }

    /// Parses the code or name of a present or past participant, for a transfer on `date`.
    ///
    /// A code need not be valid on the date: the day of a code change is known only to within a few
    /// days, and with the wrong code the portal just finds nothing. An unlisted code may be newer than
    /// the list, so it is refused only if the list is as recent as the transfer.
    ///
    /// # Errors
    /// See [`ParticipantError`].
    pub fn participant(
        &self,
        text: &str,
        date: NaiveDate,
    ) -> Result<ParticipantCode, ParticipantError> {
        if text.chars().any(char::is_alphabetic) {
            return self.named(text, date);
        }
        let code = ParticipantCode::parse(text).ok_or(ParticipantError::Malformed)?;
        if self.find(code).is_none() && date <= self.as_of {
            let list_date = self.as_of;
            return Err(ParticipantError::Unknown { list_date });
        }
        Ok(code)
    }

    /// Adds the participants of `known` that were first listed after this catalogue's list. Corrects
    /// the start dates of participants that this catalogue has begin on or after the day on which
    /// `known` has them listed.
    #[must_use]
    pub fn supplemented(mut self, known: &Self) -> Self {
        for other in &known.participants {
            let Some(listed) = other.listed_since else {
                continue;
            };
            let mut own = self.participants.iter_mut();
            match own.find(|participant| participant.code == other.code) {
                Some(own) if own.valid_from.max(own.listed_since) >= Some(listed) => {
                    own.valid_from = other.valid_from;
                    own.listed_since = other.listed_since;
                }
                None if listed > self.as_of => self.participants.push(other.clone()),
                Some(_) | None => {}
            }
        }
        self.sort();
        self
    }

    /// Sorts the participants by CLABE prefix and code.
    pub(super) fn sort(&mut self) {
        let key = |one: &Participant| (one.clabe_prefix.clone(), one.code);
        self.participants.sort_by_key(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::day;
    use rstest::rstest;

    /// The embedded catalogue with another list's date, and changed rows.
    fn stored(as_of: &str, change: impl Fn(&mut Vec<Participant>)) -> Catalogue {
        let mut stored = Catalogue::embedded().clone();
        stored.as_of = day(as_of);
        change(&mut stored.participants);
        stored
    }

    #[test]
    fn an_older_stored_catalogue_gets_the_participants_that_are_known_to_have_come_since() {
        let lacking = |all: &mut Vec<Participant>| all.retain(|one| one.listed_since.is_none());
        let older = stored("2026-09-20", lacking).supplemented(Catalogue::embedded());
        assert_eq!(older, stored("2026-09-20", |_| ()));
        let listed = Catalogue::embedded().participants.iter();
        let last = listed.filter_map(|one| one.listed_since).max().unwrap();
        let of_that_day = stored(&last.to_string(), lacking);
        let supplemented = of_that_day.clone().supplemented(Catalogue::embedded());
        assert_eq!(supplemented, of_that_day);
    }

    #[rstest]
    #[case::later(|_| day("2026-11-20"), true)]
    #[case::the_day_of_the_list(|listed| listed, true)]
    #[case::earlier(|listed: NaiveDate| listed.pred_opt().unwrap(), false)]
    fn a_stored_start_is_corrected_unless_it_is_earlier_than_what_is_known(
        #[case] start: fn(NaiveDate) -> NaiveDate,
        #[case] is_corrected: bool,
    ) {
        let dated = |all: &mut Vec<Participant>| {
            for one in all {
                let Some(listed) = one.listed_since.take() else {
                    continue;
                };
                one.valid_from = Some(start(listed));
            }
        };
        let before = stored("2026-11-20", dated);
        let after = before.clone().supplemented(Catalogue::embedded());
        let corrected = stored("2026-11-20", |_| ());
        assert_eq!(after, if is_corrected { corrected } else { before });
    }
}
