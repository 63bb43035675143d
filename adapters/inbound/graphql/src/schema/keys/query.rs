//! Queries of keys.

use application::{KeyError, RequestedScope};
use async_graphql::{Context, ID, Object};
use domain::keys::{self, KeyId};

use super::filter::{KeyFilter, KeySortInput, key_query};
use super::views::{Key, KeyConnection};
use crate::field_error::FieldError;
use crate::schema::arguments::uuid;
use crate::schema::connection::page_request;
use crate::schema::context::{ports, readings, requester};

#[derive(Default)]
pub(crate) struct KeyQuery;

#[Object]
impl KeyQuery {
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
        let query = key_query(page, filter, order_by)?;
        list(context, RequestedScope::Own, query).await
    }

    /// One of the viewer's keys; null when it isn't there, or isn't the viewer's.
    async fn key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] id: ID,
    ) -> Option<Result<Key, FieldError>> {
        one(context, RequestedScope::Own, &id).await
    }
}

/// Reads a page of the keys in a scope.
pub(crate) async fn list(
    context: &Context<'_>,
    scope: RequestedScope,
    query: keys::KeyQuery,
) -> Result<KeyConnection, FieldError> {
    let _reading = readings(context).list();
    let keys = &ports(context).keys;
    let page = keys.list(&requester(context).caller, scope, &query).await?;
    KeyConnection::new(page, &query.page)
}

/// Reads a key of a scope; `None` when it isn't there.
pub(crate) async fn one(
    context: &Context<'_>,
    scope: RequestedScope,
    id: &ID,
) -> Option<Result<Key, FieldError>> {
    // A malformed id is treated like an unknown one.
    let id = KeyId(uuid(id)?);
    let _reading = readings(context).list();
    let keys = &ports(context).keys;
    match keys.find(&requester(context).caller, scope, id).await {
        Ok(key) => Some(Ok(key.into())),
        Err(KeyError::NotFound) => None,
        Err(error) => Some(Err(error.into())),
    }
}
