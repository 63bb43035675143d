//! Fields for admins. The application checks the role in each call.

use application::RequestedScope;
use async_graphql::{Context, Description, ID, Object};

use super::account::AccountConnection;
use super::audit::AuditConnection;
use super::connection::page_request;
use super::context::{ports, requester};
use super::enums::{Breakdown, Endpoint, Outcome};
use super::input::{
    AuditFilter, KeyFilter, KeySortInput, RequestFilter, UsageRange, customer_id, key_query,
    search_text,
};
use super::key::{Key, KeyConnection};
use super::requests::RequestConnection;
use super::scoped::{self, UsageArguments};
use super::usage::UsageReport;
use crate::field_error::FieldError;

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
        scoped::keys(context, scope, key_query(page, filter, order_by)?).await
    }

    /// Anybody's key; null when it isn't there.
    async fn key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] id: ID,
    ) -> Option<Result<Key, FieldError>> {
        scoped::key(context, RequestedScope::All, &id)
            .await
            .transpose()
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
        scoped::usage(context, scope(account_id.as_ref())?, arguments).await
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
        scoped::requests(context, scope(account_id.as_ref())?, page, filter).await
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
