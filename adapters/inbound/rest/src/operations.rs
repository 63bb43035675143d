//! Routes for operators: health, readiness, and the API's description.

pub(crate) mod docs;
mod healthz;
mod openapi;
mod readyz;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::RestState;

/// The probes. They aren't traced, because orchestrators call them every few seconds.
pub(crate) fn probes() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new()
        .routes(routes!(healthz::healthz))
        .routes(routes!(readyz::readyz))
}

/// The API's description as JSON.
pub(crate) fn description() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new().routes(routes!(openapi::openapi))
}
