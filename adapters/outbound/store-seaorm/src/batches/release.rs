//! Ends of claims on batches.

use domain::batches::{BatchId, BatchState};
use domain::lookups::LookupState;
use ports::outbound::{BatchChange, BatchRelease, StoreError};
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::state::{self, LockedBatch};
use crate::entity::lookups::{Column, Entity};
use crate::store::failed;

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
            due_at: Some(due_at.timestamp_millis()),
            ..free
        },
        BatchChange::Pause { due_at } => LockedBatch {
            state: BatchState::Paused,
            due_at: Some(due_at.timestamp_millis()),
            ..free
        },
        BatchChange::Finish => {
            let has_open = has_open(transaction, release.id).await;
            if held.next_row != held.all_rows || has_open.map_err(failed)? {
                return Ok(false);
            }
            LockedBatch {
                state: BatchState::Finished,
                due_at: None,
                ..free
            }
        }
    };
    let stored = state::store(transaction, &held, after, release.now).await;
    stored.map_err(failed).map(|()| true)
}

/// Returns `true` if a lookup of the batch isn't final.
async fn has_open(transaction: &DatabaseTransaction, id: BatchId) -> Result<bool, DbErr> {
    let states = LookupState::ALL.into_iter();
    let open = states.filter(|state| !state.is_final());
    let any = Entity::find()
        .select_only()
        .column(Column::State)
        .filter(Column::BatchId.eq(id.to_string()))
        .filter(Column::State.is_in(open.map(LookupState::name)))
        .limit(1)
        .into_tuple::<String>()
        .one(transaction);
    Ok(any.await?.is_some())
}
