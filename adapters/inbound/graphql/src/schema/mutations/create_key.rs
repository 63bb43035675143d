//! Input, payload and resolver of `createKey`.

use application::{CreatedKey, NewKey};
use async_graphql::{Context, InputObject, SimpleObject};

use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::enums::Environment;
use crate::schema::key::Key;
use crate::schema::user_error::{InputErrors, UserError, payload};

/// A key that is to be made.
#[derive(InputObject)]
pub(crate) struct CreateKeyInput {
    /// Its label: 1 to 100 characters.
    name: String,
    /// The bank that it asks.
    #[graphql(default_with = "Environment::Live")]
    environment: Environment,
}

/// A key that was just made, or why none was.
#[derive(SimpleObject, Default)]
pub(crate) struct CreateKeyPayload {
    /// The key; null when it wasn't made.
    key: Option<Key>,
    /// Its complete text, for `x-api-key`. It is shown here and never again; null when no key was
    /// made.
    secret: Option<String>,
    /// Reasons for which it wasn't made; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<CreatedKey> for CreateKeyPayload {
    fn from(created: CreatedKey) -> Self {
        Self {
            secret: Some(created.secret.reveal().to_owned()),
            key: Some(created.key.into()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for CreateKeyPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: CreateKeyInput,
) -> Result<CreateKeyPayload, FieldError> {
    let mut errors = InputErrors::default();
    let Some(name) = errors.name(&input.name) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let new = NewKey {
        name,
        environment: input.environment.into(),
        limits: None,
    };
    let caller = &requester(context).caller;
    let created = ports(context).keys.create(caller, new).await;
    payload(context, "id", created)
}
