//! Additions of batches.

use domain::batch::BatchId;
use domain::idempotency::FirstAnswer;
use ports::outbound::{NewBatch, StoreError};
use sea_orm::{DatabaseTransaction, EntityTrait, Set};

use super::row;
use crate::entity::{batch_chunks, batches};
use crate::idempotency::record;
use crate::store::failed;

/// Chunks of one statement: a few hundred kilobytes.
const CHUNKS_PER_STATEMENT: usize = 16;

/// Adds a batch with its chunks, and records it as the answer to its request.
pub(super) async fn within(
    transaction: &DatabaseTransaction,
    batch: &NewBatch,
) -> Result<(), StoreError> {
    let id = batch.facts.id;
    let insert = batches::Entity::insert(row::queued(batch));
    let inserted = insert.exec_without_returning(transaction).await;
    inserted.map_err(failed)?;
    let mut chunks = (0..).zip(&batch.chunks).map(|chunk| written(id, chunk));
    loop {
        let some: Vec<_> = chunks.by_ref().take(CHUNKS_PER_STATEMENT).collect();
        if some.is_empty() {
            break;
        }
        let insert = batch_chunks::Entity::insert_many(some);
        let inserted = insert.exec_without_returning(transaction).await;
        inserted.map_err(failed)?;
    }
    match batch.claim {
        Some(claim) => record(transaction, claim, FirstAnswer::Batch(id)).await,
        None => Ok(()),
    }
}

fn written(id: BatchId, (number, content): (i64, &Vec<u8>)) -> batch_chunks::ActiveModel {
    batch_chunks::ActiveModel {
        batch_id: Set(id.to_string()),
        number: Set(number),
        content: Set(content.clone()),
    }
}
