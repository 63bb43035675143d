//! `POST /v1/cep/verify`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;

use super::views::CheckedProof;
use crate::RestState;
use crate::openapi::responses::{BadFile, LargeFile, NoFile};
use crate::pipeline;
use crate::proofs::schemas::{AnyFile, PdfFile, XmlFile, ZipFile};

/// Parameters of the request.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Query {
    /// `true` looks the payment up at the bank, as the other endpoints do, and compares the proofs: one
    /// more check, `portal`. The bank's failures are those of the other endpoints.
    #[param(default = false)]
    pub(super) portal: Option<bool>,
}

/// Checks of a proof that somebody sent you, XML or PDF
///
/// Nobody is asked, unless `portal` says so, and nothing of the file is kept but a keyed hash for
/// `visto`. The answer is 200 also for a file that was altered: `resultado` says so.
#[utoipa::path(
    post,
    path = "/v1/cep/verify",
    operation_id = "verify",
    tag = "proofs",
    params(Query),
    request_body(
        content(
            (inline(AnyFile) = "application/octet-stream"),
            (inline(PdfFile) = "application/pdf"),
            (inline(XmlFile) = "application/xml"),
            (inline(ZipFile) = "application/zip"),
        ),
        description = crate::openapi::bodies::FILE,
    ),
    responses(
        (
            status = 200,
            description = "The content of the proof, and the checks.",
            body = CheckedProof,
        ),
        BadFile, LargeFile, NoFile,
    ),
)]
pub(super) async fn verify(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer_check(state, Endpoint::Verify, request).await
}
