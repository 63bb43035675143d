//! `GET /v1/cep/batches/{id}`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use web::Problem;

use super::views::BatchBody;
use super::{BatchCall, Named};
use crate::RestState;
use crate::openapi::responses::NoSuchBatch;

/// A batch, its counts and its progress
#[utoipa::path(
    get,
    path = "/v1/cep/batches/{id}",
    operation_id = "getBatch",
    tag = "batches",
    params(("id" = String, Path, description = "The batch.", format = "uuid")),
    responses(
        (status = 200, description = "As it is now.", body = BatchBody),
        NoSuchBatch,
    ),
)]
pub(super) async fn find(
    State(state): State<Arc<RestState>>,
    call: BatchCall,
    Named(id): Named,
) -> Result<Response, Problem> {
    let read = state.batches.find(&call.access, id).await;
    let read = read.map_err(|error| call.problem(&error))?;
    call.answer(StatusCode::OK, &read, &BatchBody::new(&read.found))
}
