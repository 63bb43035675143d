//! Cancellation of lookups: by their customer, and of those that have no key left.

use chrono::{DateTime, Utc};
use domain::lookups::{LookupId, LookupState};
use domain::people::customer::CustomerId;
use ports::outbound::{Cancellation, StoreError, StoredLookup};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement,
};

use super::row;
use crate::entity::lookups::{Column, Entity, Model};
use crate::store::{Store, failed};

/// Reads the counters that have open lookups, but no key that isn't revoked. Steps through the
/// index from one counter to the next, without reading their lookups.
const WITHOUT_KEYS: &str = "WITH RECURSIVE counted (id) AS (\
    SELECT MIN(counters_id) FROM lookups WHERE due_at IS NOT NULL \
    UNION ALL \
    SELECT (SELECT MIN(counters_id) FROM lookups \
        WHERE due_at IS NOT NULL AND counters_id > counted.id) \
    FROM counted WHERE counted.id IS NOT NULL) \
    SELECT id FROM counted WHERE id IS NOT NULL \
    AND NOT EXISTS (SELECT 1 FROM api_keys WHERE api_keys.id = counted.id AND revoked_at IS NULL) \
    AND NOT EXISTS (SELECT 1 FROM api_keys WHERE first_key_id = counted.id AND revoked_at IS NULL) \
    ORDER BY id LIMIT $1";

/// Cancels a customer's lookup.
pub(super) async fn of_one(
    transaction: &DatabaseTransaction,
    customer: CustomerId,
    id: LookupId,
    now: DateTime<Utc>,
) -> Result<Cancellation, StoreError> {
    let found = row::own(customer, id).lock_exclusive();
    let Some(found) = found.one(transaction).await.map_err(failed)? else {
        return Ok(Cancellation::Unknown);
    };
    if found.due_at.is_none() {
        return Ok(Cancellation::Final);
    }
    let canceled = cancel(transaction, vec![found], now).await?.pop();
    Ok(canceled.map_or(Cancellation::Unknown, |lookup| {
        Cancellation::Canceled(Box::new(lookup))
    }))
}

impl Store {
    /// Cancels lookups whose counters have no key left. The counters are read first, without the
    /// write lock: a revoked key stays revoked, and gets no successor.
    pub(super) async fn cancel_without_keys(
        &self,
        most: u32,
        now: DateTime<Utc>,
    ) -> Result<Vec<StoredLookup>, StoreError> {
        let counters = self.without_keys(most).await.map_err(failed)?;
        if counters.is_empty() {
            return Ok(Vec::new());
        }
        let transaction = self.begin().await?;
        let canceled = of_counters(&transaction, counters, most, now).await;
        self.end(transaction, canceled).await
    }

    async fn without_keys(&self, most: u32) -> Result<Vec<String>, DbErr> {
        let backend = self.connection.get_database_backend();
        let values = [i64::from(most).into()];
        let query = Statement::from_sql_and_values(backend, WITHOUT_KEYS, values);
        let rows = self.connection.query_all_raw(query).await?;
        rows.iter().map(|row| row.try_get_by_index(0)).collect()
    }
}

async fn of_counters(
    transaction: &DatabaseTransaction,
    counters: Vec<String>,
    most: u32,
    now: DateTime<Utc>,
) -> Result<Vec<StoredLookup>, StoreError> {
    let orphaned = Entity::find()
        .filter(Column::CountersId.is_in(counters))
        .filter(Column::DueAt.is_not_null())
        .order_by_asc(Column::CountersId)
        .order_by_asc(Column::Id)
        .limit(u64::from(most))
        .lock_exclusive();
    let orphaned = orphaned.all(transaction).await.map_err(failed)?;
    cancel(transaction, orphaned, now).await
}

/// Cancels lookups whose rows are locked on PostgreSQL.
async fn cancel(
    transaction: &DatabaseTransaction,
    locked: Vec<Model>,
    now: DateTime<Utc>,
) -> Result<Vec<StoredLookup>, StoreError> {
    let now = now.timestamp_millis();
    let canceled = LookupState::Canceled.name();
    let ids = locked.iter().map(|lookup| lookup.id.as_str());
    Entity::update_many()
        .col_expr(Column::State, Expr::value(canceled))
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .col_expr(Column::EndedAt, Expr::value(now))
        .col_expr(Column::DueAt, Expr::value(None::<i64>))
        .col_expr(Column::LeaseToken, Expr::value(None::<String>))
        .filter(Column::Id.is_in(ids))
        .exec(transaction)
        .await
        .map_err(failed)?;
    let after = |lookup: Model| {
        row::read(Model {
            state: canceled.to_owned(),
            updated_at: now,
            due_at: None,
            ..lookup
        })
    };
    locked.into_iter().map(after).collect()
}
