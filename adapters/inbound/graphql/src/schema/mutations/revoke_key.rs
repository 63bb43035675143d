//! Input, payload and resolver of `revokeKey` and `adminRevokeKey`.

use application::RequestedScope;
use async_graphql::{Context, ID, InputObject};

use super::KeyPayload;
use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, payload};

/// A key that is to be revoked.
#[derive(InputObject)]
pub(crate) struct RevokeKeyInput {
    /// The key.
    id: ID,
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    scope: RequestedScope,
    input: RevokeKeyInput,
) -> Result<KeyPayload, FieldError> {
    let mut errors = InputErrors::default();
    let Some(id) = errors.key(&input.id) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let caller = &requester(context).caller;
    let revoked = ports(context).keys.revoke(caller, scope, id).await;
    payload(context, "id", revoked)
}
