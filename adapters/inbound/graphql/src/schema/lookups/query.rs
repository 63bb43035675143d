//! Queries and subscriptions of stored lookups.

use application::{PersonLookupError, PersonLookupQuery};
use async_graphql::{Context, ID, InputObject, Object, Subscription};
use domain::batches::BatchId;
use domain::lookups::LookupId;
use domain::page::PageRequest;
use futures::Stream;
use futures::stream::try_unfold;
use web::problem::GraphqlProblem;
use web::views::keys::Environment;
use web::views::lookups::LookupState;
use web::views::scalars::DateTime;

use super::views::{Lookup, LookupConnection};
use crate::field_error::FieldError;
use crate::schema::arguments::{distinct, key_id, narrowed, uuid};
use crate::schema::connection::page_request;
use crate::schema::context::{ports, requester};

/// Filter of stored lookups; each condition narrows the list.
#[derive(InputObject, Default)]
pub(crate) struct LookupFilter {
    /// In one of these states; any when empty or not given.
    states: Option<Vec<LookupState>>,
    /// Of this environment.
    env: Option<Environment>,
    /// Of this key, and of those that it replaced or was replaced by.
    key_id: Option<ID>,
    /// Created at or after this instant.
    created_from: Option<DateTime>,
    /// Rows of this batch.
    batch_id: Option<ID>,
}

/// Converts the arguments of a list of lookups.
pub(super) fn lookup_query(
    page: PageRequest,
    filter: Option<LookupFilter>,
) -> Result<PersonLookupQuery, FieldError> {
    let filter = filter.unwrap_or_default();
    let states = filter.states.unwrap_or_default();
    Ok(PersonLookupQuery {
        environment: filter.env.map(Environment::into),
        states: distinct(states.into_iter().map(LookupState::into)),
        key: key_id("filter.keyId", filter.key_id.as_ref())?,
        created_from: filter.created_from.map(|instant| instant.0),
        batch: narrowed("filter.batchId", filter.batch_id.as_ref())?.map(BatchId),
        page,
    })
}

#[derive(Default)]
pub(crate) struct LookupQuery;

#[Object]
impl LookupQuery {
    /// Stored lookups of the viewer's keys, newest first. They hold personal data, so nobody sees those
    /// of other accounts.
    async fn lookups(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which lookups; all when not given.")] filter: Option<LookupFilter>,
    ) -> Result<LookupConnection, FieldError> {
        let query = lookup_query(page_request(first, after.as_deref())?, filter)?;
        let requester = requester(context);
        let lookups = &ports(context).lookups;
        let page = lookups.list(&requester.caller, &query).await?;
        Ok(LookupConnection::new(page, &query.page, requester.language))
    }

    /// One stored lookup with its attempts and its proof; null when it isn't there, or isn't the
    /// viewer's.
    async fn lookup(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The lookup.")] id: ID,
    ) -> Option<Result<Lookup, FieldError>> {
        // A text that isn't shaped like an id identifies nothing.
        let id = LookupId(uuid(&id)?);
        let requester = requester(context);
        match ports(context).lookups.find(&requester.caller, id).await {
            Ok(view) => Some(Ok(Lookup::new(&view, requester.language))),
            Err(PersonLookupError::NotFound) => None,
            Err(error) => Some(Err(error.into())),
        }
    }
}

#[derive(Default)]
pub(crate) struct LookupSubscription;

#[Subscription]
impl LookupSubscription {
    /// One of the viewer's stored lookups: as it is now, then each time that its state changes or an
    /// attempt ends, until it is final. Without its attempts and its proof.
    async fn lookup_changed(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The lookup.")] id: ID,
    ) -> Result<impl Stream<Item = Result<Lookup, FieldError>>, FieldError> {
        // A text that isn't shaped like an id identifies nothing.
        let id = uuid(&id).ok_or(GraphqlProblem::NotFound)?;
        let requester = requester(context);
        let language = requester.language;
        let changes = ports(context)
            .lookups
            .changes(&requester.caller, LookupId(id));
        Ok(try_unfold(changes.await?, move |mut changes| async move {
            let view = changes.next().await?;
            Ok(view.map(|view| (Lookup::new(&view, language), changes)))
        }))
    }
}
