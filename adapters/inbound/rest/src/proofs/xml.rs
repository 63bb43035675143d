//! Handler of `POST /v1/cep/xml`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use domain::proofs::file::Format;

use super::schemas::{ProofRequest, XmlFile};
use crate::RestState;
use crate::files::Encoding;
use crate::openapi::responses::BadRequest;
use crate::pipeline;

/// The proof as XML
#[utoipa::path(
    post,
    path = "/v1/cep/xml",
    operation_id = "xml",
    tag = "proofs",
    request_body(content = ProofRequest, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The sealed proof, the bank's bytes untouched.",
            body = inline(XmlFile), content_type = "application/xml",
        ),
        BadRequest,
    ),
)]
pub(super) async fn xml(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(state, Endpoint::Xml, Encoding::File(Format::Xml), request).await
}
