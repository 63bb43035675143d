//! Responses. All errors are rendered, and the causes of internal errors logged, in this module.

use async_graphql::{ErrorExtensionValues, Pos, Response, ServerError};
use async_graphql_axum::GraphQLResponse;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response as HttpResponse};
use serde::Serialize;
use web::headers::{put_retry_after, retry_after_seconds};
use web::problem::GraphqlProblem;
use web::{Chain, Code, RequestContext};

use crate::field_error::FieldError;
use crate::media_type::MediaType;
use crate::request_error::RequestError;
use crate::text::shortened;

/// Body of a response to a request that wasn't executed. async-graphql's type would add a `data` member.
#[derive(Serialize)]
struct ErrorResponse<'a> {
    errors: Vec<ErrorBody<'a>>,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    message: String,
    #[serde(skip_serializing_if = "<[Pos]>::is_empty")]
    locations: &'a [Pos],
    extensions: Extensions<'a>,
}

#[derive(Serialize)]
struct Extensions<'a> {
    code: &'static str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

/// The response to a request that isn't executed.
pub(crate) fn of_error(
    error: &RequestError,
    media_type: MediaType,
    context: &RequestContext,
) -> HttpResponse {
    let errors = error.problems.iter().map(|(problem, locations)| ErrorBody {
        message: problem.message(context.language),
        locations,
        extensions: Extensions {
            code: problem.code().name(),
            request_id: context.request_id.as_str(),
            retry_after: problem.retry_after().map(retry_after_seconds),
        },
    });
    let body = ErrorResponse {
        errors: errors.collect(),
    };
    let body = serde_json::to_vec(&body).expect("it has string keys only");
    let mut response = web::json_response(body);
    *response.status_mut() = if error.is_invalid_document() {
        media_type.invalid_request_status()
    } else {
        error.code().status()
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, media_type.header());
    if let Some(retry_after) = error.retry_after() {
        put_retry_after(headers, retry_after);
    }
    // The server closes the connection without reading the rest of the body (RFC 9110, 15.5.9).
    if error.is_body_timeout() {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// The response to an executed request, and the code of its first error.
pub(crate) fn of_execution(
    mut executed: Response,
    media_type: MediaType,
    context: &RequestContext,
) -> (HttpResponse, Option<Code>) {
    let code = describe_all(&mut executed, context);
    let mut response = GraphQLResponse::from(executed).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, media_type.header());
    headers.insert(CONTENT_SECURITY_POLICY, web::headers::CSP_NOTHING);
    (response, code)
}

/// The response to a refused operation over a WebSocket.
pub(crate) fn of_refusal(error: &RequestError, context: &RequestContext) -> Response {
    let told = |(problem, locations): &(GraphqlProblem, Vec<Pos>)| {
        let mut error = ServerError::new("", None);
        error.locations.clone_from(locations);
        tell(&mut error, problem, context);
        error
    };
    Response::from_errors(error.problems.iter().map(told).collect())
}

/// One response of a subscription, and the code of its first error.
pub(crate) fn of_change(
    mut change: Response,
    context: &RequestContext,
) -> (Response, Option<Code>) {
    if is_unexecuted(&change) {
        let error = RequestError::of_validation(change.errors);
        return (of_refusal(&error, context), Some(error.code()));
    }
    let code = describe_all(&mut change, context);
    (change, code)
}

/// True if async-graphql refused the request before execution: only errors of fields have a path.
pub(crate) fn is_unexecuted(response: &Response) -> bool {
    !response.errors.is_empty() && response.errors.iter().all(|error| error.path.is_empty())
}

/// Completes all errors of a response, and returns the code of the first one.
fn describe_all(response: &mut Response, context: &RequestContext) -> Option<Code> {
    let described = |error| describe(error, context);
    let codes: Vec<Code> = response.errors.iter_mut().map(described).collect();
    codes.first().copied()
}

/// Sets the message and extensions of a field's error.
fn describe(error: &mut ServerError, context: &RequestContext) -> Code {
    let problem = field_problem(error, context);
    tell(error, &problem, context);
    problem.code()
}

fn tell(error: &mut ServerError, problem: &GraphqlProblem, context: &RequestContext) {
    error.message = problem.message(context.language);
    let mut extensions = ErrorExtensionValues::default();
    extensions.set("code", problem.code().name());
    extensions.set("request_id", context.request_id.as_str());
    if let Some(retry_after) = problem.retry_after() {
        extensions.set("retry_after", retry_after_seconds(retry_after));
    }
    error.extensions = Some(extensions);
}

fn field_problem(error: &ServerError, context: &RequestContext) -> GraphqlProblem {
    let request_id = &context.request_id;
    match error.source::<FieldError>() {
        Some(FieldError::Problem(problem)) => problem.clone(),
        Some(FieldError::Unexpected(cause)) => {
            let cause = Chain(&**cause);
            tracing::error!(%request_id, %cause, "a field could not be resolved");
            GraphqlProblem::Internal
        }
        Some(FieldError::TotalMissing) => {
            tracing::error!(%request_id, "a list came without its total");
            GraphqlProblem::Internal
        }
        // Resolvers return only `FieldError`. The remaining errors are of arguments that async-graphql
        // validates during execution, such as integers beyond 32 bits.
        None => GraphqlProblem::UnreadableArgument {
            reason: shortened(&error.message),
        },
    }
}
