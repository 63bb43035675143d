//! Handler of `POST /v1/cep/batches/{id}/cancel`.

use axum::http::StatusCode;
use axum::response::Response;
use web::Problem;
use web::views::batches::Batch;

use super::{BatchCall, Named};
use crate::openapi::responses::{BatchConflict, NoBody, NoSuchBatch};

/// Cancels a batch
///
/// Rows that are being looked up are canceled, too; rows that nobody began to look up aren't counted.
#[utoipa::path(
    post,
    path = "/v1/cep/batches/{id}/cancel",
    operation_id = "cancelBatch",
    tag = "batches",
    params(("id" = String, Path, description = "The batch.", format = "uuid")),
    responses(
        (status = 200, description = "It was canceled.", body = Batch),
        NoSuchBatch, BatchConflict, NoBody,
    ),
)]
pub(super) async fn cancel(call: BatchCall, Named(id): Named) -> Result<Response, Problem> {
    let canceled = call.batches.cancel(&call.access, id).await;
    let canceled = canceled.map_err(|error| call.problem(&error))?;
    call.answer(StatusCode::OK, &canceled, &Batch::from(&canceled.found))
}
