//! Keys, their changes, and the counters of limits.

use std::sync::atomic::Ordering;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::AuditContext;
use domain::keys::{
    ApiKey, CountedKey, Credential, HashGeneration, KeyBounds, KeyId, KeyOverview, KeyPrefix,
    KeyQuery, RevokedKeys,
};
use domain::limits::MonthlyUse;
use domain::month::Month;
use domain::page::{Cursor, Page, PageRequest};
use domain::people::customer::CustomerId;
use ports::outbound::{
    Change, ChangeNumber, InsertError, KeyChange, KeyRecord, KeyStore, ListError, RotateError,
    Rotation, Scope, Snapshot, StoreError, Successor, UpdateError,
};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::entity::{api_keys, key_changes};
use crate::error::{failed, of_table, unreadable};
use crate::read::{self, Read};
use crate::store::Store;
use crate::stored::Stored;
use row::{KeyRow, OverviewRow, in_scope, keys};
use shared_use::with_use;

pub(crate) mod change;
pub(crate) mod changes;
mod charge;
mod listing;
pub(crate) mod row;
mod shared_use;

/// Maximum number of changes that one call returns.
const CHANGES_AT_ONCE: u64 = 1_000;
/// Maximum number of retired keys that one call returns.
const DUE_AT_ONCE: u64 = 100;

#[async_trait]
impl KeyStore for Store {
    async fn insert(
        &self,
        record: KeyRecord,
        bounds: KeyBounds,
        act: &AuditContext,
    ) -> Result<(), InsertError> {
        self.within(async |transaction| change::add(transaction, &record, bounds, act).await)
            .await
    }

    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>, StoreError> {
        self.in_time(async {
            let key = api_keys::Entity::find()
                .filter(api_keys::Column::Prefix.eq(Stored(prefix.clone())))
                .row(&self.connection);
            Ok(key.await?.as_ref().map(row::credential))
        })
        .await
    }

    async fn credentials(&self, most: u64) -> Result<Vec<(KeyPrefix, Credential)>, StoreError> {
        self.in_time(async {
            let keys = api_keys::Entity::find()
                .filter(api_keys::Column::RevokedAt.is_null())
                .order_by_desc(api_keys::Column::CreatedAt)
                .order_by_desc(api_keys::Column::Id)
                .limit(most)
                .rows(&self.connection);
            let keys = keys.await?.into_iter();
            Ok(keys
                .map(|key| (key.prefix.0.clone(), row::credential(&key)))
                .collect())
        })
        .await
    }

    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>, StoreError> {
        let read = self.snapshots(&[id], month).await?;
        Ok(read.into_iter().next().map(|(_, snapshot)| snapshot))
    }

    async fn snapshots(
        &self,
        ids: &[KeyId],
        month: Month,
    ) -> Result<Vec<(KeyId, Snapshot)>, StoreError> {
        self.in_time(self.read_snapshots(ids, month)).await
    }

    async fn charge(
        &self,
        key: CountedKey,
        month: Month,
        at: DateTime<Utc>,
    ) -> Result<Option<MonthlyUse>, StoreError> {
        self.in_time(self.charge_month(key, month, at)).await
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        self.in_time(async {
            let any = api_keys::Entity::find()
                .select_only()
                .column(api_keys::Column::Id)
                .limit(1)
                .into_tuple::<String>()
                .one(&self.connection)
                .await
                .map_err(failed)?;
            Ok(any.is_none())
        })
        .await
    }

    async fn list(
        &self,
        scope: Scope,
        month: Month,
        query: &KeyQuery,
    ) -> Result<Page<KeyOverview>, ListError> {
        self.in_time(async {
            let matching = listing::matching(scope, &query.filter);
            let keys = with_use(keys(), month).filter(matching.clone());
            let list = listing::page(keys, query)?;
            let read = |row: OverviewRow| {
                let key = row.read(month)?;
                Ok((listing::cursor(query.order, &key), key))
            };
            let page = read::page(&self.connection, list, &query.page, read).await?;
            let total = listing::count(matching)
                .into_tuple::<i64>()
                .one(&self.connection)
                .await
                .map_err(failed)?;
            Ok(Page {
                total: total.map(i64::unsigned_abs),
                ..page
            })
        })
        .await
    }

    async fn of_customer(
        &self,
        customer: CustomerId,
        revoked: RevokedKeys,
        page: &PageRequest,
    ) -> Result<Page<ApiKey>, ListError> {
        let list = listing::of_customer(keys(), customer, revoked, page)?;
        let read = |row: KeyRow| {
            let key = row.read()?;
            Ok((Cursor::at(key.created_at, key.id.0), key))
        };
        let found = read::page(&self.connection, list, page, read);
        Ok(self.in_time(found).await?)
    }

    async fn find(
        &self,
        scope: Scope,
        id: KeyId,
        month: Month,
    ) -> Result<Option<KeyOverview>, StoreError> {
        self.in_time(async {
            let row = with_use(keys(), month)
                .filter(api_keys::Column::Id.eq(Stored(id)))
                .filter(in_scope(scope))
                .row_as::<OverviewRow>(&self.connection)
                .await?;
            row.map(|row| row.read(month)).transpose()
        })
        .await
    }

    async fn change(
        &self,
        scope: Scope,
        id: KeyId,
        change: &KeyChange,
        act: &AuditContext,
    ) -> Result<ApiKey, UpdateError> {
        self.within(async |transaction| change::change(transaction, scope, id, change, act).await)
            .await
    }

    async fn rotate(
        &self,
        scope: Scope,
        id: KeyId,
        successor: &Successor,
        retires_at: DateTime<Utc>,
        bounds: KeyBounds,
        act: &AuditContext,
    ) -> Result<Rotation, RotateError> {
        let rotation = change::NewRotation {
            successor,
            retires_at,
            bounds,
        };
        self.within(async |transaction| change::rotate(transaction, scope, id, rotation, act).await)
            .await
    }

    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<CountedKey>, StoreError> {
        self.in_time(async {
            let keys = api_keys::Entity::find()
                .filter(api_keys::Column::RevokedAt.is_null())
                .filter(api_keys::Column::RetiresAt.lte(Stored(now)))
                .order_by_asc(api_keys::Column::RetiresAt)
                .limit(DUE_AT_ONCE)
                .rows(&self.connection);
            Ok(keys.await?.iter().map(row::counted).collect())
        })
        .await
    }

    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>, StoreError> {
        self.in_time(async {
            let rows = key_changes::Entity::find()
                .filter(key_changes::Column::Number.gt(Stored(after.0)))
                .find_also_related(api_keys::Entity)
                .order_by_asc(key_changes::Column::Number)
                .limit(CHANGES_AT_ONCE)
                .all(&self.connection)
                .await
                .map_err(of_table("api_keys"))?;
            let read = |(change, key): (key_changes::Model, Option<api_keys::Model>)| {
                let unknown = || unreadable("key_changes", "key_id", change.key_id.0);
                let key = key.ok_or_else(unknown)?;
                Ok(Change {
                    number: ChangeNumber(change.number.unsigned_abs()),
                    credential: row::credential(&key),
                    state: row::state(&key)?,
                    prefix: key.prefix.0,
                })
            };
            rows.into_iter().map(read).collect()
        })
        .await
    }

    async fn newest_change(&self) -> Result<ChangeNumber, StoreError> {
        if let Err(unusable) = self.check_files() {
            self.save_removed_log().await;
            return Err(unusable);
        }
        // Read before the query: unless the database was set back, the query's result isn't lower.
        let seen = self.newest_seen.load(Ordering::Acquire);
        let newest = self
            .in_time(changes::newest(&self.connection))
            .await?
            .unsigned_abs();
        if newest < seen {
            return Err(self.set_back());
        }
        self.newest_seen.fetch_max(newest, Ordering::AcqRel);
        Ok(ChangeNumber(newest))
    }
}

impl Store {
    /// The number of keys that aren't revoked and were hashed with a secret of another generation than these. Reads
    /// all keys.
    ///
    /// # Errors
    /// Fails when the database fails.
    pub async fn keys_of_other_generations(
        &self,
        listed: impl IntoIterator<Item = HashGeneration>,
    ) -> Result<u64, StoreError> {
        let listed = listed.into_iter().map(Stored);
        let others = api_keys::Entity::find()
            .filter(api_keys::Column::RevokedAt.is_null())
            .filter(api_keys::Column::HashGeneration.is_not_in(listed));
        self.in_time(async { others.count(&self.connection).await.map_err(failed) })
            .await
    }
}
