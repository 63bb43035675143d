//! Input, payload and resolver of `rotateKey`.

use application::RotatedKey;
use async_graphql::{Context, ID, InputObject, SimpleObject};

use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::key::Key;
use crate::schema::user_error::{InputErrors, UserError, payload};

/// A key that is to be given a successor.
#[derive(InputObject)]
pub(crate) struct RotateKeyInput {
    /// The key.
    id: ID,
    /// For how many hours it goes on working beside its successor: 0 to 168.
    #[graphql(default = 24)]
    grace_hours: i32,
}

/// A key that was given a successor, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct RotateKeyPayload {
    /// The old key, which revokes itself; null when nothing was changed.
    old_key: Option<Key>,
    /// Its successor; null when nothing was changed.
    new_key: Option<Key>,
    /// The successor's complete text, for `x-api-key`. It is shown here and never again; null when
    /// nothing was changed.
    secret: Option<String>,
    /// Reasons for which nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<RotatedKey> for RotateKeyPayload {
    fn from(rotated: RotatedKey) -> Self {
        Self {
            old_key: Some(rotated.old.into()),
            secret: Some(rotated.new.secret.reveal().to_owned()),
            new_key: Some(rotated.new.key.into()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for RotateKeyPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: RotateKeyInput,
) -> Result<RotateKeyPayload, FieldError> {
    let mut errors = InputErrors::default();
    let (id, grace) = (errors.key(&input.id), errors.grace(input.grace_hours));
    let (Some(id), Some(grace)) = (id, grace) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let caller = &requester(context).caller;
    let rotated = ports(context).keys.rotate(caller, id, grace).await;
    payload(context, "id", rotated)
}
