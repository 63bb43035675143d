//! Rows of batches.

use domain::batches::{BatchId, BatchState, RowCounts};
use domain::keys::CountedKey;
use domain::people::customer::CustomerId;
use ports::outbound::{BatchFacts, BatchProgress, NewBatch, StoredBatch};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select, Set};

use crate::entity::batches;
use crate::stored::Stored;

/// Selects a customer's batch.
pub(super) fn own(customer: CustomerId, id: BatchId) -> Select<batches::Entity> {
    batches::Entity::find_by_id(Stored(id)).filter(batches::Column::CustomerId.eq(Stored(customer)))
}

/// The row of a new batch, queued and due at once.
pub(super) fn queued(NewBatch { facts, content, .. }: &NewBatch) -> batches::ActiveModel {
    let created_at = Stored(facts.created_at);
    batches::ActiveModel {
        id: Set(Stored(facts.id)),
        customer_id: Set(Stored(facts.customer)),
        key_id: Set(Stored(facts.key.id)),
        counters_id: Set(Stored(facts.key.counters)),
        environment: Set(Stored(facts.environment)),
        request_id: Set(Stored(facts.request_id.clone())),
        all_rows: Set(Stored(facts.counts.rows)),
        faulty_rows: Set(Stored(facts.counts.faulty)),
        duplicate_rows: Set(Stored(facts.counts.duplicates)),
        next_row: Set(Stored(0)),
        state: Set(Stored(BatchState::Queued)),
        created_at: Set(created_at),
        updated_at: Set(created_at),
        due_at: Set(Some(created_at)),
        lease_token: Set(None),
        ended_at: Set(None),
        generation: Set(Stored(facts.generation)),
        content: Set(content.clone()),
    }
}

/// Converts a row; `progress` counts its lookups.
pub(super) fn read(batch: batches::Model, progress: BatchProgress) -> StoredBatch {
    StoredBatch {
        facts: BatchFacts {
            id: batch.id.0,
            customer: batch.customer_id.0,
            key: CountedKey {
                id: batch.key_id.0,
                counters: batch.counters_id.0,
            },
            environment: batch.environment.0,
            request_id: batch.request_id.0,
            created_at: batch.created_at.0,
            counts: RowCounts {
                rows: batch.all_rows.0,
                faulty: batch.faulty_rows.0,
                duplicates: batch.duplicate_rows.0,
            },
            generation: batch.generation.0,
        },
        state: batch.state.0,
        updated_at: batch.updated_at.0,
        due_at: batch.due_at.map(Stored::value),
        progress: BatchProgress {
            next_row: batch.next_row.0,
            ..progress
        },
        content: batch.content,
    }
}
