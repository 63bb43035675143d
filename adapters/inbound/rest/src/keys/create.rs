//! `POST /keys`.

use axum::http::StatusCode;
use axum::response::Response;
use domain::key::{Environment, KeyName};
use ports::inbound::{CreatedKey, NewKey};
use serde::Serialize;
use utoipa::ToSchema;
use web::Problem;
use web::problem::FieldProblem;

use crate::openapi::responses::{Conflict, FaultyInput, LargeBody, NoJson, SlowBody};
use crate::openapi::schemas;
use crate::people::input::{Members, word};
use crate::people::request::PersonRequest;
use crate::people::views::ENVIRONMENTS;

/// A key to make.
#[derive(ToSchema)]
#[schema(as = NewKey)]
struct NewKeyBody {
    /// A label, 1 to 100 characters; blanks around it are dropped.
    #[schema(value_type = String, min_length = 1, max_length = 100, pattern = r"\S")]
    name: KeyName,
    #[schema(required = false, schema_with = schemas::new_environment)]
    env: Environment,
}

impl NewKeyBody {
    fn read(body: &[u8]) -> Result<Self, Problem> {
        let mut members = Members::read(body, &["name", "env"])?;
        let name = members.text("name", |text| {
            KeyName::parse(text).map_err(|_| FieldProblem::MalformedName)
        });
        let environment = members.text("env", word(ENVIRONMENTS, Environment::from_name));
        Ok(Self {
            name: members.end_with("name", name)?,
            env: environment.unwrap_or(Environment::Live),
        })
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
/// It starts with the limits of your plan. The complete key is in this answer and nowhere else ever
/// after: what is kept of it is a keyed hash.
#[utoipa::path(
    post,
    path = "/keys",
    operation_id = "createKey",
    tag = "keys",
    request_body(content = NewKeyBody, description = crate::openapi::STRICT_BODY),
    responses(
        (status = 201, description = "The key, once.", body = CreatedKeyView<'static>),
        FaultyInput, Conflict, SlowBody, LargeBody, NoJson,
    ),
)]
pub(super) async fn create(request: PersonRequest) -> Result<Response, Problem> {
    request.parameters().end()?;
    let body = NewKeyBody::read(&request.body().await?)?;
    let new_key = NewKey {
        name: body.name,
        environment: body.env,
        limits: None,
    };
    let created = request.keys().create(&request.caller, new_key).await;
    let created = created.map_err(|error| request.problem(&error))?;
    request.json(StatusCode::CREATED, &CreatedKeyView::new(&created))
}
