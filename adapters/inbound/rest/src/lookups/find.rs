//! Handler of `GET /v1/cep/lookups/{id}`.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use web::Problem;

use super::views::LookupBody;
use super::wait::Query;
use super::{Named, Reader};
use crate::RestState;
use crate::openapi::responses::{FaultyInput, NoSuchLookup};
use crate::people::input::Input;

/// A lookup
#[utoipa::path(
    get,
    path = "/v1/cep/lookups/{id}",
    operation_id = "getLookup",
    tag = "lookups",
    params(Query, ("id" = String, Path, description = "The lookup.", format = "uuid")),
    responses(
        (status = 200, description = "As it is now.", body = LookupBody),
        FaultyInput, NoSuchLookup,
    ),
)]
pub(super) async fn find(
    State(state): State<Arc<RestState>>,
    reader: Reader,
    Named(id): Named,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let Query { wait } = Input::of_query(query.as_deref()).only()?;
    let wait = Duration::from_secs(wait);
    let read = state.lookups.find(reader.access.clone(), id, wait).await;
    let read = read.map_err(|error| reader.problem(&error))?;
    reader.answer(&read, &reader.body(&read.found))
}
