//! Handler of `POST /v1/cep/json_auto`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;

use super::schemas::ParsedProofRequestAuto;
use super::views::ParsedProof;
use crate::RestState;
use crate::files::Encoding;
use crate::openapi::responses::BadRequestAuto;
use crate::pipeline;

/// The fields of the proof, its seal, and its earlier deliveries; missing banks are inferred
#[utoipa::path(
    post,
    path = "/v1/cep/json_auto",
    operation_id = "json_auto",
    tag = "proofs",
    request_body(content = ParsedProofRequestAuto, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The content of the proof.",
            body = ParsedProof,
        ),
        BadRequestAuto,
    ),
)]
pub(super) async fn json_auto(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(state, Endpoint::JsonAuto, Encoding::Fields, request).await
}
