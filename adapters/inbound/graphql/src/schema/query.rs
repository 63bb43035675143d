//! The root type of queries.

use std::time::Duration;

use application::{BatchError, PersonLookupError, RequestedScope, WebhookError};
use async_graphql::{Context, Description, ID, Object};
use domain::batches::BatchId;
use domain::lookups::LookupId;
use domain::people::customer::Role;
use domain::webhooks::EndpointId;
use web::problem::GraphqlProblem;

use super::account::Viewer;
use super::admin::Admin;
use super::bank::BankHealth;
use super::batch::{Batch, BatchConnection};
use super::batch_rows::{self, BatchRowPage};
use super::connection::page_request;
use super::context::{ports, readings, requester};
use super::enums::{Breakdown, Endpoint, Environment, Outcome};
use super::input::{
    BatchFilter, KeyFilter, KeySortInput, LookupFilter, RequestFilter, UsageRange, batch_query,
    key_query, lookup_query, search_text, uuid,
};
use super::key::{Key, KeyConnection};
use super::lookup::{LookupConnection, LookupDetail};
use super::requests::{Participant, RequestConnection};
use super::scoped::{self, UsageArguments};
use super::usage::UsageReport;
use super::webhook::Webhook;
use super::webhook_delivery::WebhookDeliveryConnection;
use crate::field_error::FieldError;

/// Queries.
#[derive(Description)]
pub(crate) struct Query;

#[Object(use_type_description)]
impl Query {
    /// The person who asks.
    async fn viewer(&self, context: &Context<'_>) -> Viewer {
        Viewer::from(&requester(context).person)
    }

    /// The viewer's own keys; the newest first unless ordered otherwise.
    async fn keys(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which keys; all when not given.")] filter: Option<KeyFilter>,
        #[graphql(desc = "In which order.")] order_by: Option<KeySortInput>,
    ) -> Result<KeyConnection, FieldError> {
        let page = page_request(first, after.as_deref())?;
        scoped::keys(
            context,
            RequestedScope::Own,
            key_query(page, filter, order_by)?,
        )
        .await
    }

    /// One of the viewer's keys; null when it isn't there, or isn't the viewer's.
    async fn key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] id: ID,
    ) -> Option<Result<Key, FieldError>> {
        scoped::key(context, RequestedScope::Own, &id)
            .await
            .transpose()
    }

    /// Use of the viewer's keys over time.
    async fn usage(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "When, and in which slots.")] range: UsageRange,
        #[graphql(desc = "What is told apart.", default_with = "Breakdown::Outcome")]
        breakdown: Breakdown,
        #[graphql(desc = "Of this key alone.")] key_id: Option<ID>,
        #[graphql(desc = "Of requests to this endpoint alone.")] endpoint: Option<Endpoint>,
        #[graphql(desc = "Of requests with this outcome alone.")] outcome: Option<Outcome>,
    ) -> Result<UsageReport, FieldError> {
        let arguments = UsageArguments {
            range,
            breakdown,
            key_id,
            endpoint,
            outcome,
        };
        scoped::usage(context, RequestedScope::Own, arguments).await
    }

    /// Requests made with the viewer's keys, newest first.
    async fn requests(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which requests; all when not given.")] filter: Option<RequestFilter>,
    ) -> Result<RequestConnection, FieldError> {
        let page = page_request(first, after.as_deref())?;
        scoped::requests(context, RequestedScope::Own, page, filter).await
    }

    /// Stored lookups of the viewer's keys, newest first. They hold personal data, so nobody sees those
    /// of other accounts.
    async fn lookups(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which lookups; all when not given.")] filter: Option<LookupFilter>,
    ) -> Result<LookupConnection, FieldError> {
        let page = page_request(first, after.as_deref())?;
        let query = lookup_query(page, filter)?;
        let (ports, requester) = (ports(context), requester(context));
        let page = ports.lookups.list(&requester.caller, &query).await?;
        let language = requester.language;
        Ok(LookupConnection::new(page, &query.page, ports, language))
    }

    /// One stored lookup with its attempts and its proof; null when it isn't there, or isn't the
    /// viewer's.
    async fn lookup(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The lookup.")] id: ID,
    ) -> Option<Result<LookupDetail, FieldError>> {
        // A text that isn't shaped like an id identifies nothing.
        let id = LookupId(uuid(&id)?);
        let (ports, requester) = (ports(context), requester(context));
        match ports.lookups.find(&requester.caller, id).await {
            Ok(view) => Some(Ok(LookupDetail::new(&view, ports, requester.language))),
            Err(PersonLookupError::NotFound) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// Batches of the viewer's account, newest first. They hold personal data, so nobody sees those of
    /// other accounts.
    async fn batches(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which batches; all when not given.")] filter: Option<BatchFilter>,
    ) -> Result<BatchConnection, FieldError> {
        let query = batch_query(page_request(first, after.as_deref())?, filter)?;
        let access = requester(context).batch_access();
        let read = ports(context).batches.list(&access, &query).await?;
        Ok(BatchConnection::new(read.found, &query.page))
    }

    /// One batch; null when it isn't there, or isn't the viewer's.
    async fn batch(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The batch.")] id: ID,
    ) -> Option<Result<Batch, FieldError>> {
        // A text that isn't shaped like an id identifies nothing.
        let id = BatchId(uuid(&id)?);
        let access = requester(context).batch_access();
        match ports(context)
            .batches
            .find(&access, id, Duration::ZERO)
            .await
        {
            Ok(read) => Some(Ok(Batch::from(&read.found))),
            Err(BatchError::Unknown) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// Rows of a batch, in the order of its table; null when it isn't there, or isn't the viewer's.
    async fn batch_rows(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The batch.")] id: ID,
        #[graphql(desc = "How many: 1 to 100.", default = 50)] first: i32,
        #[graphql(desc = "The number of the row before the page; 0 begins.", default = 0)]
        after: i32,
    ) -> Option<Result<BatchRowPage, FieldError>> {
        let id = BatchId(uuid(&id)?);
        batch_rows::page(context, id, (first, after))
            .await
            .transpose()
    }

    /// The viewer's webhooks, oldest first.
    async fn webhooks(&self, context: &Context<'_>) -> Result<Vec<Webhook>, FieldError> {
        let caller = &requester(context).caller;
        let found = ports(context).webhooks.list(caller).await?;
        Ok(found.iter().map(Webhook::from).collect())
    }

    /// One webhook; null when it isn't there, or isn't the viewer's.
    async fn webhook(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook.")] id: ID,
    ) -> Option<Result<Webhook, FieldError>> {
        let id = EndpointId(uuid(&id)?);
        let caller = &requester(context).caller;
        match ports(context).webhooks.find(caller, id).await {
            Ok(view) => Some(Ok(Webhook::from(&view))),
            Err(WebhookError::NotFound) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// Deliveries to a webhook, newest first; null when it isn't there, or isn't the viewer's.
    async fn webhook_deliveries(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook.")] id: ID,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
    ) -> Option<Result<WebhookDeliveryConnection, FieldError>> {
        let id = EndpointId(uuid(&id)?);
        let page = match page_request(first, after.as_deref()) {
            Ok(page) => page,
            Err(error) => return Some(Err(error)),
        };
        let caller = &requester(context).caller;
        match ports(context).webhooks.deliveries(caller, id, &page).await {
            Ok(found) => Some(Ok(WebhookDeliveryConnection::new(found, &page))),
            Err(WebhookError::NotFound) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// Health of a bank, as the gateway sees it.
    async fn bank(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Which bank.", default_with = "Environment::Live")]
        environment: Environment,
    ) -> BankHealth {
        let insights = ports(context).insights.as_ref();
        let health = readings(context).bank(insights, environment.into());
        BankHealth::new(environment, health.await)
    }

    #[expect(clippy::unused_async, reason = "a resolver is one")]
    /// The catalogue of banks, past ones included, by the first digits of their customers' CLABEs.
    async fn participants(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "With this text in the name, or at the beginning of the code, upper and \
                          lower case being alike. At most 200 characters."
        )]
        text: Option<String>,
    ) -> Result<Vec<Participant>, FieldError> {
        let text = search_text("text", text.as_deref())?.map(|text| text.to_lowercase());
        let ports = ports(context);
        let today = ports.today();
        let matches = |participant: &&domain::participants::Participant| {
            text.as_ref().is_none_or(|text| {
                participant.name.to_lowercase().contains(text)
                    || participant.code.to_string().starts_with(text)
            })
        };
        let catalogue = ports.participants.catalogue();
        let found = catalogue.participants().iter().filter(matches);
        Ok(found.map(|found| Participant::new(found, today)).collect())
    }

    /// Queries of admins; for others null, with an error of the code `FORBIDDEN`.
    async fn admin(&self, context: &Context<'_>) -> Option<Result<Admin, FieldError>> {
        Some(match requester(context).caller.role {
            Role::Admin => Ok(Admin),
            Role::Member => Err(GraphqlProblem::Forbidden.into()),
        })
    }
}
