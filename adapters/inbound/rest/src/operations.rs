//! For operators: health, readiness, and the API's description.

use std::sync::{Arc, LazyLock};

use axum::extract::{Extension, State};
use axum::response::{IntoResponse as _, Response};
use ports::inbound::ComponentState;
use serde::Serialize;
use web::problem::ComponentDetail;
use web::{Problem, RequestContext, json_response};

use crate::RestState;

/// The process is up.
pub(crate) async fn healthz() -> Response {
    json_response(br#"{"status":"ok"}"#.as_slice())
}

#[derive(Serialize)]
struct Readiness {
    status: &'static str,
    components: Vec<ComponentDetail>,
}

/// Nothing that we stand on has failed.
pub(crate) async fn readyz(
    State(state): State<Arc<RestState>>,
    Extension(call): Extension<RequestContext>,
) -> Response {
    let components = state.health.components().await;
    let serves = |state| match state {
        ComponentState::Up | ComponentState::Degraded => true,
        ComponentState::Failed => false,
    };
    if !components.iter().all(|component| serves(component.state)) {
        return Problem::NotReady { components }.into_response();
    }
    let readiness = Readiness {
        status: "ready",
        components: components.iter().map(ComponentDetail::from).collect(),
    };
    match serde_json::to_vec(&readiness) {
        Ok(body) => json_response(body),
        Err(error) => {
            tracing::error!(request_id = %call.request_id, %error, "readiness can't be written");
            Problem::internal(&call.request_id).into_response()
        }
    }
}

/// The API's description.
pub(crate) async fn openapi() -> Response {
    static DOCUMENT: LazyLock<String> = LazyLock::new(crate::openapi_json);
    json_response(DOCUMENT.as_bytes())
}
