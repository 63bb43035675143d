//! Handler of `DELETE /admin/keys/{id}`.

use application::RequestedScope;
use axum::http::StatusCode;
use axum::response::Response;
use domain::keys::KeyId;
use web::Problem;
use web::views::keys::Key;

use crate::openapi::responses::{AdminsOnly, FaultyInput, NoSuchThing};
use crate::people::request::PersonRequest;

/// Revoke anybody's key
#[utoipa::path(
    delete,
    path = "/admin/keys/{id}",
    operation_id = "revokeAnyKey",
    tag = "admin",
    params(("id" = String, Path, description = "The key.", format = "uuid")),
    responses(
        (status = 200, description = "The revoked key.", body = Key),
        FaultyInput, AdminsOnly, NoSuchThing,
    ),
)]
pub(super) async fn revoke_key(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = KeyId(request.id()?);
    let revoked = request
        .keys()
        .revoke(&request.caller, RequestedScope::All, id);
    let revoked = revoked.await.map_err(|error| request.problem(&error))?;
    request.json(StatusCode::OK, &Key::from(&revoked))
}
