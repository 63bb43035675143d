//! Fields for admins. The application checks the role in each call.

use application::RequestedScope;
use async_graphql::{Context, Description, ID, InputObject, Object};
use domain::audit::AuditPage;
use domain::page::PageRequest;
use domain::people::customer::Role;
use web::problem::GraphqlProblem;
use web::views::audit::AuditEntry;
use web::views::requests::{Endpoint, Outcome};
use web::views::scalars::DateTime;
use web::views::usage::UsageReport;

use super::arguments::{customer_id, key_id, search_text, span};
use super::connection::{PageInfo, connection, page_request};
use super::context::{ports, requester};
use super::keys::{self, Key, KeyConnection, KeyFilter, KeySortInput, key_query};
use super::people::AccountConnection;
use super::requests::{self, RequestConnection, RequestFilter};
use super::usage::{self, Breakdown, UsageArguments, UsageRange};
use crate::field_error::FieldError;

#[derive(Default)]
pub(crate) struct AdminQuery;

#[Object]
impl AdminQuery {
    /// Queries of admins; for others null, with an error of the code `FORBIDDEN`.
    async fn admin(&self, context: &Context<'_>) -> Option<Result<Admin, FieldError>> {
        Some(match requester(context).caller.role {
            Role::Admin => Ok(Admin),
            Role::Member => Err(GraphqlProblem::Forbidden.into()),
        })
    }
}

/// Queries of admins, about everybody.
#[derive(Description)]
pub(crate) struct Admin;

#[Object(use_type_description)]
impl Admin {
    /// The accounts, newest first.
    async fn accounts(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(
            desc = "With this text in the owner's subject or issuer, upper and lower case of A to \
                    Z alone being alike. At most 200 characters."
        )]
        text: Option<String>,
    ) -> Result<AccountConnection, FieldError> {
        let page = page_request(first, after.as_deref())?;
        let text = search_text("text", text.as_deref())?;
        let caller = &requester(context).caller;
        let insights = &ports(context).insights;
        let accounts = insights.customers(caller, text.as_deref(), &page).await?;
        AccountConnection::new(accounts, &page)
    }

    /// Everybody's keys; the newest first unless ordered otherwise.
    async fn keys(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which keys; all when not given.")] filter: Option<KeyFilter>,
        #[graphql(desc = "In which order.")] order_by: Option<KeySortInput>,
        #[graphql(desc = "Of this account alone.")] account_id: Option<ID>,
    ) -> Result<KeyConnection, FieldError> {
        let page = page_request(first, after.as_deref())?;
        let scope = scope(account_id.as_ref())?;
        keys::list(context, scope, key_query(page, filter, order_by)?).await
    }

    /// Anybody's key; null when it isn't there.
    async fn key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] id: ID,
    ) -> Option<Result<Key, FieldError>> {
        keys::one(context, RequestedScope::All, &id).await
    }

    /// Use of everybody's keys over time.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the arguments of the field"
    )]
    async fn usage(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "When, and in which slots.")] range: UsageRange,
        #[graphql(desc = "What is told apart.", default_with = "Breakdown::Outcome")]
        breakdown: Breakdown,
        #[graphql(desc = "Of this account alone.")] account_id: Option<ID>,
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
        usage::report(context, scope(account_id.as_ref())?, arguments).await
    }

    /// Requests made with everybody's keys, newest first.
    async fn requests(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which requests; all when not given.")] filter: Option<RequestFilter>,
        #[graphql(desc = "Of this account alone.")] account_id: Option<ID>,
    ) -> Result<RequestConnection, FieldError> {
        let page = page_request(first, after.as_deref())?;
        requests::list(context, scope(account_id.as_ref())?, page, filter).await
    }

    /// The audit log, newest first.
    async fn audit(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which entries; all when not given.")] filter: Option<AuditFilter>,
    ) -> Result<AuditConnection, FieldError> {
        let page = page_request(first, after.as_deref())?;
        let filter = filter.unwrap_or_default().read()?;
        let caller = &requester(context).caller;
        let entries = ports(context).insights.audit(caller, &filter, &page);
        Ok(AuditConnection::new(entries.await?, &page))
    }
}

/// The scope of a query: one account, or all accounts.
fn scope(account_id: Option<&ID>) -> Result<RequestedScope, FieldError> {
    let customer = customer_id("accountId", account_id)?;
    Ok(customer.map_or(RequestedScope::All, RequestedScope::Of))
}

/// Filter of the audit log; each condition narrows the list.
#[derive(InputObject, Default)]
pub(crate) struct AuditFilter {
    /// Entries about this account.
    account_id: Option<ID>,
    /// Entries about this key.
    key_id: Option<ID>,
    /// At or after this instant.
    from: Option<DateTime>,
    /// Before this instant.
    to: Option<DateTime>,
}

impl AuditFilter {
    fn read(self) -> Result<domain::audit::AuditFilter, FieldError> {
        let (from, to) = span("filter.from", self.from, self.to)?;
        Ok(domain::audit::AuditFilter {
            customer: customer_id("filter.accountId", self.account_id.as_ref())?,
            key: key_id("filter.keyId", self.key_id.as_ref())?,
            from,
            to,
        })
    }
}

connection! {
    /// One page of the audit log, newest first.
    AuditConnection,
    /// An entry and its place in the log.
    AuditEdge of AuditEntry
}

impl AuditConnection {
    fn new(page: AuditPage, request: &PageRequest) -> Self {
        Self {
            page_info: PageInfo::new(&page, request),
            edges: AuditEdge::of(page.items, AuditEntry::from),
        }
    }
}
