//! Deny list of tokens and codes.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ports::outbound::{Denial, DenyList, Fingerprint, StoreError};
use sea_orm::sea_query::{CaseStatement, Expr, OnConflict};
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder, Set};

use crate::entity::{denied, session_ends};
use crate::error::failed;
use crate::read::Read;
use crate::store::Store;
use crate::stored::{Stored, Time};

#[async_trait]
impl DenyList for Store {
    async fn deny(
        &self,
        fingerprint: &Fingerprint,
        until: DateTime<Utc>,
    ) -> Result<Denial, StoreError> {
        // Where others write at the same time, an existing denial may be pruned between the two
        // statements: then this one is new.
        let until = Stored(until);
        self.within(async |transaction| {
            let denial = add_or_prolong(transaction, &fingerprint.0, until).await;
            denial.map_err(failed)
        })
        .await
    }

    async fn is_denied(&self, fingerprint: &Fingerprint) -> Result<bool, StoreError> {
        let row = denied::Entity::find_by_id(&fingerprint.0).row(&self.connection);
        Ok(self.in_time(row).await?.is_some())
    }

    async fn end_sessions(&self, at: DateTime<Utc>) -> Result<(), StoreError> {
        let row = session_ends::ActiveModel {
            at: Set(Stored(at)),
        };
        let known = OnConflict::column(session_ends::Column::At)
            .do_nothing()
            .to_owned();
        let added = session_ends::Entity::insert(row)
            .on_conflict(known)
            .exec_without_returning(&self.connection);
        self.write(added).await.map(drop)
    }

    async fn sessions_ended_at(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let latest = session_ends::Entity::find()
            .order_by_desc(session_ends::Column::At)
            .row(&self.connection);
        Ok(self.in_time(latest).await?.map(|latest| latest.at.0))
    }
}

/// Adds a denial, or extends an existing one to the later of both times.
async fn add_or_prolong(
    transaction: &DatabaseTransaction,
    fingerprint: &str,
    until: Time,
) -> Result<Denial, DbErr> {
    loop {
        if add(transaction, fingerprint, until).await? > 0 {
            return Ok(Denial::New);
        }
        if prolong(transaction, fingerprint, until).await? > 0 {
            return Ok(Denial::Repeated);
        }
    }
}

async fn add(
    transaction: &DatabaseTransaction,
    fingerprint: &str,
    until: Time,
) -> Result<u64, DbErr> {
    let new = denied::ActiveModel {
        fingerprint: Set(fingerprint.to_owned()),
        until: Set(until),
    };
    let known = OnConflict::column(denied::Column::Fingerprint)
        .do_nothing()
        .to_owned();
    denied::Entity::insert(new)
        .on_conflict(known)
        .exec_without_returning(transaction)
        .await
}

async fn prolong(
    transaction: &DatabaseTransaction,
    fingerprint: &str,
    until: Time,
) -> Result<u64, DbErr> {
    let longest = CaseStatement::new()
        .case(denied::Column::Until.lt(until), until)
        .finally(Expr::col(denied::Column::Until));
    let prolonged = denied::Entity::update_many()
        .col_expr(denied::Column::Until, longest.into())
        .filter(denied::Column::Fingerprint.eq(fingerprint))
        .exec(transaction)
        .await?;
    Ok(prolonged.rows_affected)
}
