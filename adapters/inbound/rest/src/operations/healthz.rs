//! Handler of `GET /healthz`.

use axum::response::Response;
use utoipa::ToSchema;
use web::json_response;

/// State of the process.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes a constant")]
struct Health {
    /// `ok`
    status: String,
}

/// Liveness of the process
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "healthz",
    tag = "operation",
    responses((status = 200, description = "It is up.", body = Health)),
)]
pub(super) async fn healthz() -> Response {
    json_response(br#"{"status":"ok"}"#.as_slice())
}
