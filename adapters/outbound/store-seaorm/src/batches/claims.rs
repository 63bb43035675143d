//! Claims of due batches.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::batches::BatchId;
use domain::keys::KeyId;
use ports::outbound::{BatchProgress, ClaimedBatch, Lease, StoreError};
use sea_orm::sea_query::{Expr, LockBehavior, LockType, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr,
    EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
};

use super::progress::{of_batches, with_progress};
use super::row;
use crate::entity::api_keys;
use crate::entity::batches::{Column, Entity, Model};
use crate::row::Row;
use crate::store::{Store, failed};

#[derive(FromQueryResult)]
struct ActiveKey {
    id: String,
    first_key_id: Option<String>,
}

impl Store {
    /// Claims up to `most` batches. First checks, without the write lock, that any are due.
    pub(super) async fn claim_due_batches(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedBatch>, StoreError> {
        let any = Entity::find()
            .select_only()
            .column(Column::DueAt)
            .filter(Column::DueAt.lte(now.timestamp_millis()))
            .limit(1)
            .into_tuple::<i64>()
            .one(&self.connection);
        if most == 0 || any.await.map_err(failed)?.is_none() {
            return Ok(Vec::new());
        }
        let transaction = self.begin().await?;
        let claimed = claim(&transaction, most, now, lease).await;
        self.end(transaction, claimed).await
    }
}

async fn claim(
    transaction: &DatabaseTransaction,
    most: u32,
    now: DateTime<Utc>,
    lease: Lease,
) -> Result<Vec<ClaimedBatch>, StoreError> {
    let due = Entity::find()
        .filter(Column::DueAt.lte(now.timestamp_millis()))
        .order_by_asc(Column::DueAt)
        .order_by_asc(Column::Id)
        .limit(u64::from(most))
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .all(transaction)
        .await
        .map_err(failed)?;
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let held = hold(transaction, due, lease).await.map_err(failed)?;
    let keys = active_keys(transaction, &held).await?;
    let batches = with_progress(transaction, held).await?;
    let claimed = batches.into_iter().map(|batch| {
        let counters = batch.facts.key.counters.to_string();
        ClaimedBatch {
            key: keys.get(&counters).copied(),
            batch,
        }
    });
    Ok(claimed.collect())
}

/// Sets the lease of batches.
async fn hold(
    transaction: &DatabaseTransaction,
    mut batches: Vec<Model>,
    lease: Lease,
) -> Result<Vec<Model>, DbErr> {
    let until = lease.until.timestamp_millis();
    let ids = batches.iter().map(|batch| batch.id.as_str());
    Entity::update_many()
        .col_expr(Column::DueAt, Expr::value(until))
        .col_expr(Column::LeaseToken, Expr::value(lease.token.to_string()))
        .filter(Column::Id.is_in(ids))
        .exec(transaction)
        .await?;
    for batch in &mut batches {
        batch.due_at = Some(until);
    }
    Ok(batches)
}

/// The newest key of each of the batches' counters that isn't revoked, by counters.
async fn active_keys(
    transaction: &DatabaseTransaction,
    batches: &[Model],
) -> Result<HashMap<String, KeyId>, StoreError> {
    use api_keys::Column;
    let counters = || batches.iter().map(|batch| batch.counters_id.as_str());
    let sharing = Condition::any()
        .add(Column::Id.is_in(counters()))
        .add(Column::FirstKeyId.is_in(counters()));
    let keys = api_keys::Entity::find()
        .select_only()
        .column(Column::Id)
        .column(Column::FirstKeyId)
        .filter(sharing)
        .filter(Column::RevokedAt.is_null())
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id)
        .into_model::<ActiveKey>()
        .all(transaction)
        .await
        .map_err(failed)?;
    let mut newest = HashMap::new();
    for key in keys {
        let row = Row {
            table: "api_keys",
            id: &key.id,
        };
        let id = KeyId(row.uuid(&key.id, "id")?);
        newest.insert(key.first_key_id.unwrap_or(key.id), id);
    }
    Ok(newest)
}

/// Extends a lease; returns the progress, if the lease is held.
pub(super) async fn renew(
    connection: &DatabaseConnection,
    id: BatchId,
    lease: Lease,
) -> Result<Option<BatchProgress>, StoreError> {
    let id = id.to_string();
    let renewal = Query::update()
        .table(Entity)
        .value(Column::DueAt, lease.until.timestamp_millis())
        .and_where(Column::Id.eq(&id))
        .and_where(Column::LeaseToken.eq(lease.token.to_string()))
        .returning_col(Column::NextRow)
        .take();
    let renewed = connection.query_one(&renewal).await.map_err(failed)?;
    let Some(renewed) = renewed else {
        return Ok(None);
    };
    let next_row = renewed.try_get("", "next_row").map_err(failed)?;
    let mut lookups = of_batches(connection, &[&id]).await?;
    Ok(Some(BatchProgress {
        next_row: row::rows(row::row(&id), next_row, "next_row")?,
        ..lookups.remove(&id).unwrap_or_default()
    }))
}
