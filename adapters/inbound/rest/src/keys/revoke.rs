//! Handler of `DELETE /keys/{id}`.

use application::RequestedScope;
use axum::http::StatusCode;
use axum::response::Response;
use domain::keys::KeyId;
use web::Problem;
use web::views::keys::ApiKey;

use crate::openapi::responses::{FaultyInput, NoSuchThing};
use crate::people::request::PersonRequest;

/// Revoke a key
///
/// Once it is answered, no request is admitted with the key any more. There is no way back.
/// Revoking it again changes nothing and is answered alike.
#[utoipa::path(
    delete,
    path = "/keys/{id}",
    operation_id = "revokeKey",
    tag = "keys",
    params(("id" = String, Path, description = "The key.", format = "uuid")),
    responses(
        (status = 200, description = "The revoked key.", body = ApiKey),
        FaultyInput, NoSuchThing,
    ),
)]
pub(super) async fn revoke(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = KeyId(request.id()?);
    let revoked = request
        .keys()
        .revoke(&request.caller, RequestedScope::Own, id);
    let revoked = revoked.await.map_err(|error| request.problem(&error))?;
    request.json(StatusCode::OK, &ApiKey::from(&revoked.key))
}
