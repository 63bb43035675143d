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

/// Date of the list that is compiled in.
const EMBEDDED_AS_OF: NaiveDate = NaiveDate::from_ymd_opt(2026, 9, 11).expect("a day");

/// The central bank's public list of 2026-09-11 and earlier codes that older payments need.
static EMBEDDED: LazyLock<Catalogue> = LazyLock::new(|| {
    Catalogue::from_csv(include_str!("../../data/banks.csv"), EMBEDDED_AS_OF)
        .expect("the embedded list is tested")
});

impl Catalogue {
    /// The compiled-in catalogue.
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// Date of the central bank's newest list in it.
    pub fn as_of(&self) -> NaiveDate {
        self.as_of
    }

    /// Every participant, also those of the past, by CLABE prefix.
    pub fn participants(&self) -> &[Participant] {
        &self.participants
    }

    /// The participants on `date`, by CLABE prefix.
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

    /// The participant whose customers' CLABEs begin with `prefix` on `date`; of two, while an
    /// institution changes its code, the newer one.
    pub fn by_clabe_prefix(&self, prefix: &str, date: NaiveDate) -> Option<&Participant> {
        self.on(date)
            .filter(|participant| participant.clabe_prefix == prefix)
            .max_by_key(|participant| participant.valid_from)
    }

    /// The participant with this name on `date`, whatever its case and surrounding blanks; of two, while
    /// an institution changes its code, the newer one.
    pub fn by_name(&self, name: &str, date: NaiveDate) -> Option<&Participant> {
        let name = name.trim();
        self.on(date)
            .filter(|participant| participant.name.eq_ignore_ascii_case(name))
            .max_by_key(|participant| participant.valid_from)
    }

    /// The institution that has or had this code, by its newest code.
    pub fn institution(&self, code: ParticipantCode) -> ParticipantCode {
        self.find(code)
            .map_or(code, |participant| participant.institution)
    }

    /// The participant as which an institution takes part on `date`.
    pub fn by_institution(
        &self,
        institution: ParticipantCode,
        date: NaiveDate,
    ) -> Option<&Participant> {
        self.on(date)
            .filter(|participant| participant.institution == institution)
            .max_by_key(|participant| participant.valid_from)
    }

    /// Parses the code of a present or past participant.
    ///
    /// The date isn't considered: the day on which a participant changed its code is known to a few
    /// days only, and the portal simply finds nothing under the wrong one.
    ///
    /// # Errors
    /// See [`ParticipantError`].
    pub fn parse_code(&self, text: &str) -> Result<ParticipantCode, ParticipantError> {
        let code = ParticipantCode::parse(text).ok_or(ParticipantError::Malformed)?;
        self.find(code)
            .map(|participant| participant.code)
            .ok_or(ParticipantError::Unknown)
    }
}
