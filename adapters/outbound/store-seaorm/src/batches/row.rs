//! Rows of batches.

use domain::batches::{BatchId, BatchState, RowCounts};
use domain::keys::{CountedKey, CounterId, Environment, HashGeneration, KeyId};
use domain::people::customer::CustomerId;
use domain::request::RequestId;
use ports::outbound::{BatchFacts, BatchProgress, NewBatch, StoreError, StoredBatch};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select, Set};

use crate::entity::batches;
use crate::row::Row;

/// Selects a customer's batch.
pub(super) fn own(customer: CustomerId, id: BatchId) -> Select<batches::Entity> {
    batches::Entity::find_by_id(id.to_string())
        .filter(batches::Column::CustomerId.eq(customer.to_string()))
}

/// The row of a new batch, queued and due at once.
pub(super) fn queued(NewBatch { facts, content, .. }: &NewBatch) -> batches::ActiveModel {
    let created_at = facts.created_at.timestamp_millis();
    batches::ActiveModel {
        id: Set(facts.id.to_string()),
        customer_id: Set(facts.customer.to_string()),
        key_id: Set(facts.key.id.to_string()),
        counters_id: Set(facts.key.counters.to_string()),
        environment: Set(facts.environment.name().to_owned()),
        request_id: Set(facts.request_id.as_str().to_owned()),
        all_rows: Set(facts.counts.rows.into()),
        faulty_rows: Set(facts.counts.faulty.into()),
        duplicate_rows: Set(facts.counts.duplicates.into()),
        next_row: Set(0),
        state: Set(BatchState::Queued.name().to_owned()),
        created_at: Set(created_at),
        updated_at: Set(created_at),
        due_at: Set(Some(created_at)),
        lease_token: Set(None),
        ended_at: Set(None),
        generation: Set(facts.generation.0.into()),
        content: Set(content.clone()),
    }
}

/// Converts a row; `progress` counts its lookups.
pub(super) fn read(
    batch: batches::Model,
    progress: BatchProgress,
) -> Result<StoredBatch, StoreError> {
    let row = row(&batch.id);
    let state = BatchState::from_name(&batch.state);
    Ok(StoredBatch {
        facts: facts(&batch)?,
        state: state.ok_or_else(|| row.unreadable("state"))?,
        updated_at: row.instant(batch.updated_at, "updated_at")?,
        due_at: row.optional_instant(batch.due_at, "due_at")?,
        progress: BatchProgress {
            next_row: rows(row, batch.next_row, "next_row")?,
            ..progress
        },
        content: batch.content,
    })
}

/// The row, as errors name it.
pub(super) fn row(id: &str) -> Row<'_> {
    Row {
        table: "batches",
        id,
    }
}

/// Converts a number of rows, or a row's number.
pub(super) fn rows(row: Row<'_>, number: i64, column: &'static str) -> Result<u32, StoreError> {
    u32::try_from(number).map_err(|_| row.unreadable(column))
}

fn facts(batch: &batches::Model) -> Result<BatchFacts, StoreError> {
    let row = row(&batch.id);
    let environment = Environment::from_name(&batch.environment);
    let generation = u16::try_from(batch.generation).map_err(|_| row.unreadable("generation"))?;
    Ok(BatchFacts {
        id: BatchId(row.uuid(&batch.id, "id")?),
        customer: CustomerId(row.uuid(&batch.customer_id, "customer_id")?),
        key: CountedKey {
            id: KeyId(row.uuid(&batch.key_id, "key_id")?),
            counters: CounterId(row.uuid(&batch.counters_id, "counters_id")?),
        },
        environment: environment.ok_or_else(|| row.unreadable("environment"))?,
        request_id: RequestId::parse(&batch.request_id)
            .ok_or_else(|| row.unreadable("request_id"))?,
        created_at: row.instant(batch.created_at, "created_at")?,
        counts: RowCounts {
            rows: rows(row, batch.all_rows, "all_rows")?,
            faulty: rows(row, batch.faulty_rows, "faulty_rows")?,
            duplicates: rows(row, batch.duplicate_rows, "duplicate_rows")?,
        },
        generation: HashGeneration(generation),
    })
}
