//! Input, payload and resolver of `renameKey`.

use application::RequestedScope;
use async_graphql::{Context, ID, InputObject};

use super::KeyPayload;
use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, payload};

/// A key that is to be called otherwise.
#[derive(InputObject)]
pub(crate) struct RenameKeyInput {
    /// The key.
    id: ID,
    /// Its new label: 1 to 100 characters.
    name: String,
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: RenameKeyInput,
) -> Result<KeyPayload, FieldError> {
    let mut errors = InputErrors::default();
    let (id, name) = (errors.key(&input.id), errors.name(&input.name));
    let (Some(id), Some(name)) = (id, name) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let caller = &requester(context).caller;
    let keys = &ports(context).keys;
    let renamed = keys.rename(caller, RequestedScope::Own, id, name).await;
    payload(context, "id", renamed)
}
