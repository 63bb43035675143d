//! Mutations of batches.

use async_graphql::{Context, ID, InputObject, Object};
use web::views::batches::Batch;

use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, Nullable, payload, respond};

/// A batch that is to be canceled.
#[derive(InputObject)]
pub(crate) struct CancelBatchInput {
    /// The batch.
    id: ID,
}

/// A batch that is to be erased.
#[derive(InputObject)]
pub(crate) struct EraseBatchInput {
    /// The batch.
    id: ID,
}

payload! {
    /// A batch that was canceled, or why it wasn't.
    CancelBatchPayload {
        /// The batch after the change; null when nothing was changed.
        batch: Batch,
    }
}

payload! {
    /// A batch that was erased, or why it wasn't.
    EraseBatchPayload {
        /// The identity that it had; null when nothing was changed.
        erased_id: ID,
    }
}

#[derive(Default)]
pub(crate) struct BatchMutation;

#[Object]
impl BatchMutation {
    /// Cancels a batch of the viewer's that isn't final, and the lookups of its rows. Rows that nobody
    /// began to look up aren't counted.
    async fn cancel_batch(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The batch.")] input: CancelBatchInput,
    ) -> Nullable<CancelBatchPayload> {
        let cancel = async {
            let mut errors = InputErrors::default();
            let id = errors.batch(&input.id);
            let id = errors.end(id)?;
            let access = requester(context).batch_access();
            let canceled = ports(context).batches.cancel(&access, id).await?;
            Ok(CancelBatchPayload::of(Batch::from(&canceled.found)))
        };
        respond(context, cancel).await
    }

    /// Erases a batch of the viewer's that is final: its rows, their lookups, proofs and files.
    async fn erase_batch(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The batch.")] input: EraseBatchInput,
    ) -> Nullable<EraseBatchPayload> {
        let erase = async {
            let mut errors = InputErrors::default();
            let id = errors.batch(&input.id);
            let id = errors.end(id)?;
            let access = requester(context).batch_access();
            ports(context).batches.erase(&access, id).await?;
            Ok(EraseBatchPayload::of(id.into()))
        };
        respond(context, erase).await
    }
}
