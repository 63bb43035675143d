//! Handler of `POST /v1/cep/zip_auto`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;

use super::schemas::{ProofRequestAuto, ZipFile};
use crate::RestState;
use crate::files::Encoding;
use crate::openapi::responses::BadRequestAuto;
use crate::pipeline;

/// The proof as XML and PDF in a ZIP; missing banks are inferred
#[utoipa::path(
    post,
    path = "/v1/cep/zip_auto",
    operation_id = "zip_auto",
    tag = "proofs",
    request_body(content = ProofRequestAuto, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "Two files, `CEP-….xml` and `CEP-….pdf`.",
            body = inline(ZipFile), content_type = "application/zip",
        ),
        BadRequestAuto,
    ),
)]
pub(super) async fn zip_auto(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(state, Endpoint::ZipAuto, Encoding::Archive, request).await
}
