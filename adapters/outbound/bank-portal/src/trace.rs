//! Lookups in traces: spans in `tracing`'s words, and the headers that tell the portal of them.
//!
//! Spans have the target `cep::trace`, which no log shows, and nothing of the payment. A span that ends
//! badly says how in one word; the log says why.

use std::sync::Arc;

use ports::outbound::{AcquireError, BankAnswer, BankError};
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use tracing::Span;
use tracing::field::Empty;
use url::Url;

/// Writes the headers that make whoever is asked go on with the trace of a span.
pub type TraceHeaders = Arc<dyn Fn(&Span, &mut HeaderMap) + Send + Sync>;

/// The span of a lookup: a step of ours, which asks the portal up to four times.
pub(crate) fn lookup() -> Span {
    tracing::info_span!(
        target: "cep::trace",
        "bank lookup",
        otel.status_code = Empty,
        error.type = Empty,
        cep.outcome = Empty,
    )
}

/// Says how a lookup ended.
pub(crate) fn looked_up(span: &Span, answer: &Result<BankAnswer, BankError>) {
    let outcome = outcome(answer);
    span.record("cep.outcome", outcome);
    if answer.is_err() {
        failed(span, outcome);
    }
}

/// The word that logs and traces know an answer by.
pub(crate) fn outcome(answer: &Result<BankAnswer, BankError>) -> &'static str {
    match answer {
        Ok(BankAnswer::Issued(_)) => "issued",
        Ok(BankAnswer::NotIssued(_)) => "not_issued",
        Ok(BankAnswer::NotFound) => "not_found",
        Err(BankError::Protocol { .. }) => "protocol_error",
        Err(BankError::Unavailable { .. }) => "unavailable",
        Err(BankError::Throttled { .. }) => "throttled",
        Err(BankError::Timeout) => "timeout",
    }
}

/// The span of a wait for the pacer's turn.
pub(crate) fn turn() -> Span {
    tracing::info_span!(target: "cep::trace", "bank turn", cep.turn = Empty)
}

/// Says what became of the wait.
pub(crate) fn turned(span: &Span, turn: Result<(), &AcquireError>) {
    let word = match turn {
        Ok(()) => "taken",
        Err(AcquireError::Refused(_)) => "refused",
        Err(AcquireError::Failed(_)) => "failed",
    };
    span.record("cep.turn", word);
}

/// The span of a request to the portal.
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

/// Says what the portal answered (OpenTelemetry's conventions for clients).
pub(crate) fn answered(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_client_error() || status.is_server_error() {
        failed(span, status.as_str());
    }
}

/// Says that a span ended badly.
pub(crate) fn failed(span: &Span, how: &str) {
    span.record("otel.status_code", "error");
    span.record("error.type", how);
}
