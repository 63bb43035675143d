//! Time up to which erasure has come.

use chrono::{DateTime, Utc};
use ports::outbound::StoreError;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QuerySelect, Set};

use crate::entity::{erasure_time, journal_marks};
use crate::read::{First, Read};
use crate::store::Store;
use crate::stored::{Stored, Time};

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
            let stored = erasure_time::Entity::find_by_id(ONLY).row(&self.connection);
            match stored.await? {
                Some(stored) => Ok(Some(stored.at.0)),
                None => self.last_written().await,
            }
        })
        .await
    }

    async fn last_written(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let last = journal_marks::Entity::find()
            .select_only()
            .column_as(journal_marks::Column::At.max(), "at")
            .row_as::<First<Option<Time>>>(&self.connection);
        Ok(last.await?.and_then(|First(at)| at).map(Stored::value))
    }

    /// Stores the time up to which erasure has come, also one before the stored one: a clock that was wrong is right
    /// again.
    ///
    /// # Errors
    /// Fails when the database fails.
    pub async fn set_erasure_time(&self, at: DateTime<Utc>) -> Result<(), StoreError> {
        let row = erasure_time::ActiveModel {
            id: Set(ONLY),
            at: Set(Stored(at)),
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
