//! Handler of `POST /v1/cep/pdf`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use domain::proofs::file::Format;

use super::schemas::{PdfFile, ProofRequest};
use crate::RestState;
use crate::files::Encoding;
use crate::openapi::responses::BadRequest;
use crate::pipeline;

/// The proof as PDF
#[utoipa::path(
    post,
    path = "/v1/cep/pdf",
    operation_id = "pdf",
    tag = "proofs",
    request_body(content = ProofRequest, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The proof as the central bank lays it out.",
            body = inline(PdfFile), content_type = "application/pdf",
        ),
        BadRequest,
    ),
)]
pub(super) async fn pdf(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(state, Endpoint::Pdf, Encoding::File(Format::Pdf), request).await
}
