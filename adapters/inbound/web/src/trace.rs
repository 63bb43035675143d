//! A request's place in traces: one span, in `tracing`'s words. Who exports it is the root's.
//!
//! Spans have the target `cep::trace`, which no log shows. They tell what a line of the log tells, and
//! nothing personal: no path, no query, no address, no body.

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, Method, StatusCode};
use tracing::Span;
use tracing::field::Empty;

use crate::context::RequestContext;
use crate::observe::RequestLayer;

/// Knows which trace a request belongs to.
pub trait TraceContext: Send + Sync {
    /// Makes `span` the child of the one that these headers of a request name, if they do.
    fn follow(&self, span: &Span, headers: &HeaderMap);
}

/// Traces nothing.
impl TraceContext for () {
    fn follow(&self, _span: &Span, _headers: &HeaderMap) {}
}

/// The span of a request, which is a child of its caller's. Disabled while nobody traces: then it
/// costs nothing.
pub fn request_span(
    request: &Request,
    call: &RequestContext,
    request_layer: &RequestLayer,
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
        request_layer.trace_context.follow(&span, request.headers());
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

/// The methods that HTTP has; any other is a caller's word.
fn known(method: &Method) -> Option<&'static str> {
    const KNOWN: [&str; 9] = [
        "GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH", "CONNECT", "TRACE",
    ];
    KNOWN.into_iter().find(|known| method == known)
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
    fn only_methods_of_http_are_told() {
        assert_eq!(known(&Method::DELETE), Some("DELETE"));
        assert_eq!(known(&Method::from_bytes(b"CANARY").unwrap()), None);
        assert_eq!(known(&Method::from_bytes(b"get").unwrap()), None);
    }

    #[test]
    fn a_span_is_called_after_the_routes_pattern() {
        let name = |method, route| Name { method, route }.to_string();
        assert_eq!(name(Some("GET"), Some("/keys/{id}")), "GET /keys/{id}");
        assert_eq!(name(Some("GET"), None), "GET");
        assert_eq!(name(None, None), "HTTP");
    }
}
