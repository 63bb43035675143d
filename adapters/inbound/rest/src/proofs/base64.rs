//! Handler of `POST /v1/cep/base64`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use domain::proofs::file::Format;

use super::schemas::{Envelope, ProofRequest};
use crate::RestState;
use crate::files::Encoding;
use crate::openapi::responses::BadRequest;
use crate::pipeline;

/// The proof as PDF, in base64 within JSON
#[utoipa::path(
    post,
    path = "/v1/cep/base64",
    operation_id = "base64",
    tag = "proofs",
    request_body(content = ProofRequest, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The PDF in an envelope.",
            body = Envelope,
        ),
        BadRequest,
    ),
)]
pub(super) async fn base64(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(
        state,
        Endpoint::Base64,
        Encoding::Envelope(Format::Pdf),
        request,
    )
    .await
}
