//! Handler of `POST /keys`.

use application::{CreatedKey, NewKey};
use axum::http::StatusCode;
use axum::response::Response;
use domain::keys::Environment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;
use web::Problem;

use crate::openapi::responses::{
    Conflict, FaultyInput, LargeBody, NoJson, SlowBody, TooManyNewKeys,
};
use crate::openapi::schemas;
use crate::people::input::{Choice, Name, Text};
use crate::people::request::PersonRequest;

/// A key to make.
#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewKey)]
struct NewKeyBody {
    #[schema(schema_with = schemas::key_name)]
    name: Name,
    #[serde(default)]
    #[schema(required = false, schema_with = schemas::new_environment)]
    env: Choice<Environment>,
}

impl From<NewKeyBody> for NewKey {
    fn from(body: NewKeyBody) -> Self {
        let NewKeyBody {
            name: Text(name),
            env: Choice(environment),
        } = body;
        Self {
            name,
            environment,
            limits: None,
        }
    }
}

/// A key that was just made: the only answer with its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedKey)]
pub(crate) struct CreatedKeyView<'a> {
    #[schema(format = "uuid")]
    id: String,
    /// The public part.
    #[schema(pattern = "^cep_(live|test)_[0-9A-Za-z]{8}$")]
    prefix: &'a str,
    /// The complete key. Keep it now: it is never shown again.
    api_key: &'a str,
}

impl<'a> CreatedKeyView<'a> {
    pub(crate) fn new(created: &'a CreatedKey) -> Self {
        let key = &created.key.key;
        Self {
            id: key.id.to_string(),
            prefix: key.prefix.as_str(),
            api_key: created.secret.reveal(),
        }
    }
}

/// Make a key
///
/// It starts with the limits of your plan. An account has at most 10 active keys with the plan
/// `startup` and 1,000 with `enterprise`, and creates or rotates at most 20 an hour. The complete
/// key is in this answer and nowhere else ever after: what is kept of it is a keyed hash.
#[utoipa::path(
    post,
    path = "/keys",
    operation_id = "createKey",
    tag = "keys",
    request_body(content = NewKeyBody, description = crate::openapi::bodies::STRICT),
    responses(
        (status = 201, description = "The key, once.", body = CreatedKeyView<'static>),
        FaultyInput, Conflict, SlowBody, LargeBody, NoJson, TooManyNewKeys,
    ),
)]
pub(super) async fn create(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let body: NewKeyBody = request.body().await?;
    let created = request.keys().create(&request.caller, body.into()).await;
    let created = created.map_err(|error| request.problem(&error))?;
    request.json(StatusCode::CREATED, &CreatedKeyView::new(&created))
}
