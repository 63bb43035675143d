//! Time up to which erasure has come.

use chrono::{DateTime, Utc};
use ports::outbound::StoreError;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QuerySelect, Set};

use crate::entity::{erasure_time, journal_marks};
use crate::row::Row;
use crate::store::{Store, failed};

/// Id of the only row.
const ONLY: i64 = 1;

impl Store {
    /// The time up to which erasure has come, by the last process that stored it. Without one, the last time that a
    /// process wrote requests into the database; `None` if none did.
    ///
    /// # Errors
    /// Fails when the database fails.
    pub async fn erasure_time(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.in_time(async {
            let stored = erasure_time::Entity::find_by_id(ONLY)
                .one(&self.connection)
                .await
                .map_err(failed)?;
            let Some(stored) = stored else {
                return self.last_written().await;
            };
            let row = Row {
                table: "erasure_time",
                id: "the only one",
            };
            row.instant(stored.at, "at").map(Some)
        })
        .await
    }

    async fn last_written(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let last = journal_marks::Entity::find()
            .select_only()
            .column_as(journal_marks::Column::At.max(), "at")
            .into_tuple::<Option<i64>>()
            .one(&self.connection)
            .await
            .map_err(failed)?;
        Ok(last.flatten().and_then(DateTime::from_timestamp_millis))
    }

    /// Stores the time up to which erasure has come, also one before the stored one: a clock that was wrong is right
    /// again.
    ///
    /// # Errors
    /// Fails when the database fails.
    pub async fn set_erasure_time(&self, at: DateTime<Utc>) -> Result<(), StoreError> {
        let row = erasure_time::ActiveModel {
            id: Set(ONLY),
            at: Set(at.timestamp_millis()),
        };
        let known = OnConflict::column(erasure_time::Column::Id)
            .update_column(erasure_time::Column::At)
            .to_owned();
        let stored = erasure_time::Entity::insert(row)
            .on_conflict(known)
            .exec_without_returning(&self.connection);
        self.write(stored).await.map(drop)
    }
}
