//! What must not be accepted any more.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ports::outbound::{Denial, DenyList, Fingerprint, StoreError};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, Set};

use crate::entity::denied;
use crate::store::{Store, begin, failed};

#[async_trait]
impl DenyList for Store {
    async fn deny(
        &self,
        fingerprint: &Fingerprint,
        until: DateTime<Utc>,
    ) -> Result<Denial, StoreError> {
        self.deny_until(&fingerprint.0, until.timestamp_millis())
            .await
            .map_err(failed)
    }

    async fn is_denied(&self, fingerprint: &Fingerprint) -> Result<bool, StoreError> {
        let row = denied::Entity::find_by_id(&fingerprint.0)
            .one(&self.connection)
            .await
            .map_err(failed)?;
        Ok(row.is_some())
    }
}

impl Store {
    /// Two statements in one transaction: the first tells who was first, the second makes a denial
    /// that is there last as long as the longest of the two.
    async fn deny_until(&self, fingerprint: &str, until: i64) -> Result<Denial, DbErr> {
        let new = denied::ActiveModel {
            fingerprint: Set(fingerprint.to_owned()),
            until: Set(until),
        };
        let transaction = begin(&self.connection).await?;
        let known = OnConflict::column(denied::Column::Fingerprint)
            .do_nothing()
            .to_owned();
        let added = denied::Entity::insert(new)
            .on_conflict(known)
            .exec_without_returning(&transaction)
            .await?;
        if added == 0 {
            denied::Entity::update_many()
                .col_expr(denied::Column::Until, until.into())
                .filter(denied::Column::Fingerprint.eq(fingerprint))
                .filter(denied::Column::Until.lt(until))
                .exec(&transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(if added == 0 {
            Denial::Repeated
        } else {
            Denial::New
        })
    }
}
