//! Context data of resolvers: the ports, and the user who sent the request.

use std::sync::Arc;

use application::{
    BatchAccess, BatchService, Caller, InsightsService, KeyService, OwnAccountService, Person,
    PersonLookupService, WebhookService,
};
use async_graphql::Context;
use web::Language;
use web::views::participants::Participants;

use super::readings::Readings;

/// Services and ports that resolvers call.
#[derive(Clone)]
pub(crate) struct Ports {
    pub(crate) keys: Arc<KeyService>,
    pub(crate) insights: Arc<InsightsService>,
    pub(crate) lookups: Arc<PersonLookupService>,
    pub(crate) batches: Arc<BatchService>,
    pub(crate) own_accounts: Arc<OwnAccountService>,
    pub(crate) webhooks: Arc<WebhookService>,
    pub(crate) participants: Participants,
}

/// The user who sent the request, and the language of messages.
pub(crate) struct Requester {
    pub(crate) caller: Caller,
    pub(crate) person: Person,
    pub(crate) language: Language,
}

impl Requester {
    /// The requester as an argument of batch use cases.
    pub(super) fn batch_access(&self) -> BatchAccess {
        BatchAccess::Person(self.caller.clone())
    }
}

/// The ports in the schema's data.
pub(super) fn ports<'a>(context: &Context<'a>) -> &'a Ports {
    context.data_unchecked()
}

/// The requester in the request's data.
pub(super) fn requester<'a>(context: &Context<'a>) -> &'a Requester {
    context.data_unchecked()
}

/// The shared reads in the request's data.
pub(super) fn readings<'a>(context: &Context<'a>) -> &'a Readings {
    context.data_unchecked()
}
