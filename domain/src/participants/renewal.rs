//! Updates a catalogue with the central bank's list of one day.
//!
//! The list has only codes and names. It shows who takes part on that day and who no longer does;
//! earlier data of the catalogue is kept. For a new participant the first day is unknown, because it is
//! not known how soon the list includes it.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::csv::LEAST_PARTICIPANTS;
use super::{Catalogue, Participant, ParticipantCode, is_name};

/// Maximum number of participants that may be missing from a list. More don't leave within a few years,
/// so such a list is damaged. Four that have already left have no end date in the compiled-in
/// catalogue.
const MOST_REMOVED: usize = 10;

/// An entry of the central bank's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedParticipant {
    code: ParticipantCode,
    name: String,
}

impl ListedParticipant {
    /// Parses an entry; `None` if the code or the name is malformed.
    pub fn parse(code: &str, name: &str) -> Option<Self> {
        is_name(name).then_some(())?;
        Some(Self {
            code: ParticipantCode::parse(code)?,
            name: name.trim().to_owned(),
        })
    }
}

/// Reason why a list is refused. The catalogue stays unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DamagedList {
    /// The list has fewer entries than the minimum number of participants.
    #[error("it has {entries} participants; at least {LEAST_PARTICIPANTS} take part")]
    TooFew {
        /// Number of entries.
        entries: usize,
    },
    /// A code is listed twice.
    #[error("it has {code} twice")]
    Repeated {
        /// The repeated code.
        code: ParticipantCode,
    },
    /// Too many participants of the catalogue are missing from the list.
    #[error("{missing} participants are missing from it; at most {MOST_REMOVED} may be")]
    TooManyMissing {
        /// Number of participants that are in the catalogue on that day but not in the list.
        missing: usize,
    },
    /// The list is older than the catalogue.
    #[error("it is of an earlier day than the catalogue, {as_of}")]
    Outdated {
        /// Date of the catalogue's newest list.
        as_of: NaiveDate,
    },
}

/// An updated catalogue and its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// The updated catalogue.
    pub catalogue: Catalogue,
    /// Codes in the list that weren't valid in the catalogue on that day.
    pub added: Vec<ParticipantCode>,
    /// Codes whose validity now ends on the day before.
    pub removed: Vec<ParticipantCode>,
}

impl Catalogue {
    /// Updates the catalogue with the list of `date`. A new code with the CLABE prefix of a known
    /// participant is another code of the same institution.
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

    /// Adds a code that is first listed on `date` and valid from an unknown day. A code that was known
    /// before becomes valid again without a gap, because a single list may have lacked it by mistake.
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

    /// Updates names, and moves `listed_since` back if the code was listed earlier than known.
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

/// The names of a list by code; checks the number of entries and their uniqueness.
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
