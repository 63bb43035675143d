//! States of batches: reads, and changes. All changes are made here.

use chrono::{DateTime, Utc};
use domain::batches::{BatchId, BatchState};
use domain::keys::Environment;
use domain::people::customer::CustomerId;
use domain::webhooks::WebhookEvent;
use ports::outbound::StoreError;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, FromQueryResult, QueryFilter,
    QuerySelect, Select,
};
use uuid::Uuid;

use super::row;
use crate::entity::batches::{Column, Entity};
use crate::error::failed;
use crate::read::Read;
use crate::stored::{Stored, Time};
use crate::webhooks::outbox;

/// A batch whose row is locked on PostgreSQL: the parts of it that change.
#[derive(Clone, FromQueryResult)]
pub(super) struct LockedBatch {
    pub(super) id: Stored<BatchId>,
    pub(super) customer_id: Stored<CustomerId>,
    pub(super) environment: Stored<Environment>,
    pub(super) state: Stored<BatchState>,
    pub(super) all_rows: Stored<u32>,
    pub(super) next_row: Stored<u32>,
    pub(super) due_at: Option<Time>,
    pub(super) lease_token: Option<Stored<Uuid>>,
}

#[derive(FromQueryResult)]
struct StateRow {
    customer_id: Stored<CustomerId>,
    state: Stored<BatchState>,
}

/// The state of a customer's batch.
pub(super) async fn read(
    connection: &impl ConnectionTrait,
    customer: CustomerId,
    id: BatchId,
) -> Result<Option<BatchState>, StoreError> {
    // Found by the id alone: with the customer in the condition, the server may read all of its
    // batches.
    let found = Entity::find_by_id(Stored(id))
        .select_only()
        .column(Column::CustomerId)
        .column(Column::State)
        .row_as::<StateRow>(connection);
    let found = found.await?.filter(|row| row.customer_id.0 == customer);
    Ok(found.map(|row| row.state.0))
}

/// Locks a batch, if its lease has this token.
pub(super) async fn held(
    transaction: &DatabaseTransaction,
    id: BatchId,
    token: Uuid,
) -> Result<Option<LockedBatch>, StoreError> {
    let held = Entity::find_by_id(Stored(id)).filter(Column::LeaseToken.eq(Stored(token)));
    lock(transaction, held).await
}

/// Locks a customer's batch.
pub(super) async fn own(
    transaction: &DatabaseTransaction,
    customer: CustomerId,
    id: BatchId,
) -> Result<Option<LockedBatch>, StoreError> {
    lock(transaction, row::own(customer, id)).await
}

pub(super) async fn lock(
    transaction: &DatabaseTransaction,
    batch: Select<Entity>,
) -> Result<Option<LockedBatch>, StoreError> {
    batch
        .select_only()
        .columns([
            Column::Id,
            Column::CustomerId,
            Column::Environment,
            Column::State,
            Column::AllRows,
            Column::NextRow,
            Column::DueAt,
            Column::LeaseToken,
        ])
        .lock_exclusive()
        .row_as(transaction)
        .await
}

/// Stores a locked batch after a change. Consequences of a new state that belong to the same
/// transaction are added here.
pub(super) async fn store(
    transaction: &DatabaseTransaction,
    before: &LockedBatch,
    after: LockedBatch,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let now = Expr::value(Stored(at));
    let mut update = Entity::update_many()
        .col_expr(Column::NextRow, Expr::value(after.next_row))
        .col_expr(Column::DueAt, Expr::value(after.due_at))
        .col_expr(Column::LeaseToken, Expr::value(after.lease_token))
        .filter(Column::Id.eq(before.id));
    if after.state != before.state {
        update = update
            .col_expr(Column::State, Expr::value(after.state))
            .col_expr(Column::UpdatedAt, now.clone());
        if after.state.0.is_final() {
            update = update.col_expr(Column::EndedAt, now);
        }
    }
    update.exec(transaction).await.map_err(failed)?;
    if after.state == before.state {
        return Ok(());
    }
    let owner = (before.customer_id.0, before.environment.0);
    match WebhookEvent::of_batch(owner, before.id.0, after.state.0, at) {
        Some(event) => outbox::enqueue(transaction, &event).await,
        None => Ok(()),
    }
}
