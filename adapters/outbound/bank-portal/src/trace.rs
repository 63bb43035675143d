//! Spans of a query, and their propagation to the portal, in `traceparent` only: a caller's
//! `tracestate` isn't passed on to the bank.
//!
//! Spans have the target `cep::trace`, which the log filter excludes, and hold nothing of the
//! payment. A failed span has an `error.type`; the log has the cause.

use std::sync::Arc;

use ports::outbound::{AcquireError, BankAnswer, BankError};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode};
use tracing::Span;
use tracing::field::Empty;
use url::Url;

/// Returns the `traceparent` (W3C Trace Context) by which another server continues the trace of a span.
pub type TraceParent = Arc<dyn Fn(&Span) -> Option<HeaderValue> + Send + Sync>;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Writes the trace context of a span into the headers of a request.
pub(crate) fn propagate(parent: &TraceParent, span: &Span, headers: &mut HeaderMap) {
    if let Some(parent) = parent(span) {
        headers.insert(TRACEPARENT, parent);
    }
}

/// Creates the span of a query: internal, with up to four requests to the portal.
pub(crate) fn lookup() -> Span {
    tracing::info_span!(
        target: "cep::trace",
        "bank lookup",
        otel.status_code = Empty,
        error.type = Empty,
        cep.outcome = Empty,
    )
}

/// Records the outcome of a query.
pub(crate) fn record_lookup(span: &Span, answer: &Result<BankAnswer, BankError>) {
    let outcome = outcome(answer);
    span.record("cep.outcome", outcome);
    if answer.is_err() {
        record_error(span, outcome);
    }
}

/// Returns the outcome label of logs and traces.
pub(crate) fn outcome(answer: &Result<BankAnswer, BankError>) -> &'static str {
    match answer {
        Ok(BankAnswer::Issued(_)) => "issued",
        Ok(BankAnswer::Several(_)) => "several",
        Ok(BankAnswer::NotIssued(_)) => "not_issued",
        Ok(BankAnswer::NotFound) => "not_found",
        Err(BankError::Protocol { .. }) => "protocol_error",
        Err(BankError::Unavailable { .. }) => "unavailable",
        Err(BankError::Throttled { .. }) => "throttled",
        Err(BankError::Timeout) => "timeout",
    }
}

/// Creates the span of waiting for the pacer.
pub(crate) fn turn() -> Span {
    tracing::info_span!(target: "cep::trace", "bank turn", cep.turn = Empty)
}

/// Records the outcome of waiting for the pacer.
pub(crate) fn record_turn(span: &Span, turn: Result<(), &AcquireError>) {
    let outcome = match turn {
        Ok(()) => "taken",
        Err(AcquireError::Refused(_)) => "refused",
        Err(AcquireError::Failed(_)) => "failed",
    };
    span.record("cep.turn", outcome);
}

/// Creates the span of a request to the portal.
pub(crate) fn request(method: &Method, page: &Url) -> Span {
    let path = page.path();
    tracing::info_span!(
        target: "cep::trace",
        "request to the bank",
        otel.name = %format_args!("{method} {path}"),
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = method.as_str(),
        http.response.status_code = Empty,
        server.address = page.host_str(),
        server.port = page.port_or_known_default().map(i64::from),
        url.scheme = page.scheme(),
        url.template = path,
        error.type = Empty,
    )
}

/// Records the response status (OpenTelemetry's conventions for clients).
pub(crate) fn record_response(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_client_error() || status.is_server_error() {
        record_error(span, status.as_str());
    }
}

/// Marks a span as failed.
pub(crate) fn record_error(span: &Span, error_type: &str) {
    span.record("otel.status_code", "error");
    span.record("error.type", error_type);
}
