//! Handler of `POST /v1/cep/xml_base64`.

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

/// The proof as XML, in base64 within JSON
#[utoipa::path(
    post,
    path = "/v1/cep/xml_base64",
    operation_id = "xml_base64",
    tag = "proofs",
    request_body(content = ProofRequest, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The XML in an envelope.",
            body = Envelope,
        ),
        BadRequest,
    ),
)]
pub(super) async fn xml_base64(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(
        state,
        Endpoint::XmlBase64,
        Encoding::Envelope(Format::Xml),
        request,
    )
    .await
}
