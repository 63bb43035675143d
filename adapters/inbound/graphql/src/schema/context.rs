//! Data of resolvers: the ports and the requester.

use std::sync::Arc;

use application::{
    BatchAccess, BatchService, Caller, InsightsService, KeyService, Person, PersonLookupService,
    SharedCatalogue, WebhookService,
};
use async_graphql::Context;
use chrono::NaiveDate;
use domain::calendar;
use ports::outbound::Clock;
use web::Language;

use super::readings::Readings;

/// Ports that resolvers call.
#[derive(Clone)]
pub(crate) struct Ports {
    pub(crate) keys: Arc<KeyService>,
    pub(crate) insights: Arc<InsightsService>,
    pub(crate) lookups: Arc<PersonLookupService>,
    pub(crate) batches: Arc<BatchService>,
    pub(crate) webhooks: Arc<WebhookService>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) participants: Arc<SharedCatalogue>,
}

impl Ports {
    /// Today in Mexico City, on which the catalogue of participants depends.
    pub(super) fn today(&self) -> NaiveDate {
        calendar::today(self.clock.now())
    }
}

/// The person whose request it is.
pub(crate) struct Requester {
    pub(crate) caller: Caller,
    pub(crate) person: Person,
    pub(crate) language: Language,
}

impl Requester {
    /// The requester, as batches know it.
    pub(super) fn batch_access(&self) -> BatchAccess {
        BatchAccess::Person(self.caller.clone())
    }
}

/// The ports, added when the schema is built.
pub(super) fn ports<'a>(context: &Context<'a>) -> &'a Ports {
    context.data_unchecked()
}

/// The requester, added to each request.
pub(super) fn requester<'a>(context: &Context<'a>) -> &'a Requester {
    context.data_unchecked()
}

/// The request's readings, added to each request.
pub(super) fn readings<'a>(context: &Context<'a>) -> &'a Readings {
    context.data_unchecked()
}
