//! `/v1/cep`: proofs of transfers.

mod base64;
mod json;
mod json_auto;
mod pdf;
mod pdf_auto;
mod xml;
mod xml_auto;
mod xml_base64;
mod zip_auto;

pub(crate) mod schemas;
pub(crate) mod views;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::RestState;

pub(crate) fn routes() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new()
        .routes(routes!(xml_auto::xml_auto))
        .routes(routes!(xml::xml))
        .routes(routes!(pdf::pdf))
        .routes(routes!(pdf_auto::pdf_auto))
        .routes(routes!(zip_auto::zip_auto))
        .routes(routes!(base64::base64))
        .routes(routes!(xml_base64::xml_base64))
        .routes(routes!(json_auto::json_auto))
        .routes(routes!(json::json))
}
