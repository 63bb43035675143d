//! Additions of batches.

use domain::batches::{BatchId, BatchState};
use domain::idempotency::FirstAnswer;
use ports::outbound::{BatchAddition, BatchBounds, NewBatch, StoreError};
use sea_orm::sea_query::{ExprTrait as _, LockType};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QuerySelect, Set,
};

use super::row;
use crate::entity::{batch_chunks, batches, customers};
use crate::error::failed;
use crate::idempotency::record;
use crate::stored::Stored;

/// Number of chunks per statement: a few hundred kilobytes.
const CHUNKS_PER_STATEMENT: usize = 16;

/// Adds a batch with its chunks, and records it as the answer to its request, unless its customer
/// would exceed its bounds.
pub(super) async fn within(
    transaction: &DatabaseTransaction,
    batch: &NewBatch,
    bounds: BatchBounds,
) -> Result<BatchAddition, StoreError> {
    let id = batch.facts.id;
    let refused = refused(transaction, batch, bounds).await;
    if let Some(refused) = refused.map_err(failed)? {
        return Ok(refused);
    }
    let insert = batches::Entity::insert(row::queued(batch));
    let inserted = insert.exec_without_returning(transaction).await;
    inserted.map_err(failed)?;
    let mut chunks = (0_u32..).zip(&batch.chunks).map(|chunk| written(id, chunk));
    loop {
        let some: Vec<_> = chunks.by_ref().take(CHUNKS_PER_STATEMENT).collect();
        if some.is_empty() {
            break;
        }
        let insert = batch_chunks::Entity::insert_many(some);
        let inserted = insert.exec_without_returning(transaction).await;
        inserted.map_err(failed)?;
    }
    if let Some(claim) = batch.claim {
        record(transaction, claim, FirstAnswer::Batch(id)).await?;
    }
    Ok(BatchAddition::Added)
}

async fn refused(
    transaction: &DatabaseTransaction,
    batch: &NewBatch,
    bounds: BatchBounds,
) -> Result<Option<BatchAddition>, DbErr> {
    let customer = Stored(batch.facts.customer);
    // Locked: of two added at the same time, the second transaction sees the first.
    customers::Entity::find_by_id(customer)
        .select_only()
        .column(customers::Column::Id)
        .lock(LockType::NoKeyUpdate)
        .into_tuple::<String>()
        .one(transaction)
        .await?;
    let states = BatchState::ALL.into_iter();
    let open = states.filter(|state| !state.is_final());
    let found = batches::Entity::find()
        .select_only()
        .column(batches::Column::Id)
        .filter(batches::Column::CustomerId.eq(customer))
        .filter(batches::Column::State.is_in(open.map(Stored)))
        .limit(u64::from(bounds.open))
        .into_tuple::<String>()
        .all(transaction)
        .await?;
    if found.len() >= bounds.open as usize {
        return Ok(Some(BatchAddition::TooManyOpen));
    }
    let kept = batches::Entity::find()
        .select_only()
        .expr(batches::Column::AllRows.sum().cast_as("BIGINT"))
        .filter(batches::Column::CustomerId.eq(customer))
        .into_tuple::<Option<i64>>()
        .one(transaction)
        .await?;
    let kept = u64::try_from(kept.flatten().unwrap_or_default()).unwrap_or_default();
    let rows = kept.saturating_add(batch.facts.counts.rows.into());
    Ok((rows > bounds.rows).then_some(BatchAddition::TooManyRows))
}

fn written(id: BatchId, (number, content): (u32, &Vec<u8>)) -> batch_chunks::ActiveModel {
    batch_chunks::ActiveModel {
        batch_id: Set(Stored(id)),
        number: Set(Stored(number)),
        content: Set(content.clone()),
    }
}
