//! Handler of `POST /v1/cep/verify`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;

use super::views::CheckAnswer;
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

/// Checks of a proof that somebody sent you: XML, PDF, or a ZIP of them
///
/// Nobody is asked, unless `portal` says so, and nothing of the file is kept but a keyed hash for
/// `visto`. The answer is 200 also for a file that was altered: `resultado` says so.
///
/// Of a ZIP each proof is checked, in one request: up to 50 files of 1 MiB, 8 MiB together. Files of it that
/// are no proofs are listed with their reasons. `portal` compares them if all are of one payment. The answer to a
/// repeated request (`Idempotency-Key`) with a ZIP has no `visto`.
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
            description = "The content of the proof, and the checks; of a ZIP those of each proof in it.",
            body = CheckAnswer,
        ),
        BadFile, LargeFile, NoFile,
    ),
)]
pub(super) async fn verify(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer_check(state, Endpoint::Verify, request).await
}
