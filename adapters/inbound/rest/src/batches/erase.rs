//! Handler of `DELETE /v1/cep/batches/{id}`.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use web::Problem;

use super::{BatchCall, Named, with_standing};
use crate::openapi::responses::{BatchConflict, NoSuchBatch};

/// Removes a batch that has ended, with its rows and proofs
#[utoipa::path(
    delete,
    path = "/v1/cep/batches/{id}",
    operation_id = "deleteBatch",
    tag = "batches",
    params(("id" = String, Path, description = "The batch.", format = "uuid")),
    responses(
        (status = 204, description = "Nothing of it is left."),
        NoSuchBatch, BatchConflict,
    ),
)]
pub(super) async fn erase(call: BatchCall, Named(id): Named) -> Result<Response, Problem> {
    let erased = call.batches.erase(&call.access, id).await;
    let erased = erased.map_err(|error| call.problem(&error))?;
    Ok(with_standing(
        StatusCode::NO_CONTENT.into_response(),
        &erased,
    ))
}
