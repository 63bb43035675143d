//! `GET /keys`.

use axum::http::StatusCode;
use axum::response::Response;
use domain::key::RevokedKeys;
use utoipa::IntoParams;
use web::Problem;

use crate::openapi::responses::FaultyInput;
use crate::people::input::{Parameters, word};
use crate::people::request::PersonRequest;
use crate::people::views::KeyView;

/// Parameters of the request.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {
    /// `false` hides revoked keys.
    #[param(value_type = Option<bool>, default = true)]
    include_revoked: RevokedKeys,
}

impl Query {
    fn read(mut parameters: Parameters) -> Result<Self, Problem> {
        let revoked = parameters.one(
            "include_revoked",
            word(&["true", "false"], |text| match text {
                "true" => Some(RevokedKeys::Included),
                "false" => Some(RevokedKeys::Hidden),
                _ => None,
            }),
        );
        parameters.end()?;
        Ok(Self {
            include_revoked: revoked.unwrap_or(RevokedKeys::Included),
        })
    }
}

/// Your keys
#[utoipa::path(
    get,
    path = "/keys",
    operation_id = "listKeys",
    tag = "keys",
    params(Query),
    responses(
        (
            status = 200,
            description = "All of them, newest first; an empty list for who has none.",
            body = Vec<KeyView>,
        ),
        FaultyInput,
    ),
)]
pub(super) async fn list(request: PersonRequest) -> Result<Response, Problem> {
    let query = Query::read(request.parameters())?;
    let keys = request.keys().own(&request.caller, query.include_revoked);
    let keys = keys.await.map_err(|error| request.problem(&error))?;
    let views: Vec<_> = keys.iter().map(KeyView::new).collect();
    request.json(StatusCode::OK, &views)
}
