//! Handler of `GET /openapi.json`.

use std::sync::LazyLock;

use axum::response::Response;
use utoipa::ToSchema;
use web::json_response;

/// An object of any members.
#[derive(ToSchema)]
struct AnyObject {}

/// This description
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    tag = "operation",
    responses((status = 200, description = "OpenAPI 3.1.", body = AnyObject)),
)]
pub(super) async fn openapi() -> Response {
    static DOCUMENT: LazyLock<String> = LazyLock::new(crate::openapi_json);
    json_response(DOCUMENT.as_bytes())
}
