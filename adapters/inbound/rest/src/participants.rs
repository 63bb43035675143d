//! `/v1/participants`: the catalogue of SPEI participants.

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::RestState;

mod list;
pub(crate) mod views;

pub(crate) fn routes() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new().routes(routes!(list::list))
}
