//! Handler of `POST /v1/cep/pdf_auto`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use domain::proofs::file::Format;

use super::schemas::{PdfFile, ProofRequestAuto};
use crate::RestState;
use crate::files::Encoding;
use crate::openapi::responses::BadRequestAuto;
use crate::pipeline;

/// The proof as PDF; missing banks are inferred
#[utoipa::path(
    post,
    path = "/v1/cep/pdf_auto",
    operation_id = "pdf_auto",
    tag = "proofs",
    request_body(content = ProofRequestAuto, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The proof as the central bank lays it out.",
            body = inline(PdfFile), content_type = "application/pdf",
        ),
        BadRequestAuto,
    ),
)]
pub(super) async fn pdf_auto(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(
        state,
        Endpoint::PdfAuto,
        Encoding::File(Format::Pdf),
        request,
    )
    .await
}
