//! Removal of ended batches, in portions, so that nothing waits long for one with many lookups.

use chrono::{DateTime, Utc};
use domain::batches::BatchId;
use domain::people::customer::CustomerId;
use ports::outbound::StoreError;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    Select,
};

use super::{row, state};
use crate::entity::batch_chunks;
use crate::entity::batches::{Column, Entity};
use crate::error::failed;
use crate::prune::ROWS_PER_STATEMENT;
use crate::read::{First, Read, sql};
use crate::store::Store;
use crate::stored::Stored;

/// Number of batches whose ids are read at once.
const BATCHES_PER_STATEMENT: u64 = 100;

const SOME_IN_SQLITE: &str = "DELETE FROM lookups WHERE id IN \
     (SELECT id FROM lookups WHERE batch_id = $1 ORDER BY batch_row LIMIT $2)";

/// Skips rows that another session removes or writes. Ordered, because the server would otherwise
/// read the whole table for a batch that makes up a large part of it.
const SOME_IN_POSTGRES: &str = "DELETE FROM lookups WHERE ctid = ANY(ARRAY(SELECT ctid FROM lookups \
     WHERE batch_id = $1 ORDER BY batch_row LIMIT $2 FOR UPDATE SKIP LOCKED))";

/// For rows that no other session may claim any more: waits for sessions that still hold one.
const LAST_IN_POSTGRES: &str = "DELETE FROM lookups WHERE ctid = ANY(ARRAY(SELECT ctid FROM lookups \
     WHERE batch_id = $1 ORDER BY batch_row LIMIT $2 FOR UPDATE))";

impl Store {
    /// Removes a customer's batch if it is final, a state that never changes again.
    pub(super) async fn erase_final(
        &self,
        customer: CustomerId,
        id: BatchId,
    ) -> Result<bool, StoreError> {
        let batch = || row::own(customer, id).filter(Column::DueAt.is_null());
        let found = batch().select_only().column(Column::Id);
        let is_there = self.in_time(found.row_as::<First<Stored<BatchId>>>(&self.connection));
        if is_there.await?.is_none() {
            return Ok(false);
        }
        self.remove(id, batch()).await
    }

    /// Removes batches that ended before an instant; returns their number.
    pub(super) async fn remove_ended(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        let ended = Column::EndedAt.lt(Stored(before));
        let mut removed = 0;
        loop {
            let some = Entity::find()
                .select_only()
                .column(Column::Id)
                .filter(ended.clone())
                .order_by_asc(Column::EndedAt)
                .limit(BATCHES_PER_STATEMENT)
                .rows_as::<First<Stored<BatchId>>>(&self.connection);
            let some = self.in_time(some).await?;
            for First(id) in &some {
                let batch = Entity::find_by_id(*id).filter(ended.clone());
                if self.remove(id.0, batch).await? {
                    removed += 1;
                }
            }
            if (some.len() as u64) < BATCHES_PER_STATEMENT {
                return Ok(removed);
            }
        }
    }

    /// Removes the chunks of a final batch, then its lookups, then the batch with the last of them.
    /// Returns `false` if the batch is gone. The chunks go first: a reader that finds one has read
    /// the lookups of its rows before any was removed.
    async fn remove(&self, id: BatchId, batch: Select<Entity>) -> Result<bool, StoreError> {
        self.check_files()?;
        self.in_time(async {
            let chunks = batch_chunks::Entity::delete_many();
            let chunks = chunks.filter(batch_chunks::Column::BatchId.eq(Stored(id)));
            chunks.exec(&self.connection).await.map_err(failed)
        })
        .await?;
        let some = || self.in_time(remove_some(&self.connection, id, SOME_IN_POSTGRES));
        while some().await? > 0 {}
        self.within(async |transaction| {
            if state::lock(transaction, batch).await?.is_none() {
                return Ok(false);
            }
            while remove_some(transaction, id, LAST_IN_POSTGRES).await? > 0 {}
            let batch = Entity::delete_by_id(Stored(id)).exec(transaction).await;
            batch.map_err(failed).map(|_| true)
        })
        .await
    }
}

/// Removes lookups of a batch; returns their number.
async fn remove_some(
    connection: &impl ConnectionTrait,
    id: BatchId,
    in_postgres: &'static str,
) -> Result<u64, StoreError> {
    let some = match connection.get_database_backend() {
        DbBackend::Postgres => in_postgres,
        _ => SOME_IN_SQLITE,
    };
    let values = [Stored(id).into(), Stored(ROWS_PER_STATEMENT).into()];
    let removal = sql(connection, some, values);
    let removed = connection.execute_raw(removal).await;
    removed.map_err(failed).map(|done| done.rows_affected())
}
