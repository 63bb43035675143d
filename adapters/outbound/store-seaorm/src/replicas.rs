//! Register of replicas: a row for each process that serves, with the time of its latest heartbeat on
//! the database's clock.

use std::num::NonZeroU32;
use std::time::Duration;

use async_trait::async_trait;
use ports::outbound::{ReplicaRegistry, StoreError};
use sea_orm::{ConnectionTrait, DbBackend};
use uuid::Uuid;

use crate::error::failed;
use crate::read::sql;
use crate::store::Store;
use crate::stored::Stored;

#[async_trait]
impl ReplicaRegistry for Store {
    async fn beat(&self, instance: Uuid, lifetime: Duration) -> Result<NonZeroU32, StoreError> {
        let lifetime = i64::try_from(lifetime.as_millis()).unwrap_or(i64::MAX);
        self.in_time(async { self.beat_and_count(instance, lifetime).await })
            .await
    }

    async fn leave(&self, instance: Uuid) -> Result<(), StoreError> {
        let removal = "DELETE FROM replicas WHERE instance = $1";
        let removal = sql(&self.connection, removal, [Stored(instance).into()]);
        let removed = self.connection.execute_raw(removal);
        self.write(removed).await.map(drop)
    }
}

impl Store {
    /// Separate statements without a transaction: the next heartbeat corrects a late count or
    /// removal.
    async fn beat_and_count(
        &self,
        instance: Uuid,
        lifetime: i64,
    ) -> Result<NonZeroU32, StoreError> {
        let now = self.now_in_millis();
        let beat = format!(
            "INSERT INTO replicas (instance, beat_at) VALUES ($1, {now}) \
             ON CONFLICT (instance) DO UPDATE SET beat_at = excluded.beat_at"
        );
        let beat = sql(&self.connection, beat, [Stored(instance).into()]);
        self.write(self.connection.execute_raw(beat)).await?;
        let gone = format!("DELETE FROM replicas WHERE beat_at < {now} - CAST($1 AS BIGINT)");
        let gone = sql(&self.connection, gone, [lifetime.into()]);
        self.write(self.connection.execute_raw(gone)).await?;
        let count = sql(&self.connection, "SELECT COUNT(*) FROM replicas", []);
        let count = self.connection.query_one_raw(count);
        let count = count.await.map_err(failed)?;
        let count = count
            .map(|row| row.try_get_by_index::<i64>(0))
            .transpose()
            .map_err(failed)?;
        let count = count.and_then(|count| u32::try_from(count).ok());
        // Its own row may have been removed by one whose lifetime is shorter.
        Ok(count.and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN))
    }

    /// The database's clock, in unix milliseconds.
    fn now_in_millis(&self) -> &'static str {
        match self.connection.get_database_backend() {
            DbBackend::Postgres => "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
            DbBackend::Sqlite | DbBackend::MySql | _ => {
                "CAST(unixepoch('subsec') * 1000 AS BIGINT)"
            }
        }
    }
}
