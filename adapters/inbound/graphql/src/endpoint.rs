//! HTTP handlers of `/graphql`.

use std::sync::Arc;

use application::{Caller, Person};
use async_graphql::parser::parse_query;
use async_graphql::parser::types::OperationType;
use async_graphql::{Request, Response};
use axum::extract::{Extension, Request as HttpRequest, State};
use axum::http::HeaderMap;
use axum::response::Response as HttpResponse;
use web::problem::GraphqlProblem;
use web::{Incoming, RequestContext};

use crate::introspection::Introspection;
use crate::media_type::MediaType;
use crate::operation_log::OperationLog;
use crate::request_error::RequestError;
use crate::schema::{Readings, Requester, Schema};
use crate::{execution, limits, nesting, operation, paths, request, response};

pub(crate) struct Endpoint {
    pub(crate) schema: Schema,
    pub(crate) introspection: Introspection,
    pub(crate) request_layer: Arc<web::RequestLayer>,
}

pub(crate) async fn serve(
    State(endpoint): State<Arc<Endpoint>>,
    Extension(context): Extension<RequestContext>,
    Extension(incoming): Extension<Incoming>,
    Extension(caller): Extension<Caller>,
    Extension(person): Extension<Person>,
    http: HttpRequest,
) -> HttpResponse {
    let media_type = MediaType::negotiate(http.headers());
    let mut log = OperationLog::default();
    let executed = match request::read(&incoming, http).await {
        Ok(request) => {
            let requester = Requester {
                caller,
                person,
                language: context.language,
            };
            let request = request.data(requester).data(Readings::default());
            endpoint.execute(request, &context, &mut log).await
        }
        Err(error) => Err(error),
    };
    let (response, outcome) = match executed {
        Ok(executed) => response::of_execution(executed, media_type, &context),
        Err(error) => (
            response::of_error(&error, media_type, &context),
            Some(error.code()),
        ),
    };
    log.record_outcome(outcome);
    log.write(&endpoint.request_layer, &context);
    response
}

/// Handles all methods except POST. The router adds `Allow`.
pub(crate) async fn method_not_allowed(
    Extension(context): Extension<RequestContext>,
    headers: HeaderMap,
) -> HttpResponse {
    let error = RequestError::from(GraphqlProblem::PostOnly);
    response::of_error(&error, MediaType::negotiate(&headers), &context)
}

impl Endpoint {
    /// Checks and executes a query or a mutation.
    async fn execute(
        &self,
        request: Request,
        context: &RequestContext,
        log: &mut OperationLog,
    ) -> Result<Response, RequestError> {
        let (request, operation_type) = self.prepare(request, log)?;
        if operation_type == OperationType::Subscription {
            let path = paths::WEB_SOCKET[0];
            return Err(GraphqlProblem::SubscriptionOverPost { path }.into());
        }
        let tasks = &self.request_layer.tasks;
        execution::run(&self.schema, request, operation_type, tasks, context).await
    }

    /// Parses a request, and makes all checks that need no execution. Returns the parsed request and the type
    /// of its operation.
    pub(crate) fn prepare(
        &self,
        mut request: Request,
        log: &mut OperationLog,
    ) -> Result<(Request, OperationType), RequestError> {
        nesting::check(&request.query)?;
        let document = parse_query(&request.query)?;
        let (name, operation) = operation::select(&document, request.operation_name.as_deref())?;
        operation::check_variables(operation, &request.variables)?;
        operation::fill_in_defaults(operation, &mut request.variables);
        limits::check(&document, &request.variables, self.introspection)?;
        log.record(name, operation, &document);

        let operation_type = operation.ty;
        request.operation_name = name.map(ToOwned::to_owned);
        request.set_parsed_query(document);
        Ok((request, operation_type))
    }
}
