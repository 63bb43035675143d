//! Handler of `GET /v1/cep/batches/{id}`.

use std::time::Duration;

use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::Problem;
use web::views::batches::Batch;

use super::{BatchCall, Named};
use crate::lookups::wait::MAX_WAIT;
use crate::openapi::responses::{FaultyInput, NoSuchBatch};
use crate::people::input::Input;

/// Parameters of the request.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {
    /// Seconds to wait for a change of `state`. The answer is that of now when there is none, and that of a
    /// batch that has ended at once.
    #[serde(default)]
    #[validate(range(min = 0, max = MAX_WAIT))]
    #[param(minimum = 0, maximum = 25, default = 0)]
    wait: u64,
}

/// A batch, its counts and its progress
#[utoipa::path(
    get,
    path = "/v1/cep/batches/{id}",
    operation_id = "getBatch",
    tag = "batches",
    params(Query, ("id" = String, Path, description = "The batch.", format = "uuid")),
    responses(
        (status = 200, description = "As it is now.", body = Batch),
        FaultyInput, NoSuchBatch,
    ),
)]
pub(super) async fn find(
    call: BatchCall,
    Named(id): Named,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let Query { wait } = Input::of_query(query.as_deref()).only()?;
    let wait = Duration::from_secs(wait);
    let read = call.batches.find(&call.access, id, wait).await;
    let read = read.map_err(|error| call.problem(&error))?;
    call.answer(StatusCode::OK, &read, &Batch::from(&read.found))
}
