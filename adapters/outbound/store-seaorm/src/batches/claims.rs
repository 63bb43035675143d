//! Claims of due batches.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::batches::BatchId;
use domain::keys::{CounterId, KeyId};
use ports::outbound::{BatchProgress, ClaimedBatch, Lease, StoreError};
use sea_orm::{
    ColumnTrait, Condition, DatabaseConnection, DatabaseTransaction, EntityTrait, FromQueryResult,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait as _,
};

use super::progress::{of_batches, with_progress};
use crate::entity::api_keys;
use crate::entity::batches::{Column, Entity, Model};
use crate::queue;
use crate::read::{First, Read, query};
use crate::store::Store;
use crate::stored::Stored;

#[derive(FromQueryResult)]
struct ActiveKey {
    id: Stored<KeyId>,
    first_key_id: Option<Stored<CounterId>>,
}

impl Store {
    /// Claims up to `most` batches. First checks, without the write lock, that any are due.
    pub(super) async fn claim_due_batches(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedBatch>, StoreError> {
        let due = || queue::due::<Entity>(now);
        if most == 0 || !self.is_any_due(due()).await? {
            return Ok(Vec::new());
        }
        self.within(async |transaction| {
            let mut due = queue::take(transaction, due(), most as usize).await?;
            let ids = due.iter().map(|batch| batch.id).collect();
            queue::hold(transaction, Entity::update_many(), ids, lease).await?;
            for batch in &mut due {
                batch.due_at = Some(Stored(lease.until));
            }
            let keys = active_keys(transaction, &due).await?;
            let batches = with_progress(transaction, due).await?;
            let claimed = batches.into_iter().map(|batch| ClaimedBatch {
                key: keys.get(&batch.facts.key.counters).copied(),
                batch,
            });
            Ok(claimed.collect())
        })
        .await
    }
}

/// The newest key of each of the batches' counters that isn't revoked, by counters.
async fn active_keys(
    transaction: &DatabaseTransaction,
    batches: &[Model],
) -> Result<HashMap<CounterId, KeyId>, StoreError> {
    use api_keys::Column;
    if batches.is_empty() {
        return Ok(HashMap::new());
    }
    let counters = || batches.iter().map(|batch| batch.counters_id);
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
        .rows_as::<ActiveKey>(transaction);
    let of_counters = |key: ActiveKey| {
        let first = key.first_key_id.map(Stored::value);
        (first.unwrap_or(key.id.0.into()), key.id.0)
    };
    Ok(keys.await?.into_iter().map(of_counters).collect())
}

/// Extends a lease; returns the progress, if the lease is held.
pub(super) async fn renew(
    connection: &DatabaseConnection,
    id: BatchId,
    lease: Lease,
) -> Result<Option<BatchProgress>, StoreError> {
    let mut renewal = queue::renewal::<Entity>(id, lease).into_query();
    renewal.returning_col(Column::NextRow);
    let renewal = connection.get_database_backend().build(&renewal);
    let renewed = query::<First<Stored<u32>>>(connection, "batches", renewal)
        .await?
        .pop();
    let Some(renewed) = renewed else {
        return Ok(None);
    };
    let mut lookups = of_batches(connection, vec![Stored(id)]).await?;
    Ok(Some(BatchProgress {
        next_row: renewed.0.0,
        ..lookups.remove(&id).unwrap_or_default()
    }))
}
