//! Responses: the one place where errors get their words, codes and statuses, and where the cause
//! of an internal error is logged.

use async_graphql::{ErrorExtensionValues, Pos, Response, ServerError};
use async_graphql_axum::GraphQLResponse;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response as HttpResponse};
use serde::Serialize;
use web::{Chain, RequestContext};

use crate::error_code::ErrorCode;
use crate::field_error::FieldError;
use crate::media_type::MediaType;
use crate::messages::{self, Messages};
use crate::request_error::{BodyProblem, RequestError};

/// Most validation errors of a document that are reported.
const MAX_REPORTED_ERRORS: usize = 10;
/// Most characters of the caller's own text that a message repeats.
const MAX_REPEATED_CHARS: usize = 300;

/// Body of a response without execution. The library's type always has a `data` member.
#[derive(Serialize)]
struct ErrorResponse<'a> {
    errors: Vec<ErrorBody<'a>>,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Pos>,
    extensions: Extensions<'a>,
}

#[derive(Serialize)]
struct Extensions<'a> {
    code: &'static str,
    request_id: &'a str,
}

/// The response to a request that isn't executed.
pub(crate) fn of_error(
    error: &RequestError,
    media_type: MediaType,
    context: &RequestContext,
) -> HttpResponse {
    let code = error.code();
    let body = |(message, locations)| ErrorBody {
        message,
        locations,
        extensions: Extensions {
            code: code.name(),
            request_id: context.request_id.as_str(),
        },
    };
    let reports = reports(error, messages::of(context.language));
    let body = ErrorResponse {
        errors: reports.into_iter().map(body).collect(),
    };
    let body = serde_json::to_vec(&body).expect("it has string keys only");
    let mut response = web::json_response(body);
    *response.status_mut() = if error.is_invalid_document() {
        media_type.invalid_request_status()
    } else {
        code.status()
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, media_type.header());
    // The rest of the body isn't waited for (RFC 9110, 15.5.9).
    if matches!(error, RequestError::Body(BodyProblem::TooSlow)) {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// The response to a request that was executed, and the code of its first error.
pub(crate) fn of_execution(
    mut executed: Response,
    media_type: MediaType,
    context: &RequestContext,
) -> (HttpResponse, Option<ErrorCode>) {
    let codes: Vec<ErrorCode> = executed
        .errors
        .iter_mut()
        .map(|error| describe(error, context))
        .collect();
    let mut response = GraphQLResponse::from(executed).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, media_type.header());
    headers.insert(CONTENT_SECURITY_POLICY, web::headers::CSP_NOTHING);
    (response, codes.first().copied())
}

/// Gives a field's error its message and extensions.
fn describe(error: &mut ServerError, context: &RequestContext) -> ErrorCode {
    let (code, message) = code_and_message(error, context);
    error.message = message;
    let mut extensions = ErrorExtensionValues::default();
    extensions.set("code", code.name());
    extensions.set("request_id", context.request_id.as_str());
    error.extensions = Some(extensions);
    code
}

fn code_and_message(error: &ServerError, context: &RequestContext) -> (ErrorCode, String) {
    let messages = messages::of(context.language);
    let request_id = &context.request_id;
    let Some(failure) = error.source::<FieldError>() else {
        // Resolvers return nothing else; what is left are arguments that the library validates only
        // when it executes their field, as numbers beyond 32 bits.
        let reason = shortened(&error.message);
        return (
            ErrorCode::InvalidRequest,
            messages.unreadable_argument(&reason),
        );
    };
    match failure {
        FieldError::Forbidden => (ErrorCode::Forbidden, messages.forbidden()),
        FieldError::NotFound => (ErrorCode::NotFound, messages.not_found()),
        FieldError::InvalidArgument { argument, problem } => (
            ErrorCode::InvalidRequest,
            messages.invalid_argument(argument, *problem),
        ),
        FieldError::Unexpected(cause) => {
            let cause = Chain(&**cause);
            tracing::error!(%request_id, %cause, "a field could not be resolved");
            (ErrorCode::InternalError, messages.internal_error())
        }
        FieldError::TotalMissing => {
            tracing::error!(%request_id, "a list came without its total");
            (ErrorCode::InternalError, messages.internal_error())
        }
    }
}

type Report = (String, Vec<Pos>);

/// Messages of a request's error, with their locations; at least one.
fn reports(error: &RequestError, messages: &dyn Messages) -> Vec<Report> {
    let message = match error {
        RequestError::Validation(errors) => return validation_reports(errors, messages),
        RequestError::Syntax(locations) => {
            let first = locations.first().map(|first| (first.line, first.column));
            return vec![(messages.syntax(first), locations.clone())];
        }
        RequestError::Body(problem) => messages.body_problem(*problem),
        RequestError::Limit(limit) => messages.limit(*limit),
        RequestError::FragmentCycle => messages.fragment_cycle(),
        RequestError::PageSize { field } => messages.page_size(&shortened(field)),
        RequestError::IntrospectionOff => messages.introspection_is_off(),
        RequestError::OperationNameMissing => messages.operation_wanted(),
        RequestError::UnknownOperation => messages.unknown_operation(),
        RequestError::VariableMissing(name) => messages.variable_wanted(&shortened(name)),
        RequestError::Timeout { seconds } => messages.timeout(*seconds),
        RequestError::Internal => messages.internal_error(),
    };
    vec![(message, Vec::new())]
}

fn validation_reports(errors: &[ServerError], messages: &dyn Messages) -> Vec<Report> {
    let report = |error: &ServerError| {
        let message = messages.invalid_document(&shortened(&error.message));
        (message, error.locations.clone())
    };
    // The library finds them in no particular order.
    let mut errors: Vec<_> = errors.iter().collect();
    errors.sort_by_key(|error| (error.locations.first().copied(), &error.message));
    errors
        .into_iter()
        .take(MAX_REPORTED_ERRORS)
        .map(report)
        .collect()
}

/// Shortens the caller's own text, or one that repeats it.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_REPEATED_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
