//! Input, payload and resolver of `eraseLookup`.

use async_graphql::{Context, ID, InputObject, SimpleObject};
use domain::lookups::LookupId;

use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, UserError, lookup_payload};

/// A lookup that is to be erased.
#[derive(InputObject)]
pub(crate) struct EraseLookupInput {
    /// The lookup.
    id: ID,
}

/// A lookup that was erased, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct EraseLookupPayload {
    /// The identity that it had; null when nothing was changed.
    erased_id: Option<ID>,
    /// Reasons for which nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<LookupId> for EraseLookupPayload {
    fn from(id: LookupId) -> Self {
        Self {
            erased_id: Some(id.into()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for EraseLookupPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: EraseLookupInput,
) -> Result<EraseLookupPayload, FieldError> {
    let mut errors = InputErrors::default();
    let Some(id) = errors.lookup(&input.id) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let caller = &requester(context).caller;
    let erased = ports(context).lookups.erase(caller, id).await;
    lookup_payload(context, erased.map(|()| id))
}
