//! Input, payload and resolver of `cancelBatch`.

use async_graphql::{Context, ID, InputObject, SimpleObject};

use crate::field_error::FieldError;
use crate::schema::batch::Batch;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, UserError, batch_payload};

/// A batch that is to be canceled.
#[derive(InputObject)]
pub(crate) struct CancelBatchInput {
    /// The batch.
    id: ID,
}

/// A batch that was canceled, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct CancelBatchPayload {
    /// The batch after the change; null when nothing was changed.
    batch: Option<Batch>,
    /// Reasons for which nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<Batch> for CancelBatchPayload {
    fn from(batch: Batch) -> Self {
        Self {
            batch: Some(batch),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for CancelBatchPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: CancelBatchInput,
) -> Result<CancelBatchPayload, FieldError> {
    let mut errors = InputErrors::default();
    let Some(id) = errors.batch(&input.id) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let access = requester(context).batch_access();
    let canceled = ports(context).batches.cancel(&access, id).await;
    batch_payload(context, canceled.map(|read| Batch::from(&read.found)))
}
