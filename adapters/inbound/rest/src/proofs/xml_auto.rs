//! Handler of `POST /v1/cep/xml_auto`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use domain::proofs::file::Format;

use super::schemas::{ProofRequestAuto, XmlFile};
use crate::RestState;
use crate::files::Encoding;
use crate::openapi::responses::BadRequestAuto;
use crate::pipeline;

/// The proof as XML; missing banks are inferred
#[utoipa::path(
    post,
    path = "/v1/cep/xml_auto",
    operation_id = "xml_auto",
    tag = "proofs",
    request_body(content = ProofRequestAuto, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The sealed proof, the bank's bytes untouched.",
            body = inline(XmlFile), content_type = "application/xml",
        ),
        BadRequestAuto,
    ),
)]
pub(super) async fn xml_auto(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(
        state,
        Endpoint::XmlAuto,
        Encoding::File(Format::Xml),
        request,
    )
    .await
}
