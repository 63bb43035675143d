//! Participants of SPEI.

use std::sync::Arc;

use application::SharedCatalogue;
use async_graphql::SimpleObject;
use chrono::NaiveDate;
use domain::calendar;
use domain::participants::{self, ParticipantCode};
use ports::outbound::Clock;

/// A participant of SPEI: a bank.
#[derive(SimpleObject)]
pub struct Participant {
    /// Its code, as `emisor` and `receptor` want it: five digits, and `2001` for the central bank.
    code: String,
    /// Its short name, as the central bank lists it.
    name: String,
    /// True when the code is valid today in Mexico City.
    active: bool,
}

/// The catalogue of participants, which GraphQL's resolvers find in the data of their schema.
#[derive(Clone)]
pub struct Participants {
    pub catalogue: Arc<SharedCatalogue>,
    pub clock: Arc<dyn Clock>,
}

impl Participants {
    /// The participant with a code. If the catalogue doesn't have the code any more, it also serves as name.
    pub fn find(&self, code: ParticipantCode) -> Participant {
        let unknown = || Participant {
            code: code.to_string(),
            name: code.to_string(),
            active: false,
        };
        let catalogue = self.catalogue.catalogue();
        let found = catalogue.find(code);
        found.map_or_else(unknown, |participant| view(participant, self.today()))
    }

    /// Participants with a text in the name or at the beginning of the code, past ones included; all
    /// without a text.
    pub fn search(&self, text: Option<&str>) -> Vec<Participant> {
        let text = text.map(str::to_lowercase);
        let matches = |participant: &&participants::Participant| {
            text.as_ref().is_none_or(|text| {
                participant.name.to_lowercase().contains(text)
                    || participant.code.to_string().starts_with(text)
            })
        };
        let catalogue = self.catalogue.catalogue();
        let found = catalogue.participants().iter().filter(matches);
        let today = self.today();
        found.map(|found| view(found, today)).collect()
    }

    fn today(&self) -> NaiveDate {
        calendar::today(self.clock.now())
    }
}

fn view(participant: &participants::Participant, today: NaiveDate) -> Participant {
    Participant {
        code: participant.code.to_string(),
        name: participant.name.clone(),
        active: participant.is_valid_on(today),
    }
}
