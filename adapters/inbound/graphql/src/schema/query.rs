//! What can be asked.

use async_graphql::{Context, Description, ID, Object};
use domain::customer::Role;
use domain::key::KeyId;
use domain::usage::UsageQuery;
use ports::inbound::{KeyError, RequestedScope};

use super::account::Viewer;
use super::admin::Admin;
use super::bank::BankHealth;
use super::connection::page_ask;
use super::context::{asker, ports};
use super::enums::{Breakdown, Endpoint, Environment, Outcome};
use super::input::{
    KeyFilter, KeyOrder, RequestFilter, UsageRange, key_id, key_listing, only, request_listing,
    search_text, uuid,
};
use super::key::{Key, KeyConnection};
use super::requests::{Participant, RequestConnection};
use super::usage::UsageReport;
use crate::failure::Failure;

/// What can be asked.
#[derive(Description)]
pub(crate) struct Query;

#[Object(use_type_description)]
impl Query {
    /// The person who asks.
    async fn viewer(&self, context: &Context<'_>) -> Viewer {
        Viewer::from(&asker(context).person)
    }

    /// The viewer's own keys; the newest first unless ordered otherwise.
    async fn keys(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which keys; all when not given.")] filter: Option<KeyFilter>,
        #[graphql(desc = "In which order.")] order_by: Option<KeyOrder>,
    ) -> Result<KeyConnection, Failure> {
        let page = page_ask(first, after.as_deref())?;
        keys(
            context,
            RequestedScope::Own,
            key_listing(page, filter, order_by)?,
        )
        .await
    }

    /// One of the viewer's keys; null when it isn't there, or isn't the viewer's.
    async fn key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] id: ID,
    ) -> Result<Option<Key>, Failure> {
        key(context, RequestedScope::Own, &id).await
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
    ) -> Result<UsageReport, Failure> {
        let wanted = Wanted {
            range,
            breakdown,
            key_id,
            endpoint,
            outcome,
        };
        usage(context, RequestedScope::Own, wanted).await
    }

    /// Requests made with the viewer's keys, newest first.
    async fn requests(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which requests; all when not given.")] filter: Option<RequestFilter>,
    ) -> Result<RequestConnection, Failure> {
        let page = page_ask(first, after.as_deref())?;
        requests(context, RequestedScope::Own, page, filter).await
    }

    /// How a bank does, as the gateway sees it.
    async fn bank(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Which bank.", default_with = "Environment::Live")]
        environment: Environment,
    ) -> BankHealth {
        let health = ports(context).insights.bank(environment.into()).await;
        BankHealth::new(environment, &health)
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
    ) -> Result<Vec<Participant>, Failure> {
        let text = search_text("text", text)?.map(|text| text.to_lowercase());
        let ports = ports(context);
        let today = ports.today();
        let matches = |participant: &&domain::participant::Participant| {
            text.as_ref().is_none_or(|text| {
                participant.name.to_lowercase().contains(text)
                    || participant.code.to_string().starts_with(text)
            })
        };
        let found = ports.catalogue.participants().iter().filter(matches);
        Ok(found.map(|found| Participant::new(found, today)).collect())
    }

    #[expect(clippy::unused_async, reason = "a resolver is one")]
    /// What admins may ask besides; for others null, with an error of the code `FORBIDDEN`.
    async fn admin(&self, context: &Context<'_>) -> Result<Option<Admin>, Failure> {
        match asker(context).caller.role {
            Role::Admin => Ok(Some(Admin)),
            Role::Member => Err(Failure::Forbidden),
        }
    }
}

pub(super) async fn keys(
    context: &Context<'_>,
    reach: RequestedScope,
    ask: domain::key::KeyQuery,
) -> Result<KeyConnection, Failure> {
    let keys = &ports(context).keys;
    let page = keys.list(&asker(context).caller, reach, &ask).await?;
    KeyConnection::new(page, &ask.page)
}

pub(super) async fn key(
    context: &Context<'_>,
    reach: RequestedScope,
    id: &ID,
) -> Result<Option<Key>, Failure> {
    // Whatever has the shape of no id is the id of nothing.
    let Some(id) = uuid(id) else {
        return Ok(None);
    };
    let keys = &ports(context).keys;
    let found = keys.find(&asker(context).caller, reach, KeyId(id)).await;
    match found {
        Ok(key) => Ok(Some(key.into())),
        Err(KeyError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Which use is wanted.
pub(super) struct Wanted {
    pub(super) range: UsageRange,
    pub(super) breakdown: Breakdown,
    pub(super) key_id: Option<ID>,
    pub(super) endpoint: Option<Endpoint>,
    pub(super) outcome: Option<Outcome>,
}

pub(super) async fn usage(
    context: &Context<'_>,
    reach: RequestedScope,
    wanted: Wanted,
) -> Result<UsageReport, Failure> {
    let ports = ports(context);
    let ask = UsageQuery {
        period: wanted.range.read(ports.clock.now())?,
        breakdown: wanted.breakdown.into(),
        key: key_id("keyId", wanted.key_id.as_ref())?,
        criteria: only(wanted.endpoint, wanted.outcome),
    };
    let caller = &asker(context).caller;
    let report = ports.insights.usage(caller, reach, &ask).await?;
    Ok(UsageReport::new(report, ask.period.granularity()))
}

pub(super) async fn requests(
    context: &Context<'_>,
    reach: RequestedScope,
    page: domain::page::PageRequest,
    filter: Option<RequestFilter>,
) -> Result<RequestConnection, Failure> {
    let ask = request_listing(page, filter)?;
    let ports = ports(context);
    let caller = &asker(context).caller;
    let page = ports.insights.requests(caller, reach, &ask).await?;
    Ok(RequestConnection::new(page, &ask.page, ports))
}
