//! A request's place in traces: one span, in `tracing`'s words. Who exports it is the root's.
//!
//! Spans have the target `cep::trace`, which no log shows. They tell what a line of the log tells, and
//! nothing personal: no path, no query, no address, no body.

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, StatusCode};
use tracing::Span;
use tracing::field::Empty;

use crate::context::RequestContext;
use crate::method::known;

/// Knows which trace a request belongs to.
pub trait TraceContext: Send + Sync {
    /// Joins `span` to the one that these headers of a request name, if they do: as its child, or by a
    /// link.
    fn follow(&self, span: &Span, headers: &HeaderMap);
}

/// Traces nothing.
impl TraceContext for () {
    fn follow(&self, _span: &Span, _headers: &HeaderMap) {}
}

/// The span of a request, joined to its caller's. Disabled while nobody traces: then it
/// costs nothing.
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
        // Whoever ends TLS is before us.
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

/// Says how a request was answered. It failed when that was our fault (OpenTelemetry's conventions
/// for servers).
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

/// Returns the name of a request's span: `POST /v1/cep/xml`.
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
