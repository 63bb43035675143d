//! Request middleware: request id, panic handling, log line, metrics and span.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use domain::keys::{Environment, KeyId};
use futures::FutureExt as _;
use ports::outbound::{Clock, Random};
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;
use tracing::field::display;

use crate::body::{Incoming, Upload};
use crate::context::RequestContext;
use crate::headers;
use crate::method::method_name;
use crate::problem::{self, LoggedProblem, Problem};
use crate::trace::{self, TraceContext};

pub struct RequestLayer {
    /// Source of request ids and durations.
    pub clock: Arc<dyn Clock>,
    /// Source of request ids.
    pub random: Arc<dyn Random>,
    /// Tasks that run on after the response, such as draining a body.
    pub tasks: TaskTracker,
    /// Time in which a whole body must arrive, [`crate::BODY_DEADLINE`] by default.
    pub body_deadline: Duration,
    /// Receiver of response metrics.
    pub metrics_sink: Arc<dyn MetricsSink>,
    /// Links spans to the traces of callers.
    pub trace_context: Arc<dyn TraceContext>,
}

/// Receiver of response metrics.
pub trait MetricsSink: Send + Sync {
    /// Records a response. `route` is the pattern that the request matched or [`UNKNOWN_ROUTE`], never the
    /// caller's own path.
    fn answered(&self, route: &str, status: StatusCode);
}

/// Discards all metrics.
impl MetricsSink for () {
    fn answered(&self, _route: &str, _status: StatusCode) {}
}

/// Label of a request that matched no route.
pub const UNKNOWN_ROUTE: &str = "unknown";

/// The pattern that a request matched, or [`UNKNOWN_ROUTE`].
pub fn route(path: Option<&MatchedPath>) -> &str {
    path.map_or(UNKNOWN_ROUTE, MatchedPath::as_str)
}

/// Wraps all routes of a router, and its fallback, in the request middleware.
///
/// Handlers find a [`RequestContext`] and an [`Incoming`] in the request's extensions, and an empty body.
/// Responses carry the request id, `nosniff`, and `no-store` unless they set `Cache-Control` themselves.
pub fn observe(router: Router, request_layer: &Arc<RequestLayer>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(request_layer), traced))
}

/// The same without spans, for frequent requests of no interest in traces: probes and static files.
pub fn observe_untraced(router: Router, request_layer: &Arc<RequestLayer>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(request_layer), untraced))
}

async fn traced(request_layer: State<Arc<RequestLayer>>, request: Request, next: Next) -> Response {
    let call = RequestContext::new(
        request.headers(),
        &*request_layer.clock,
        &*request_layer.random,
    );
    let span = trace::request_span(&request, &call, &*request_layer.trace_context);
    let answer = observed(request_layer, call, request, next);
    let response = answer.instrument(span.clone()).await;
    trace::answered(&span, response.status());
    response
}

async fn untraced(
    request_layer: State<Arc<RequestLayer>>,
    request: Request,
    next: Next,
) -> Response {
    let call = RequestContext::new(
        request.headers(),
        &*request_layer.clock,
        &*request_layer.random,
    );
    observed(request_layer, call, request, next).await
}

async fn observed(
    State(request_layer): State<Arc<RequestLayer>>,
    call: RequestContext,
    mut request: Request,
    next: Next,
) -> Response {
    let method = method_name(request.method());
    let path = request.extensions().get::<MatchedPath>().cloned();
    let body = std::mem::take(request.body_mut());
    let upload = Upload::new(request.headers(), body, request_layer.body_deadline);
    let incoming = Incoming::new(upload);
    request.extensions_mut().insert(call.clone());
    request.extensions_mut().insert(incoming.clone());

    let mut response = surviving(&call, next.run(request)).await;
    problem::render(&mut response, call.language);
    headers::put_common(response.headers_mut(), call.id_value());
    if !incoming.is_over().await {
        request_layer.tasks.spawn(incoming.drain());
    }
    let (route, status) = (route(path.as_ref()), response.status());
    request_layer.metrics_sink.answered(route, status);
    let line = Line {
        method,
        route,
        status: status.as_u16(),
        key: response.extensions().get::<LoggedKey>().copied(),
        problem: response.extensions().get::<LoggedProblem>(),
        duration: request_layer.clock.monotonic().saturating_sub(call.started),
        request_id: call.request_id.as_str(),
    };
    match response.extensions().get::<LogAtDebug>() {
        Some(LogAtDebug) => line.write_for_debugging(),
        None => line.write(),
    }
    response
}

/// Response extension: the request's line is logged at DEBUG.
#[derive(Clone, Copy, Debug)]
pub struct LogAtDebug;

/// Response extension: the API key of the request and its environment, for the log line.
#[derive(Clone, Copy)]
struct LoggedKey(KeyId, Environment);

/// Names the API key of a request in its log line.
pub fn log_key(response: &mut Response, (key, environment): (KeyId, Environment)) {
    let logged = LoggedKey(key, environment);
    response.extensions_mut().insert(logged);
}

/// Fields of a request's log line.
struct Line<'a> {
    method: &'static str,
    route: &'a str,
    status: u16,
    key: Option<LoggedKey>,
    problem: Option<&'a LoggedProblem>,
    duration: Duration,
    request_id: &'a str,
}

/// Writes a [`Line`]. It is a macro because `tracing` needs the level at compile time.
macro_rules! write_line {
    ($line:expr, $level:expr) => {{
        let Line { method, route, status, key, problem, duration, request_id } = $line;
        let duration_ms = milliseconds(*duration);
        let environment = key.map(|LoggedKey(_, environment)| environment.name());
        let key = key.map(|LoggedKey(key, _)| display(key));
        let problem = problem.map(|LoggedProblem(problem)| problem.as_str());
        tracing::event!(
            target: "cep::request", $level,
            method, route, status, key, environment, problem, duration_ms, request_id
        );
    }};
}

impl Line<'_> {
    fn write(&self) {
        write_line!(self, tracing::Level::INFO);
    }

    fn write_for_debugging(&self) {
        write_line!(self, tracing::Level::DEBUG);
    }
}

/// Awaits a response; after a panic it is [`Problem::Internal`].
pub(crate) async fn surviving(
    call: &RequestContext,
    answer: impl Future<Output = Response>,
) -> Response {
    let answered = AssertUnwindSafe(answer).catch_unwind().await;
    answered.unwrap_or_else(|_| {
        tracing::error!(request_id = %call.request_id, "a request panicked");
        Problem::internal(&call.request_id).into_response()
    })
}

/// Fallback of a router under [`observe()`].
pub async fn route_not_found() -> Problem {
    Problem::RouteNotFound
}

/// Fallback of a route under [`observe()`] for other methods. The router adds `Allow`.
pub async fn method_not_allowed() -> Problem {
    Problem::MethodNotAllowed
}

/// Milliseconds, rounded to microseconds so that at most three decimals are printed.
pub fn milliseconds(span: Duration) -> f64 {
    (span.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_span_is_printed_as_it_is_written() {
        let printed = |nanos| milliseconds(Duration::from_nanos(nanos)).to_string();
        assert_eq!(printed(88_040_032), "88.04");
        assert_eq!(printed(88_040_500), "88.041");
        assert_eq!(printed(12_000_000), "12");
        assert_eq!(printed(0), "0");
    }

    proptest! {
        #[test]
        fn a_span_of_up_to_a_day_has_at_most_three_decimals(nanos in 0..86_400_000_000_000_u64) {
            let printed = milliseconds(Duration::from_nanos(nanos)).to_string();
            let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            prop_assert!(decimals <= 3, "{printed}");
        }
    }
}
