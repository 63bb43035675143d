//! Handler of `DELETE /v1/cep/lookups/{id}`.

use std::sync::Arc;

use application::RemovedLookup;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use web::Problem;

use super::views::LookupBody;
use super::{Named, Reader, with_standing};
use crate::RestState;
use crate::openapi::responses::NoSuchLookup;

/// Cancels a lookup, or erases one that is final
///
/// A canceled lookup stays counted, even if it wasn't attempted yet.
#[utoipa::path(
    delete,
    path = "/v1/cep/lookups/{id}",
    operation_id = "removeLookup",
    tag = "lookups",
    params(("id" = String, Path, description = "The lookup.", format = "uuid")),
    responses(
        (status = 200, description = "It was not final, and is canceled.", body = LookupBody),
        (status = 204, description = "It was final; nothing of it is left."),
        NoSuchLookup,
    ),
)]
pub(super) async fn remove(
    State(state): State<Arc<RestState>>,
    reader: Reader,
    Named(id): Named,
) -> Result<Response, Problem> {
    let read = state.lookups.remove(reader.access.clone(), id).await;
    let read = read.map_err(|error| reader.problem(&error))?;
    match &read.found {
        RemovedLookup::Canceled(lookup) => reader.answer(&read, &reader.body(lookup)),
        RemovedLookup::Erased => Ok(with_standing(StatusCode::NO_CONTENT.into_response(), &read)),
    }
}
