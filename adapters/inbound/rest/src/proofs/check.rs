//! `/v1/cep/verify`: checks of uploaded proofs.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::schemas::{AnyFile, PdfFile, XmlFile, ZipFile};
use crate::RestState;
use crate::charged_key::KeyParameter;
use crate::openapi::responses::{BadFile, LargeFile, NoFile};
use crate::pipeline::{self, CheckParameters};

pub(crate) mod views;

use views::CheckAnswer;

pub(crate) fn routes() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new().routes(routes!(verify))
}

/// Checks of a proof that somebody sent you: XML, PDF, or a ZIP of them
///
/// Nobody is asked, unless `portal` or `banxico` say so, and nothing of the file is kept but a keyed hash for
/// `visto`. The answer is 200 also for a file that was altered: `resultado` says so.
///
/// Of a ZIP each proof is checked, in one request: up to 50 files of 1 MiB, 8 MiB together. Files of it that
/// are no proofs are listed with their reasons. `portal` compares them if all are of one payment, and `banxico` asks about
/// one seal. The answer to a
/// repeated request (`Idempotency-Key`) with a ZIP has no `visto`.
#[utoipa::path(
    post,
    path = "/v1/cep/verify",
    operation_id = "verify",
    tag = "proofs",
    params(CheckParameters, KeyParameter),
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
async fn verify(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer_check(state, Endpoint::Verify, request).await
}
