//! Cancellation of lookups: by their customer, with their batch, and of those that have no key left.

use chrono::{DateTime, Utc};
use domain::keys::CounterId;
use domain::lookups::{LookupId, LookupState};
use domain::people::customer::CustomerId;
use ports::outbound::{Cancellation, StoreError, StoredLookup};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect, UpdateMany,
};

use super::row;
use crate::entity::lookups::{Column, Entity, Model};
use crate::error::failed;
use crate::queue;
use crate::read::{First, Read, query, sql};
use crate::store::Store;
use crate::stored::Stored;

/// Reads the counters that have open lookups, but no key that isn't revoked.
const WITHOUT_KEYS: &str = concat!(
    queue::owners!("lookups", "counters_id"),
    "SELECT counters_id FROM open WHERE counters_id IS NOT NULL \
     AND NOT EXISTS (SELECT 1 FROM api_keys WHERE api_keys.id = open.counters_id AND revoked_at IS NULL) \
     AND NOT EXISTS (SELECT 1 FROM api_keys WHERE first_key_id = open.counters_id AND revoked_at IS NULL) \
     ORDER BY counters_id LIMIT $1"
);

/// Cancels a customer's lookup.
pub(super) async fn of_one(
    transaction: &DatabaseTransaction,
    customer: CustomerId,
    id: LookupId,
    now: DateTime<Utc>,
) -> Result<Cancellation, StoreError> {
    let found = row::own(customer, id).lock_exclusive();
    let Some(found) = found.row(transaction).await? else {
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
        let without_keys = sql(&self.connection, WITHOUT_KEYS, [Stored(most).into()]);
        let counters =
            query::<First<Stored<CounterId>>>(&self.connection, "lookups", without_keys).await?;
        if counters.is_empty() {
            return Ok(Vec::new());
        }
        self.within(async |transaction| {
            let orphaned = Entity::find()
                .filter(Column::CountersId.is_in(counters.iter().map(|First(id)| *id)))
                .filter(Column::DueAt.is_not_null())
                .order_by_asc(Column::CountersId)
                .order_by_asc(Column::Id)
                .limit(u64::from(most))
                .lock_exclusive()
                .rows(transaction);
            cancel(transaction, orphaned.await?, now).await
        })
        .await
    }
}

/// Cancels lookups whose rows are locked on PostgreSQL.
async fn cancel(
    transaction: &DatabaseTransaction,
    locked: Vec<Model>,
    now: DateTime<Utc>,
) -> Result<Vec<StoredLookup>, StoreError> {
    canceling(now)
        .filter(Column::Id.is_in(locked.iter().map(|lookup| lookup.id)))
        .exec(transaction)
        .await
        .map_err(failed)?;
    let after = |lookup: Model| {
        row::read(Model {
            state: Stored(LookupState::Canceled),
            updated_at: Stored(now),
            due_at: None,
            ..lookup
        })
    };
    Ok(locked.into_iter().map(after).collect())
}

/// The update of canceled lookups.
pub(crate) fn canceling(now: DateTime<Utc>) -> UpdateMany<Entity> {
    let update = Entity::update_many().col_expr(Column::UpdatedAt, Expr::value(Stored(now)));
    queue::ended(update, LookupState::Canceled, now)
}
