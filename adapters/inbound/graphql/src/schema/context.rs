//! What resolvers stand on: the ports, and who asks.

use std::sync::Arc;

use async_graphql::Context;
use chrono::NaiveDate;
use domain::calendar;
use domain::participant::Catalogue;
use ports::inbound::{Caller, Insights, KeyAdministration, Person};
use ports::outbound::Clock;
use web::Language;

/// What every request may ask.
pub(crate) struct Ports {
    pub(crate) keys: Arc<dyn KeyAdministration>,
    pub(crate) insights: Arc<dyn Insights>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) catalogue: &'static Catalogue,
}

impl Ports {
    /// Today in Mexico City, the day that the catalogue of banks goes by.
    pub(super) fn today(&self) -> NaiveDate {
        calendar::today(self.clock.now())
    }
}

/// Who asks.
pub(crate) struct Asker {
    pub(crate) caller: Caller,
    pub(crate) person: Person,
    pub(crate) language: Language,
}

/// The ports, put there when the schema was built.
pub(super) fn ports<'a>(context: &Context<'a>) -> &'a Ports {
    context.data_unchecked()
}

/// Who asks, put there with each request.
pub(super) fn asker<'a>(context: &Context<'a>) -> &'a Asker {
    context.data_unchecked()
}
