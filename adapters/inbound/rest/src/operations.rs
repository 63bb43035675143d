//! Everything but proofs: health, readiness, the API's description, and routes that aren't there.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, LazyLock};

use axum::body::Body;
use axum::extract::{Extension, MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::middleware::Next;
use axum::response::Response;
use futures::FutureExt as _;
use ports::inbound::ComponentState;
use serde::Serialize;

use crate::RestState;
use crate::body::Upload;
use crate::call::Call;
use crate::details::ComponentDetail;
use crate::failure::Failure;
use crate::headers;
use crate::pipeline::milliseconds;

/// Gives a request its id, survives a panic, and writes one line about it. None of these routes
/// reads a body.
pub(crate) async fn observe(
    State(state): State<Arc<RestState>>,
    mut request: Request,
    next: Next,
) -> Response {
    let call = Call::new(request.headers(), &*state.clock, &*state.random);
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().cloned();
    let body = std::mem::take(request.body_mut());
    let upload = Upload::new(request.headers(), body, state.body_deadline);
    request.extensions_mut().insert(call.clone());

    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = answered.unwrap_or_else(|_| {
        tracing::error!(request_id = %call.request_id, "a request panicked");
        Failure::internal(&call.request_id, call.language).into_response()
    });
    headers::put_common(response.headers_mut(), call.id_value());
    if !upload.is_over() {
        state.tasks.spawn(upload.drain());
    }
    tracing::info!(
        target: "cep::request",
        %method,
        route = path.as_ref().map_or("unknown", MatchedPath::as_str),
        status = response.status().as_u16(),
        duration_ms = milliseconds(state.clock.monotonic().saturating_sub(call.started)),
        request_id = call.request_id.as_str(),
    );
    response
}

/// The process is up.
pub(crate) async fn healthz() -> Response {
    json(br#"{"status":"ok"}"#.as_slice())
}

#[derive(Serialize)]
struct Readiness {
    status: &'static str,
    components: Vec<ComponentDetail>,
}

/// Everything that we stand on is up.
pub(crate) async fn readyz(
    State(state): State<Arc<RestState>>,
    Extension(call): Extension<Call>,
) -> Response {
    let components = state.health.components().await;
    let up = |state| match state {
        ComponentState::Up => true,
        ComponentState::Failed => false,
    };
    if !components.iter().all(|component| up(component.state)) {
        return Failure::of_components(&components, call.language).into_response();
    }
    let readiness = Readiness {
        status: "ready",
        components: components.iter().map(ComponentDetail::new).collect(),
    };
    match serde_json::to_vec(&readiness) {
        Ok(body) => json(body),
        Err(error) => {
            tracing::error!(request_id = %call.request_id, %error, "readiness can't be written");
            Failure::internal(&call.request_id, call.language).into_response()
        }
    }
}

/// The API's description.
pub(crate) async fn openapi() -> Response {
    static DOCUMENT: LazyLock<String> = LazyLock::new(crate::openapi_json);
    json(DOCUMENT.as_bytes())
}

/// No such route.
pub(crate) async fn route_not_found(Extension(call): Extension<Call>) -> Response {
    Failure::route_not_found(call.language).into_response()
}

/// No such method here. The router adds `Allow`.
pub(crate) async fn method_not_allowed(Extension(call): Extension<Call>) -> Response {
    Failure::method_not_allowed(call.language).into_response()
}

fn json(body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, headers::JSON);
    headers.insert(CONTENT_SECURITY_POLICY, headers::CSP_NOTHING);
    response
}
