//! Keys in SQL.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::key::{ApiKey, Credential, KeyId, KeyPrefix};
use domain::limits::{Limits, MonthlyUse};
use domain::month::Month;
use ports::outbound::{
    Change, ChangeNumber, InsertError, KeyRecord, KeyStore, Snapshot, StoreError, UpdateError,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, FromQueryResult, QueryFilter,
    QueryOrder, Statement, TryInsertResult,
};

use crate::api_key::{self, Column, Entity, Model, StateRow, key_id, unsigned};
use crate::fault::Fault;
use crate::store::{Store, immediate};

/// Changes that are read at a time.
const CHANGES: i64 = 1_000;

/// A key's state and its use in one month.
#[derive(Debug, FromQueryResult)]
struct SnapshotRow {
    #[sea_orm(nested)]
    state: StateRow,
    charged: Option<i64>,
    refunded: Option<i64>,
}

/// A change and the key's state now.
#[derive(Debug, FromQueryResult)]
struct ChangeRow {
    number: i64,
    #[sea_orm(nested)]
    state: StateRow,
}

#[derive(Debug, FromQueryResult)]
struct Newest {
    number: Option<i64>,
}

impl Store {
    /// Changes one key by `update`, in one step with the note of it; a key that isn't changed by it
    /// leaves no note.
    async fn change(&self, id: KeyId, update: Statement) -> Result<ApiKey, UpdateError> {
        let step = immediate(&self.shared).await.map_err(Fault::from)?;
        let changed = step
            .execute_raw(update)
            .await
            .map_err(Fault::from)?
            .rows_affected();
        if changed > 0 {
            self.note_change(&step, id).await?;
        }
        let model = Entity::find_by_id(id.to_string())
            .one(&step)
            .await
            .map_err(Fault::from)?;
        let key = model.ok_or(UpdateError::NotFound)?.api_key()?;
        step.commit().await.map_err(Fault::from)?;
        Ok(key)
    }

    async fn note_change(&self, step: &DatabaseTransaction, id: KeyId) -> Result<(), Fault> {
        let note = self.statement(
            "INSERT INTO key_changes (key_id) VALUES ($1)",
            [id.to_string().into()],
        );
        step.execute_raw(note).await?;
        Ok(())
    }
}

#[async_trait]
impl KeyStore for Store {
    async fn insert(&self, record: KeyRecord) -> Result<(), InsertError> {
        let inserted = Entity::insert(api_key::row(&record))
            .on_conflict_do_nothing_on([Column::Prefix])
            .exec_without_returning(&self.shared)
            .await
            .map_err(Fault::from)?;
        match inserted {
            TryInsertResult::Inserted(rows) if rows > 0 => Ok(()),
            _ => Err(InsertError::PrefixTaken),
        }
    }

    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>, StoreError> {
        let found = Entity::find()
            .filter(Column::Prefix.eq(prefix.as_str()))
            .one(&self.shared)
            .await;
        let model = found.map_err(Fault::from)?;
        Ok(model.map(|model| model.credential()).transpose()?)
    }

    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>, StoreError> {
        let query = self.statement(
            "SELECT k.id, k.per_minute, k.monthly_quota, k.revoked_at, k.version, u.charged, u.refunded \
             FROM api_keys k LEFT JOIN monthly_use u ON u.key_id = k.id AND u.month = $2 WHERE k.id = $1",
            [id.to_string().into(), month.number().into()],
        );
        let row = SnapshotRow::find_by_statement(query)
            .one(&self.shared)
            .await
            .map_err(Fault::from)?;
        let Some(row) = row else { return Ok(None) };
        let count =
            |column, number: Option<i64>| unsigned(&row.state.id, column, number.unwrap_or(0));
        let used = MonthlyUse {
            charged: count("charged", row.charged)?,
            refunded: count("refunded", row.refunded)?,
        };
        Ok(Some(Snapshot {
            state: row.state.key_state()?,
            month,
            used,
        }))
    }

    async fn list(&self) -> Result<Vec<ApiKey>, StoreError> {
        let newest_first = Entity::find()
            .order_by_desc(Column::CreatedAt)
            .order_by_desc(Column::Id);
        let models = newest_first.all(&self.shared).await.map_err(Fault::from)?;
        Ok(models
            .into_iter()
            .map(Model::api_key)
            .collect::<Result<_, _>>()?)
    }

    async fn find(&self, id: KeyId) -> Result<Option<ApiKey>, StoreError> {
        let model = Entity::find_by_id(id.to_string())
            .one(&self.shared)
            .await
            .map_err(Fault::from)?;
        Ok(model.map(Model::api_key).transpose()?)
    }

    async fn revoke(&self, id: KeyId, at: DateTime<Utc>) -> Result<ApiKey, UpdateError> {
        let update = self.statement(
            "UPDATE api_keys SET revoked_at = $2, version = version + 1 WHERE id = $1 AND revoked_at IS NULL",
            [id.to_string().into(), at.timestamp_millis().into()],
        );
        self.change(id, update).await
    }

    async fn set_limits(&self, id: KeyId, limits: Limits) -> Result<ApiKey, UpdateError> {
        let update = self.statement(
            "UPDATE api_keys SET per_minute = $2, monthly_quota = $3, version = version + 1 WHERE id = $1",
            [
                id.to_string().into(),
                i64::from(limits.per_minute()).into(),
                api_key::stored_quota(limits).into(),
            ],
        );
        self.change(id, update).await
    }

    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>, StoreError> {
        let after = i64::try_from(after.0).unwrap_or(i64::MAX);
        let query = self.statement(
            "SELECT c.number, k.id, k.per_minute, k.monthly_quota, k.revoked_at, k.version \
             FROM key_changes c JOIN api_keys k ON k.id = c.key_id WHERE c.number > $1 ORDER BY c.number LIMIT $2",
            [after.into(), CHANGES.into()],
        );
        let rows = ChangeRow::find_by_statement(query)
            .all(&self.shared)
            .await
            .map_err(Fault::from)?;
        let change = |row: ChangeRow| {
            Ok(Change {
                number: ChangeNumber(unsigned(&row.state.id, "number", row.number)?),
                key: key_id(&row.state.id)?,
                state: row.state.key_state()?,
            })
        };
        Ok(rows.into_iter().map(change).collect::<Result<_, Fault>>()?)
    }

    async fn newest_change(&self) -> Result<ChangeNumber, StoreError> {
        let query = self.statement("SELECT MAX(number) AS number FROM key_changes", []);
        let newest = Newest::find_by_statement(query)
            .one(&self.shared)
            .await
            .map_err(Fault::from)?;
        let number = newest.and_then(|newest| newest.number).unwrap_or(0);
        Ok(ChangeNumber(u64::try_from(number).unwrap_or(0)))
    }
}
