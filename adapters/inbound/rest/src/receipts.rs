//! `/v1/cep/receipts`: receipts that people hold, read into the query for the proof.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::RestState;
use crate::charged_key::KeyParameter;
use crate::openapi::responses::{BadReceipt, LargeReceipt, NoReceipt, NoRecognition};
use crate::pipeline::{self, ReceiptParameters};
use crate::proofs::schemas::{AnyFile, PdfFile};

mod schemas;
pub(crate) mod views;

use views::ReceiptBody;

pub(crate) fn routes() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new().routes(routes!(read))
}

/// Reads a payment receipt: a text from a chat, a PDF, or a picture
///
/// A receipt proves nothing. It is read to ask the bank: each field comes with its confidence, the text that it was
/// taken from and its place; `faltan` tells what is missing, and `solicitud` is the body for `/v1/cep/lookups`.
/// With `lookup=true` a lookup is stored if every field that it needs has high confidence and there is no notice.
/// The tracking key is one of them: with a reference number in its place a person decides.
///
/// It is counted once, with or without a lookup. Nothing of the file is kept.
#[utoipa::path(
    post,
    path = "/v1/cep/receipts",
    operation_id = "receipts",
    tag = "receipts",
    params(ReceiptParameters, KeyParameter),
    request_body(
        content(
            (inline(AnyFile) = "application/octet-stream"),
            (inline(PdfFile) = "application/pdf"),
            (inline(AnyFile) = "image/jpeg"),
            (inline(AnyFile) = "image/png"),
            (inline(AnyFile) = "image/webp"),
            (String = "text/plain"),
        ),
        description = crate::openapi::bodies::RECEIPT,
    ),
    responses(
        (status = 200, description = "The fields of the receipt.", body = ReceiptBody),
        BadReceipt, LargeReceipt, NoReceipt, NoRecognition,
    ),
)]
async fn read(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer_receipt(state, Endpoint::Receipts, request).await
}
