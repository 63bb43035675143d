//! Finds participants by name: the central bank's short names, and other names in use.
//!
//! Case, accents, punctuation and blanks are ignored. If no name matches, legal forms and common words
//! (`BANCO`, `MEXICO`) are ignored too.

use std::sync::LazyLock;

use chrono::NaiveDate;

use super::{Catalogue, Participant, ParticipantCode, ParticipantError};
use crate::{folding, misspelling};

/// Maximum length of a searched name in characters. Legal names with form and group have up to 120.
pub const MAX_LENGTH: usize = 150;
/// Maximum number of similar names in an error.
const MAX_NEAREST: usize = 5;
/// Minimum length of a name that counts as similar when another one contains it.
const LEAST_SHARED: usize = 3;

/// Words with which the legal form or the group begins in a name.
const FORMS: [&str; 9] = [
    "SA",
    "S",
    "SAB",
    "SAPI",
    "SNC",
    "INSTITUCION",
    "SOCIEDAD",
    "SOFIPO",
    "IFPE",
];
/// Words that many names have in common.
const FILLERS: [&str; 5] = ["BANCO", "MEXICO", "DE", "GRUPO", "FINANCIERO"];

/// A participant's code and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedParticipant {
    /// Code that the portal uses.
    pub code: ParticipantCode,
    /// Short name in the central bank's list.
    pub name: String,
}

impl From<&Participant> for NamedParticipant {
    fn from(participant: &Participant) -> Self {
        Self {
            code: participant.code,
            name: participant.name.clone(),
        }
    }
}

/// A normalised name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FoldedName {
    /// All letters and digits.
    whole: String,
    /// The same without legal form and shared words.
    core: String,
}

impl FoldedName {
    fn of(name: &str) -> Self {
        let mut folded = String::with_capacity(name.len());
        for character in folding::folded(name) {
            match character {
                // Dots of abbreviations (`S.A.`), and apostrophes.
                '.' | '\'' | '’' => {}
                character if character.is_alphanumeric() => folded.push(character),
                _ => folded.push(' '),
            }
        }
        let words: Vec<&str> = folded.split_whitespace().collect();
        let form = words.iter().skip(1).position(|word| FORMS.contains(word));
        let core = &words[..form.map_or(words.len(), |index| index + 1)];
        let core = core.iter().filter(|word| !FILLERS.contains(word));
        Self {
            whole: words.concat(),
            core: core.copied().collect(),
        }
    }

    fn is_near(&self, other: &Self) -> bool {
        let contains = |one: &str, other: &str| other.len() >= LEAST_SHARED && one.contains(other);
        contains(&self.core, &other.core)
            || contains(&other.core, &self.core)
            || (!self.core.is_empty() && misspelling::is_near(&self.core, &other.core))
    }
}

/// Another name of a participant, which isn't in the central bank's list.
struct Alias {
    name: FoldedName,
    code: ParticipantCode,
}

static ALIASES: LazyLock<Vec<Alias>> = LazyLock::new(|| {
    from_csv(include_str!("../../data/participant-aliases.csv")).expect("the table is tested")
});

/// Parses rows of `alias,participant,…` after a header row; `None` if a row is malformed.
fn from_csv(csv: &str) -> Option<Vec<Alias>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let aliases = reader.records().map(|row| {
        let row = row.ok()?;
        Some(Alias {
            name: FoldedName::of(row.get(0)?),
            code: ParticipantCode::parse(row.get(1)?)?,
        })
    });
    aliases.collect()
}

impl Catalogue {
    /// The code on `date` of the participant with this name.
    pub(super) fn named(
        &self,
        name: &str,
        date: NaiveDate,
    ) -> Result<ParticipantCode, ParticipantError> {
        if name.chars().count() > MAX_LENGTH {
            return Err(ParticipantError::Malformed);
        }
        let name = FoldedName::of(name);
        let mut found = self.with_name(date, |known| known.whole == name.whole);
        if found.is_empty() && !name.core.is_empty() {
            found = self.with_name(date, |known| known.core == name.core);
        }
        match &found[..] {
            [one] => Ok(one.code),
            [] => {
                let mut nearest = self.with_name(date, |known| known.is_near(&name));
                nearest.truncate(MAX_NEAREST);
                let nearest = nearest.into_iter().map(Into::into).collect();
                Err(ParticipantError::UnknownName { nearest })
            }
            several => {
                let candidates = several.iter().copied().map(Into::into).collect();
                Err(ParticipantError::AmbiguousName { candidates })
            }
        }
    }

    /// The participant with this name on `date`.
    pub fn by_name(&self, name: &str, date: NaiveDate) -> Option<&Participant> {
        let code = self.named(name, date).ok()?;
        self.find(code)
    }

    /// The participants on `date` whose institution has, or ever had, a matching name.
    fn with_name(&self, date: NaiveDate, fits: impl Fn(&FoldedName) -> bool) -> Vec<&Participant> {
        let listed = self.participants.iter();
        let listed = listed.filter(|one| fits(&FoldedName::of(&one.name)));
        let aliases = ALIASES.iter().filter(|alias| fits(&alias.name));
        let institutions = listed
            .map(|participant| participant.institution)
            .chain(aliases.map(|alias| self.institution(alias.code)));
        let mut found: Vec<&Participant> = Vec::new();
        for participant in institutions.filter_map(|one| self.by_institution(one, date)) {
            if found.iter().all(|known| known.code != participant.code) {
                found.push(participant);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::day;
    use proptest::prelude::*;
    use rstest::rstest;

    fn on(name: &str, date: &str) -> Result<String, ParticipantError> {
        let code = Catalogue::embedded().participant(name, day(date));
        code.map(|code| code.to_string())
    }

    #[rstest]
    #[case::listed_in_any_spelling("40012", &["BBVA MEXICO", "bbva méxico", " Bbva-México. "])]
    #[case::trade_and_former("40012", &["BBVA", "Bancomer"])]
    #[case::legal("40012", &["BBVA México, S.A., Institución de Banca Múltiple, Grupo Financiero BBVA México"])]
    #[case::group("40072", &["Grupo Financiero Banorte, S.A.B. de C.V.", "Banorte"])]
    #[case("40002", &["Citibanamex", "BANAMEX"])]
    #[case("40127", &["Banco Azteca"])]
    #[case("90722", &["Mercado Pago"])]
    #[case("40638", &["Nu"])]
    #[case("90646", &["STP"])]
    #[case("40021", &["HSBC"])]
    #[case("40014", &["Banco Santander México"])]
    #[case("40044", &["Scotiabank"])]
    #[case("40036", &["Banco Inbursa"])]
    #[case("90728", &["Spin"])]
    #[case("90661", &["Klar"])]
    #[case("40138", &["Ualá"])]
    #[case("40169", &["Openbank"])]
    #[case("2001", &["Banco de México", "banxico"])]
    #[case("40160", &["Banco S3"])]
    #[case("40106", &["Bank of America"])]
    fn a_name_is_that_of_a_participant(#[case] code: &str, #[case] names: &[&str]) {
        for name in names {
            assert_eq!(on(name, "2026-11-20").as_deref(), Ok(code), "{name}");
        }
    }

    #[test]
    fn a_name_gives_the_code_of_the_date() {
        for (name, date, code) in [
            ("NUBANK", "2026-08-04", "90638"),
            ("Nu", "2019-01-01", "90638"),
            ("NU MEXICO", "2026-08-05", "40638"),
        ] {
            assert_eq!(on(name, date).as_deref(), Ok(code), "{name}");
        }
    }

    #[test]
    fn a_name_of_several_participants_gives_them_all_and_a_long_one_is_refused() {
        let several = on("Intercam", "2026-11-20");
        let Err(ParticipantError::AmbiguousName { candidates }) = several else {
            panic!("it names two");
        };
        let codes: Vec<_> = candidates.iter().map(|one| one.code.number()).collect();
        assert_eq!(codes, [40136, 90630]);
        let longer = on(&"B".repeat(MAX_LENGTH + 1), "2026-11-20");
        assert_eq!(longer, Err(ParticipantError::Malformed));
    }

    #[rstest]
    #[case::misspelt("BANORTEE", &[40072])]
    #[case::shortened("Banort", &[40072])]
    #[case::with_more("BBVA BANCOMER NOMINA", &[40012])]
    #[case::nobodys("Banco Xyzzy", &[])]
    #[case::fillers_alone("Banco", &[])]
    fn an_unknown_name_gives_the_nearest(#[case] name: &str, #[case] codes: &[u32]) {
        let Err(ParticipantError::UnknownName { nearest }) = on(name, "2026-11-20") else {
            panic!("nobody has this name");
        };
        let near: Vec<_> = nearest.iter().map(|one| one.code.number()).collect();
        assert_eq!(near, codes);
    }

    #[test]
    fn every_alias_is_of_a_participant_and_every_listed_name_is_its_own() {
        let catalogue = Catalogue::embedded();
        assert!(ALIASES.len() > 50);
        for alias in ALIASES.iter() {
            assert!(catalogue.find(alias.code).is_some(), "{}", alias.code);
        }
        let date = day("2026-11-20");
        for participant in catalogue.on(date) {
            let read = catalogue.participant(&participant.name, date);
            assert_eq!(read, Ok(participant.code), "{}", participant.name);
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_valid_on_the_date(text in "\\PC{0,40}", days in 0_u64..9_000) {
            let date = day("2004-08-13") + chrono::Days::new(days);
            let catalogue = Catalogue::embedded();
            if let Some(found) = catalogue.by_name(&text, date) {
                prop_assert!(found.is_valid_on(date));
            }
        }
    }
}
