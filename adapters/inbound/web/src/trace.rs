//! Tracing: one span for each request. The composition root sets up the exporter.
//!
//! Spans have the target `cep::trace`, which logs exclude. They contain the fields of the log line, and no
//! personal data: no path, no query string, no address, no body.

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, StatusCode};
use tracing::Span;
use tracing::field::Empty;

use crate::context::RequestContext;
use crate::method::known;

/// Links a request's span to the trace that its headers name.
pub trait TraceContext: Send + Sync {
    /// Makes `span` a child of the span that these headers name, or links it to that span. Without such
    /// headers it does nothing.
    fn follow(&self, span: &Span, headers: &HeaderMap);
}

/// Ignores trace headers.
impl TraceContext for () {
    fn follow(&self, _span: &Span, _headers: &HeaderMap) {}
}

/// The span of a request, linked to its caller's span. Without a subscriber for it, the span is disabled
/// and costs nothing.
pub fn request_span(
    request: &Request,
    call: &RequestContext,
    trace_context: &dyn TraceContext,
) -> Span {
    let method = known(request.method());
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map(MatchedPath::as_str);
    let span = tracing::info_span!(
        target: "cep::trace",
        "request",
        otel.name = %Name { method, route },
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method.unwrap_or("_OTHER"),
        http.route = route,
        http.response.status_code = Empty,
        // A proxy in front of the gateway terminates TLS.
        url.scheme = "http",
        error.type = Empty,
        cep.request_id = call.request_id.as_str(),
        cep.endpoint = Empty,
        cep.environment = Empty,
        cep.key_id = Empty,
        cep.outcome = Empty,
    );
    if !span.is_disabled() {
        trace_context.follow(&span, request.headers());
    }
    span
}

/// Records the response's status. Only a 5xx marks the span as an error (OpenTelemetry's conventions for
/// servers).
pub fn answered(span: &Span, status: StatusCode) {
    if span.is_disabled() {
        return;
    }
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.record("otel.status_code", "error");
        span.record("error.type", status.as_str());
    }
}

/// Displays the name of a request's span: `POST /v1/cep/xml`.
struct Name<'a> {
    method: Option<&'static str>,
    route: Option<&'a str>,
}

impl std::fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.method.unwrap_or("HTTP"))?;
        match self.route {
            Some(route) => write!(f, " {route}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_called_after_the_routes_pattern() {
        let name = |method, route| Name { method, route }.to_string();
        assert_eq!(name(Some("GET"), Some("/keys/{id}")), "GET /keys/{id}");
        assert_eq!(name(Some("GET"), None), "GET");
        assert_eq!(name(None, None), "HTTP");
    }
}
