//! Queries and subscriptions of batches.

use std::time::Duration;

use application::{BatchError, BatchView};
use async_graphql::{Context, ID, InputObject, Object, Subscription};
use domain::batches::BatchId;
use domain::page::{Page, PageRequest};
use futures::Stream;
use futures::stream::try_unfold;
use web::problem::GraphqlProblem;
use web::views::batches::{Batch, BatchState};
use web::views::keys::Environment;
use web::views::row_filter::RowFilter;

use super::rows::{self, BatchRowConnection};
use crate::field_error::FieldError;
use crate::schema::arguments::{distinct, key_id, uuid};
use crate::schema::connection::{PageInfo, connection, page_request};
use crate::schema::context::{ports, requester};

/// Filter of batches; each condition narrows the list.
#[derive(InputObject, Default)]
pub(crate) struct BatchFilter {
    /// In one of these states; any when empty or not given.
    states: Option<Vec<BatchState>>,
    /// Of this environment.
    env: Option<Environment>,
    /// Of this key, and of those that it replaced or was replaced by.
    key_id: Option<ID>,
}

/// Converts the arguments of a list of batches.
pub(super) fn batch_query(
    page: PageRequest,
    filter: Option<BatchFilter>,
) -> Result<application::BatchQuery, FieldError> {
    let filter = filter.unwrap_or_default();
    let states = filter.states.unwrap_or_default();
    Ok(application::BatchQuery {
        environment: filter.env.map(Environment::into),
        states: distinct(states.into_iter().map(BatchState::into)),
        key: key_id("filter.keyId", filter.key_id.as_ref())?,
        page,
    })
}

connection! {
    /// One page of the batches, newest first.
    BatchConnection,
    /// A batch and its place in the list.
    BatchEdge of Batch
}

impl BatchConnection {
    fn new(page: Page<BatchView>, request: &PageRequest) -> Self {
        Self {
            page_info: PageInfo::new(&page, request),
            edges: BatchEdge::of(page.items, |view| Batch::from(&view)),
        }
    }
}

#[derive(Default)]
pub(crate) struct BatchQuery;

#[Object]
impl BatchQuery {
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
        let batches = &ports(context).batches;
        match batches.find(&access, id, Duration::ZERO).await {
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
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which rows; all when not given.")] filter: Option<RowFilter>,
    ) -> Option<Result<BatchRowConnection, FieldError>> {
        let id = BatchId(uuid(&id)?);
        let page = rows::page(
            context,
            id,
            (first, after.as_deref()),
            filter.unwrap_or_default(),
        );
        page.await.transpose()
    }
}

#[derive(Default)]
pub(crate) struct BatchSubscription;

#[Subscription]
impl BatchSubscription {
    /// One of the viewer's batches: as it is now, then about once a second while its state or its counts
    /// change, until it is final.
    async fn batch_changed(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The batch.")] id: ID,
    ) -> Result<impl Stream<Item = Result<Batch, FieldError>>, FieldError> {
        let id = uuid(&id).ok_or(GraphqlProblem::NotFound)?;
        let access = requester(context).batch_access();
        let changes = ports(context).batches.changes(&access, BatchId(id)).await?;
        Ok(try_unfold(changes, async |mut changes| {
            let view = changes.next().await?;
            Ok(view.map(|view| (Batch::from(&view), changes)))
        }))
    }
}
