//! Input, payload and resolver of `cancelLookup`.

use async_graphql::{Context, ID, InputObject, SimpleObject};

use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::lookup::Lookup;
use crate::schema::user_error::{InputErrors, UserError, lookup_payload};

/// A lookup that is to be canceled.
#[derive(InputObject)]
pub(crate) struct CancelLookupInput {
    /// The lookup.
    id: ID,
}

/// A lookup that was canceled, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct CancelLookupPayload {
    /// The lookup after the change; null when nothing was changed.
    lookup: Option<Lookup>,
    /// Reasons for which nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<Lookup> for CancelLookupPayload {
    fn from(lookup: Lookup) -> Self {
        Self {
            lookup: Some(lookup),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for CancelLookupPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: CancelLookupInput,
) -> Result<CancelLookupPayload, FieldError> {
    let mut errors = InputErrors::default();
    let Some(id) = errors.lookup(&input.id) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let ports = ports(context);
    let requester = requester(context);
    let canceled = ports.lookups.cancel(&requester.caller, id).await;
    let canceled = canceled.map(|view| Lookup::new(&view, ports, requester.language));
    lookup_payload(context, canceled)
}
