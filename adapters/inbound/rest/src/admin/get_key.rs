//! Handler of `GET /admin/keys/{id}`.

use application::RequestedScope;
use axum::http::StatusCode;
use axum::response::Response;
use domain::keys::KeyId;
use web::Problem;
use web::views::keys::Key;

use crate::openapi::responses::{AdminsOnly, FaultyInput, NoSuchThing};
use crate::people::request::PersonRequest;

/// Anybody's key
#[utoipa::path(
    get,
    path = "/admin/keys/{id}",
    operation_id = "getKey",
    tag = "admin",
    params(("id" = String, Path, description = "The key.", format = "uuid")),
    responses(
        (status = 200, description = "The key.", body = Key),
        FaultyInput, AdminsOnly, NoSuchThing,
    ),
)]
pub(super) async fn get_key(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = KeyId(request.id()?);
    let found = request
        .keys()
        .find(&request.caller, RequestedScope::All, id);
    let found = found.await.map_err(|error| request.problem(&error))?;
    request.json(StatusCode::OK, &Key::from(&found))
}
