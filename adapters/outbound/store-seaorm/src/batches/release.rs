//! Ends of claims on batches.

use domain::batches::{BatchId, BatchState};
use domain::lookups::LookupState;
use ports::outbound::{BatchChange, BatchRelease, StoreError};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QuerySelect};

use super::state::{self, LockedBatch};
use crate::entity::lookups::{Column, Entity};
use crate::error::failed;
use crate::stored::Stored;

/// Ends a claim. Returns `false` if the lease isn't held any more, or a row isn't finished.
pub(super) async fn within(
    transaction: &DatabaseTransaction,
    release: &BatchRelease,
) -> Result<bool, StoreError> {
    let held = state::held(transaction, release.id, release.token).await?;
    let Some(held) = held else {
        return Ok(false);
    };
    let free = LockedBatch {
        lease_token: None,
        ..held.clone()
    };
    let after = match release.change {
        BatchChange::Wait { due_at } => LockedBatch {
            due_at: Some(Stored(due_at)),
            ..free
        },
        BatchChange::Pause { due_at } => LockedBatch {
            state: Stored(BatchState::Paused),
            due_at: Some(Stored(due_at)),
            ..free
        },
        BatchChange::Finish => {
            let has_open = has_open(transaction, release.id).await?;
            if held.next_row != held.all_rows || has_open {
                return Ok(false);
            }
            LockedBatch {
                state: Stored(BatchState::Finished),
                due_at: None,
                ..free
            }
        }
    };
    state::store(transaction, &held, after, release.now).await?;
    Ok(true)
}

/// Returns `true` if a lookup of the batch isn't final.
async fn has_open(transaction: &DatabaseTransaction, id: BatchId) -> Result<bool, StoreError> {
    let states = LookupState::ALL.into_iter();
    let open = states.filter(|state| !state.is_final());
    let any = Entity::find()
        .select_only()
        .column(Column::State)
        .filter(Column::BatchId.eq(Stored(id)))
        .filter(Column::State.is_in(open.map(Stored)))
        .limit(1)
        .into_tuple::<String>()
        .one(transaction);
    Ok(any.await.map_err(failed)?.is_some())
}
