//! Resolvers that `Query` and `Admin` share. The scope is the caller's own keys, one account, or all
//! accounts.

use application::{KeyError, RequestedScope};
use async_graphql::{Context, ID};
use domain::keys::{KeyId, KeyQuery};
use domain::page::PageRequest;
use domain::usage::UsageQuery;

use super::context::{ports, readings, requester};
use super::enums::{Breakdown, Endpoint, Outcome};
use super::input::{RequestFilter, UsageRange, criteria, key_id, request_query, uuid};
use super::key::{Key, KeyConnection};
use super::requests::RequestConnection;
use super::usage::UsageReport;
use crate::field_error::FieldError;

/// Arguments of `usage`, except the account.
pub(super) struct UsageArguments {
    pub(super) range: UsageRange,
    pub(super) breakdown: Breakdown,
    pub(super) key_id: Option<ID>,
    pub(super) endpoint: Option<Endpoint>,
    pub(super) outcome: Option<Outcome>,
}

pub(super) async fn keys(
    context: &Context<'_>,
    scope: RequestedScope,
    query: KeyQuery,
) -> Result<KeyConnection, FieldError> {
    let _reading = readings(context).list();
    let keys = &ports(context).keys;
    let page = keys.list(&requester(context).caller, scope, &query).await?;
    KeyConnection::new(page, &query.page)
}

pub(super) async fn key(
    context: &Context<'_>,
    scope: RequestedScope,
    id: &ID,
) -> Result<Option<Key>, FieldError> {
    // A malformed id is treated like an unknown one.
    let Some(id) = uuid(id) else {
        return Ok(None);
    };
    let _reading = readings(context).list();
    let keys = &ports(context).keys;
    let found = keys
        .find(&requester(context).caller, scope, KeyId(id))
        .await;
    match found {
        Ok(key) => Ok(Some(key.into())),
        Err(KeyError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn usage(
    context: &Context<'_>,
    scope: RequestedScope,
    arguments: UsageArguments,
) -> Result<UsageReport, FieldError> {
    let ports = ports(context);
    let query = UsageQuery {
        period: arguments.range.read(ports.clock.now())?,
        breakdown: arguments.breakdown.into(),
        key: key_id("keyId", arguments.key_id.as_ref())?,
        criteria: criteria(arguments.endpoint, arguments.outcome),
    };
    let caller = &requester(context).caller;
    let report = ports.insights.usage(caller, scope, &query).await?;
    Ok(UsageReport::new(report, query.period.granularity()))
}

pub(super) async fn requests(
    context: &Context<'_>,
    scope: RequestedScope,
    page: PageRequest,
    filter: Option<RequestFilter>,
) -> Result<RequestConnection, FieldError> {
    let query = request_query(page, filter)?;
    let ports = ports(context);
    let caller = &requester(context).caller;
    let page = ports.insights.requests(caller, scope, &query).await?;
    Ok(RequestConnection::new(page, &query.page, ports))
}
