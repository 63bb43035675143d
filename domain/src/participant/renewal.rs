//! Renewal of a catalogue from the central bank's list of one day.
//!
//! The list has codes and names alone. A catalogue learns from it who takes part on that day, and who no
//! longer does; what it knows of earlier days stays. A newcomer takes part from an unknown day on: nobody
//! says how soon the list has it.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::csv::LEAST_PARTICIPANTS;
use super::{Catalogue, Participant, ParticipantCode, is_name};

/// Most participants that may be missing from a list: more leave in no few years, so the list is
/// damaged. Four that have left already are in the compiled-in catalogue without an end.
const MOST_REMOVED: usize = 10;

/// An entry of the central bank's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedParticipant {
    code: ParticipantCode,
    name: String,
}

impl ListedParticipant {
    /// Reads an entry; `None` when its code or its name can't be one.
    pub fn parse(code: &str, name: &str) -> Option<Self> {
        is_name(name).then_some(())?;
        Some(Self {
            code: ParticipantCode::parse(code)?,
            name: name.trim().to_owned(),
        })
    }
}

/// Sign that a list is damaged. The catalogue stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DamagedList {
    /// Fewer entries than there can be.
    #[error("it has {entries} participants; at least {LEAST_PARTICIPANTS} take part")]
    TooFew {
        /// Number of entries.
        entries: usize,
    },
    /// A code stands twice.
    #[error("it has {code} twice")]
    Repeated {
        /// The code.
        code: ParticipantCode,
    },
    /// More participants are missing than leave in years.
    #[error("{missing} participants are missing from it; at most {MOST_REMOVED} may be")]
    TooManyMissing {
        /// Number of participants that the catalogue has on that day and the list hasn't.
        missing: usize,
    },
    /// The catalogue has a newer list.
    #[error("it is of an earlier day than the catalogue, {as_of}")]
    Outdated {
        /// Date of the catalogue.
        as_of: NaiveDate,
    },
}

/// A renewed catalogue, and what changed in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// The catalogue.
    pub catalogue: Catalogue,
    /// Codes that the list has and the catalogue didn't have on that day.
    pub added: Vec<ParticipantCode>,
    /// Codes that took part until the day before.
    pub removed: Vec<ParticipantCode>,
}

impl Catalogue {
    /// Renews the catalogue with the list of `date`. A new code with the CLABE prefix of a known
    /// participant is another code of its institution.
    ///
    /// # Errors
    /// See [`DamagedList`].
    pub fn renewed(
        &self,
        list: &[ListedParticipant],
        date: NaiveDate,
    ) -> Result<Renewal, DamagedList> {
        if date < self.as_of {
            return Err(DamagedList::Outdated { as_of: self.as_of });
        }
        let names = names(list)?;
        let removed: Vec<_> = self
            .on(date)
            .map(|participant| participant.code)
            .filter(|code| !names.contains_key(code))
            .collect();
        if removed.len() > MOST_REMOVED {
            return Err(DamagedList::TooManyMissing {
                missing: removed.len(),
            });
        }
        let present: HashSet<_> = self.on(date).map(|participant| participant.code).collect();
        let added: Vec<_> = list
            .iter()
            .map(|listed| listed.code)
            .filter(|code| !present.contains(code))
            .collect();
        let mut catalogue = Self {
            participants: self.participants.clone(),
            as_of: date,
        };
        catalogue.end(&removed, date);
        for code in &added {
            catalogue.begin(*code, date);
        }
        catalogue.confirm(&names, date);
        catalogue.sort();
        Ok(Renewal {
            catalogue,
            added,
            removed,
        })
    }

    /// Ends the validity of codes on the day before `date`.
    fn end(&mut self, codes: &[ParticipantCode], date: NaiveDate) {
        for participant in &mut self.participants {
            if codes.contains(&participant.code) && participant.is_valid_on(date) {
                participant.valid_to = date.pred_opt();
            }
        }
    }

    /// Adds a code that is listed since `date`, and valid from an unknown day on. One that was known
    /// before is valid again without a gap: a single list that lacked it leaves no trace.
    fn begin(&mut self, code: ParticipantCode, date: NaiveDate) {
        let newest = self
            .participants
            .iter_mut()
            .filter(|participant| participant.code == code)
            .max_by_key(|participant| participant.valid_to);
        if let Some(known) = newest {
            known.valid_to = None;
            known.valid_from = known.valid_from.filter(|from| *from <= date);
            return;
        }
        let clabe_prefix = code.clabe_prefix();
        self.participants.push(Participant {
            code,
            clabe_prefix,
            institution: self.institution(code),
            name: String::new(),
            valid_from: None,
            valid_to: None,
            listed_since: Some(date),
        });
    }

    /// Takes over names, and the earlier date on which a code turns out to have been listed.
    fn confirm(&mut self, names: &HashMap<ParticipantCode, &str>, date: NaiveDate) {
        for participant in &mut self.participants {
            if let Some(name) = names.get(&participant.code)
                && participant.is_valid_on(date)
            {
                (*name).clone_into(&mut participant.name);
                participant.listed_since = participant.listed_since.map(|since| since.min(date));
            }
        }
    }
}

/// Returns the names of a list by code.
fn names(list: &[ListedParticipant]) -> Result<HashMap<ParticipantCode, &str>, DamagedList> {
    if list.len() < LEAST_PARTICIPANTS {
        return Err(DamagedList::TooFew {
            entries: list.len(),
        });
    }
    let mut names = HashMap::new();
    for ListedParticipant { code, name } in list {
        if names.insert(*code, name.as_str()).is_some() {
            return Err(DamagedList::Repeated { code: *code });
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests;
