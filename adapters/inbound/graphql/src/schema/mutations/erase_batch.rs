//! Input, payload and resolver of `eraseBatch`.

use async_graphql::{Context, ID, InputObject, SimpleObject};
use domain::batches::BatchId;

use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, UserError, batch_payload};

/// A batch that is to be erased.
#[derive(InputObject)]
pub(crate) struct EraseBatchInput {
    /// The batch.
    id: ID,
}

/// A batch that was erased, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct EraseBatchPayload {
    /// The identity that it had; null when nothing was changed.
    erased_id: Option<ID>,
    /// Reasons for which nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<BatchId> for EraseBatchPayload {
    fn from(id: BatchId) -> Self {
        Self {
            erased_id: Some(id.into()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for EraseBatchPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: EraseBatchInput,
) -> Result<EraseBatchPayload, FieldError> {
    let mut errors = InputErrors::default();
    let Some(id) = errors.batch(&input.id) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let access = requester(context).batch_access();
    let erased = ports(context).batches.erase(&access, id).await;
    batch_payload(context, erased.map(|_| id))
}
