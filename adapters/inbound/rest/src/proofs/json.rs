//! Handler of `POST /v1/cep/json`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;

use super::schemas::ParsedProofRequest;
use super::views::ParsedProof;
use crate::RestState;
use crate::files::Encoding;
use crate::openapi::responses::BadRequest;
use crate::pipeline;

/// The fields of the proof, its seal, and its earlier deliveries
#[utoipa::path(
    post,
    path = "/v1/cep/json",
    operation_id = "json",
    tag = "proofs",
    request_body(content = ParsedProofRequest, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The content of the proof.",
            body = ParsedProof,
        ),
        BadRequest,
    ),
)]
pub(super) async fn json(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(state, Endpoint::Json, Encoding::Fields, request).await
}
