//! Handler of `GET /readyz`.

use std::sync::Arc;

use application::ComponentState;
use axum::extract::{Extension, State};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use utoipa::ToSchema;
use web::problem::ComponentDetail;
use web::{Problem, RequestContext, json_response};

use crate::RestState;
use crate::openapi::responses::{InternalError, NotReady};

/// State of the service.
#[derive(Serialize, ToSchema)]
struct Readiness {
    /// `ready`
    status: &'static str,
    components: Vec<ComponentDetail>,
}

/// Readiness: no dependency of the service has failed
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "readyz",
    tag = "operation",
    responses(
        (status = 200, description = "The service can serve.", body = Readiness),
        NotReady, InternalError,
    ),
)]
pub(super) async fn readyz(
    State(state): State<Arc<RestState>>,
    Extension(call): Extension<RequestContext>,
) -> Response {
    let components = state.health.components().await;
    let failed = |state| match state {
        ComponentState::Up | ComponentState::Degraded => false,
        ComponentState::Failed => true,
    };
    if components.iter().any(|component| failed(component.state)) {
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
