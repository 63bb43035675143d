//! States of batches: reads, and changes. All changes are made here.

use chrono::{DateTime, Utc};
use domain::batches::{BatchId, BatchState};
use domain::keys::Environment;
use domain::people::customer::CustomerId;
use domain::webhooks::WebhookEvent;
use ports::outbound::StoreError;
use sea_orm::sea_query::Query;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, FromQueryResult,
    QueryFilter, QuerySelect, Select,
};
use uuid::Uuid;

use super::row;
use crate::entity::batches::{Column, Entity};
use crate::store::failed;
use crate::webhooks::outbox;

/// A batch whose row is locked on PostgreSQL: the parts of it that change.
#[derive(Clone)]
pub(super) struct LockedBatch {
    pub(super) id: BatchId,
    pub(super) owner: (CustomerId, Environment),
    pub(super) state: BatchState,
    pub(super) all_rows: i64,
    pub(super) next_row: i64,
    pub(super) due_at: Option<i64>,
    pub(super) lease_token: Option<String>,
}

#[derive(FromQueryResult)]
struct LockedRow {
    id: String,
    customer_id: String,
    environment: String,
    state: String,
    all_rows: i64,
    next_row: i64,
    due_at: Option<i64>,
    lease_token: Option<String>,
}

/// The state of a customer's batch.
pub(super) async fn read(
    connection: &impl ConnectionTrait,
    customer: CustomerId,
    id: BatchId,
) -> Result<Option<BatchState>, StoreError> {
    // Found by the id alone: with the customer in the condition, the server may read all of its
    // batches.
    let found = Entity::find_by_id(id.to_string())
        .select_only()
        .column(Column::CustomerId)
        .column(Column::State)
        .into_tuple::<(String, String)>()
        .one(connection)
        .await
        .map_err(failed)?;
    let Some((_, state)) = found.filter(|(owner, _)| *owner == customer.to_string()) else {
        return Ok(None);
    };
    let state = BatchState::from_name(&state);
    let state = state.ok_or_else(|| row::row(&id.to_string()).unreadable("state"))?;
    Ok(Some(state))
}

/// Locks a batch, if its lease has this token.
pub(super) async fn held(
    transaction: &DatabaseTransaction,
    id: BatchId,
    token: Uuid,
) -> Result<Option<LockedBatch>, StoreError> {
    let held = Entity::find_by_id(id.to_string());
    lock(
        transaction,
        held.filter(Column::LeaseToken.eq(token.to_string())),
    )
    .await
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
    let found = batch
        .select_only()
        .column(Column::Id)
        .column(Column::CustomerId)
        .column(Column::Environment)
        .column(Column::State)
        .column(Column::AllRows)
        .column(Column::NextRow)
        .column(Column::DueAt)
        .column(Column::LeaseToken)
        .lock_exclusive()
        .into_model::<LockedRow>()
        .one(transaction)
        .await
        .map_err(failed)?;
    let Some(found) = found else {
        return Ok(None);
    };
    let row = row::row(&found.id);
    let state = BatchState::from_name(&found.state);
    let environment = Environment::from_name(&found.environment);
    let owner = (
        CustomerId(row.uuid(&found.customer_id, "customer_id")?),
        environment.ok_or_else(|| row.unreadable("environment"))?,
    );
    Ok(Some(LockedBatch {
        id: BatchId(row.uuid(&found.id, "id")?),
        owner,
        state: state.ok_or_else(|| row.unreadable("state"))?,
        all_rows: found.all_rows,
        next_row: found.next_row,
        due_at: found.due_at,
        lease_token: found.lease_token,
    }))
}

/// Stores a locked batch after a change. Consequences of a new state that belong to the same
/// transaction are added here.
pub(super) async fn store(
    transaction: &DatabaseTransaction,
    before: &LockedBatch,
    after: LockedBatch,
    at: DateTime<Utc>,
) -> Result<(), DbErr> {
    let now = at.timestamp_millis();
    let mut update = Query::update();
    update
        .table(Entity)
        .value(Column::NextRow, after.next_row)
        .value(Column::DueAt, after.due_at)
        .value(Column::LeaseToken, after.lease_token.clone())
        .and_where(Column::Id.eq(before.id.to_string()));
    if after.state != before.state {
        update
            .value(Column::State, after.state.name())
            .value(Column::UpdatedAt, now);
        if after.state.is_final() {
            update.value(Column::EndedAt, now);
        }
    }
    transaction.execute(&update).await?;
    if after.state == before.state {
        return Ok(());
    }
    match WebhookEvent::of_batch(before.owner, before.id, after.state, at) {
        Some(event) => outbox::enqueue(transaction, &event).await,
        None => Ok(()),
    }
}
