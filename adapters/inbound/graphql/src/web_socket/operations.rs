//! Execution of subscriptions over a connection, with the same checks as requests over HTTP.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use application::Caller;
use async_graphql::parser::types::OperationType;
use async_graphql::{Data, Executor, Request, Response};
use futures::stream::{BoxStream, StreamExt as _, once};
use tokio::sync::OwnedSemaphorePermit;
use web::RequestContext;
use web::problem::GraphqlProblem;

use super::places::MAX_SUBSCRIPTIONS;
use super::session::Session;
use crate::endpoint::Endpoint;
use crate::operation_log::OperationLog;
use crate::request_error::RequestError;
use crate::response;
use crate::schema::{Readings, Requester};

type Responses = BoxStream<'static, Response>;

/// async-graphql executor for the operations of a connection.
#[derive(Clone)]
pub(super) struct Operations(Arc<Parts>);

struct Parts {
    endpoint: Arc<Endpoint>,
    session: Arc<Session>,
}

impl Operations {
    pub(super) fn new(endpoint: Arc<Endpoint>, session: Arc<Session>) -> Self {
        Self(Arc::new(Parts { endpoint, session }))
    }
}

impl Executor for Operations {
    async fn execute(&self, request: Request) -> Response {
        let mut responses = self.execute_stream(request, None);
        responses.next().await.unwrap_or_default()
    }

    fn execute_stream(&self, request: Request, _: Option<Arc<Data>>) -> Responses {
        let parts = Arc::clone(&self.0);
        // Taken first, so that the limit also covers operations that are still being checked.
        let place = parts.session.place.subscribe();
        let responses = async move { parts.responses(request, place).await };
        once(responses).flatten().boxed()
    }
}

impl Parts {
    /// Executes a subscription, and holds its place until the stream ends. Only the first response is logged.
    async fn responses(&self, request: Request, place: Option<OwnedSemaphorePermit>) -> Responses {
        let layer = Arc::clone(&self.endpoint.request_layer);
        let context = RequestContext {
            started: layer.clock.monotonic(),
            ..self.session.context.clone()
        };
        let mut log = OperationLog::default();
        let (changes, place) = match self.begin(request, place, &mut log).await {
            Ok(begun) => begun,
            Err(error) => {
                log.record_outcome(Some(error.code()));
                log.write(&layer, &context);
                let refusal = response::of_refusal(&error, &context);
                return once(async { refusal }).boxed();
            }
        };
        let mut log = Some(log);
        let changes = AssertUnwindSafe(changes).catch_unwind();
        let tell = move |change: Result<Response, _>| {
            let _until_the_end = &place;
            let (response, outcome) = match change {
                Ok(change) => response::of_change(change, &context),
                Err(_) => panicked(&context),
            };
            if let Some(mut log) = log.take() {
                log.record_outcome(outcome);
                log.write(&layer, &context);
            }
            response
        };
        changes.map(tell).boxed()
    }

    /// Checks a subscription and starts it. It counts as one request of its session.
    async fn begin(
        &self,
        request: Request,
        place: Option<OwnedSemaphorePermit>,
        log: &mut OperationLog,
    ) -> Result<(Responses, OwnedSemaphorePermit), RequestError> {
        let most = MAX_SUBSCRIPTIONS;
        let place = place.ok_or(GraphqlProblem::TooManySubscriptions { most })?;
        let person = self.session.check().await?;
        let (request, operation_type) = self.endpoint.prepare(request, log)?;
        if operation_type != OperationType::Subscription {
            return Err(GraphqlProblem::SubscriptionsOnly.into());
        }
        let RequestContext {
            request_id,
            language,
            ..
        } = self.session.context.clone();
        let caller = Caller {
            owner: person.owner.clone(),
            role: person.role,
            request_id,
        };
        let requester = Requester {
            caller,
            person,
            language,
        };
        let request = request.data(requester).data(Readings::default());
        Ok((self.endpoint.schema.execute_stream(request), place))
    }
}

/// The response to a subscription that panicked, and the error's code.
fn panicked(context: &RequestContext) -> (Response, Option<web::Code>) {
    tracing::error!(request_id = %context.request_id, "a GraphQL subscription panicked");
    let error = RequestError::from(GraphqlProblem::Internal);
    (response::of_refusal(&error, context), Some(error.code()))
}
