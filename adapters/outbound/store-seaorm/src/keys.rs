//! Keys, their changes, and the counters that limits are read from.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::key::{ApiKey, Credential, HashGeneration, KeyHash, KeyId, KeyName, KeyPrefix, Owner};
use domain::limits::{Limits, LimitsChange, LimitsError, MonthlyUse};
use domain::month::Month;
use ports::outbound::{
    Change, ChangeNumber, InsertError, KeyRecord, KeyState, KeyStore, Snapshot, StoreError,
    UpdateError,
};
use sea_orm::sea_query::{Expr, ExprTrait, Func, IntoCondition, OnConflict, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType, QueryFilter,
    QueryOrder, QuerySelect, RelationTrait, Select, Set, UpdateMany,
};
use uuid::Uuid;

use crate::entity::{api_keys, key_changes, monthly_use, newest_key_change};
use crate::store::{Store, begin, failed};

/// Changes that one call returns at most.
const CHANGES_AT_ONCE: u64 = 1_000;
/// The table of keys, as errors name it.
const KEYS: &str = "api_keys";

#[async_trait]
impl KeyStore for Store {
    async fn insert(&self, record: KeyRecord) -> Result<(), InsertError> {
        let prefix_taken = OnConflict::column(api_keys::Column::Prefix)
            .do_nothing()
            .to_owned();
        let inserted = api_keys::Entity::insert(written(&record))
            .on_conflict(prefix_taken)
            .exec_without_returning(&self.connection)
            .await
            .map_err(failed)?;
        if inserted == 0 {
            return Err(InsertError::PrefixTaken);
        }
        Ok(())
    }

    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>, StoreError> {
        let row = api_keys::Entity::find()
            .filter(api_keys::Column::Prefix.eq(prefix.as_str()))
            .one(&self.connection)
            .await
            .map_err(failed)?;
        row.map(|row| credential(&row)).transpose()
    }

    async fn credentials(&self, most: u64) -> Result<Vec<(KeyPrefix, Credential)>, StoreError> {
        let rows = api_keys::Entity::find()
            .filter(api_keys::Column::RevokedAt.is_null())
            .order_by_desc(api_keys::Column::CreatedAt)
            .order_by_desc(api_keys::Column::Id)
            .limit(most)
            .all(&self.connection)
            .await
            .map_err(failed)?;
        let readable = |row: &api_keys::Model| {
            let prefix =
                KeyPrefix::parse(&row.prefix).ok_or_else(|| unreadable(KEYS, &row.id, "prefix"))?;
            Ok((prefix, credential(row)?))
        };
        rows.iter().map(readable).collect()
    }

    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>, StoreError> {
        let number = i64::from(month.number());
        let in_month = api_keys::Relation::MonthlyUse
            .def()
            .on_condition(move |_, use_of| {
                Expr::col((use_of, monthly_use::Column::Month))
                    .eq(number)
                    .into_condition()
            });
        let row = api_keys::Entity::find_by_id(id.to_string())
            .join(JoinType::LeftJoin, in_month)
            .column(monthly_use::Column::Charged)
            .column(monthly_use::Column::Refunded)
            .into_model::<SnapshotRow>()
            .one(&self.connection)
            .await
            .map_err(failed)?;
        let Some(row) = row else {
            return Ok(None);
        };
        let state = state(&row.key)?;
        let count = |count: Option<i64>, column| {
            u64::try_from(count.unwrap_or(0))
                .map_err(|_| unreadable("monthly_use", &row.key.id, column))
        };
        let used = MonthlyUse {
            charged: count(row.charged, "charged")?,
            refunded: count(row.refunded, "refunded")?,
        };
        Ok(Some(Snapshot { state, month, used }))
    }

    async fn list(&self) -> Result<Vec<ApiKey>, StoreError> {
        let rows = keys()
            .order_by_desc(api_keys::Column::CreatedAt)
            .order_by_desc(api_keys::Column::Id)
            .into_model::<KeyRow>()
            .all(&self.connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(KeyRow::read).collect()
    }

    async fn revoke(&self, id: KeyId, at: DateTime<Utc>) -> Result<ApiKey, UpdateError> {
        let revocation = api_keys::Entity::update_many()
            .col_expr(api_keys::Column::RevokedAt, at.timestamp_millis().into())
            .filter(api_keys::Column::RevokedAt.is_null());
        self.change(id, revocation).await
    }

    async fn set_limits(&self, id: KeyId, change: LimitsChange) -> Result<ApiKey, UpdateError> {
        let mut update = api_keys::Entity::update_many();
        if let Some(per_minute) = change.per_minute() {
            let per_minute = i64::from(per_minute).into();
            update = update.col_expr(api_keys::Column::PerMinute, per_minute);
        }
        if let Some(monthly_quota) = change.monthly_quota() {
            update = update.col_expr(api_keys::Column::MonthlyQuota, quota(monthly_quota).into());
        }
        self.change(id, update).await
    }

    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>, StoreError> {
        let after = i64::try_from(after.0).unwrap_or(i64::MAX);
        let rows = key_changes::Entity::find()
            .filter(key_changes::Column::Number.gt(after))
            .find_also_related(api_keys::Entity)
            .order_by_asc(key_changes::Column::Number)
            .limit(CHANGES_AT_ONCE)
            .all(&self.connection)
            .await
            .map_err(failed)?;
        let read = |(change, key): (key_changes::Model, Option<api_keys::Model>)| {
            let number = u64::try_from(change.number)
                .map_err(|_| unreadable("key_changes", &change.key_id, "number"))?;
            let key = key.ok_or_else(|| unreadable("key_changes", &change.key_id, "key_id"))?;
            Ok(Change {
                number: ChangeNumber(number),
                key: KeyId(uuid(&key.id)?),
                state: state(&key)?,
            })
        };
        rows.into_iter().map(read).collect()
    }

    async fn newest_change(&self) -> Result<ChangeNumber, StoreError> {
        let newest = newest_change(&self.connection).await.map_err(failed)?;
        Ok(ChangeNumber(newest.unsigned_abs()))
    }
}

impl Store {
    /// Updates one key; when that changes it, the change gets the next number.
    async fn change(
        &self,
        id: KeyId,
        update: UpdateMany<api_keys::Entity>,
    ) -> Result<ApiKey, UpdateError> {
        let version = Expr::col(api_keys::Column::Version).add(1_i64);
        let update = update
            .col_expr(api_keys::Column::Version, version)
            .filter(api_keys::Column::Id.eq(id.to_string()));
        let transaction = begin(&self.connection).await.map_err(failed)?;
        let updated = update.exec(&transaction).await.map_err(failed)?;
        if updated.rows_affected > 0 {
            number_change(&transaction, id).await.map_err(failed)?;
        }
        let key = find(&transaction, id).await?;
        transaction.commit().await.map_err(failed)?;
        key.ok_or(UpdateError::NotFound)
    }
}

/// Gives a change of a key the next number. Holds everybody else's changes until the commit.
async fn number_change(transaction: &impl ConnectionTrait, id: KeyId) -> Result<(), DbErr> {
    let next = Expr::col(newest_key_change::Column::Number).add(1_i64);
    newest_key_change::Entity::update_many()
        .col_expr(newest_key_change::Column::Number, next)
        .exec(transaction)
        .await?;
    let change = key_changes::ActiveModel {
        number: Set(newest_change(transaction).await?),
        key_id: Set(id.to_string()),
    };
    key_changes::Entity::insert(change)
        .exec_without_returning(transaction)
        .await?;
    Ok(())
}

async fn newest_change(connection: &impl ConnectionTrait) -> Result<i64, DbErr> {
    let row = newest_key_change::Entity::find_by_id(newest_key_change::ONLY)
        .one(connection)
        .await?;
    row.map(|row| row.number)
        .ok_or_else(|| DbErr::RecordNotFound("newest_key_change has lost its row".to_owned()))
}

async fn find(connection: &impl ConnectionTrait, id: KeyId) -> Result<Option<ApiKey>, StoreError> {
    let row = keys()
        .filter(api_keys::Column::Id.eq(id.to_string()))
        .into_model::<KeyRow>()
        .one(connection)
        .await
        .map_err(failed)?;
    row.map(KeyRow::read).transpose()
}

/// Keys and their last use.
fn keys() -> Select<api_keys::Entity> {
    let last_use = Query::select()
        .expr(Func::max(Expr::col((
            monthly_use::Entity,
            monthly_use::Column::LastUsedAt,
        ))))
        .from(monthly_use::Entity)
        .and_where(
            Expr::col((monthly_use::Entity, monthly_use::Column::KeyId))
                .equals((api_keys::Entity, api_keys::Column::Id)),
        )
        .take();
    api_keys::Entity::find().expr_as(
        Expr::SubQuery(None, Box::new(last_use.into())),
        "last_used_at",
    )
}

/// A key and what it used of a month: nothing yet when there is no row of it.
#[derive(FromQueryResult)]
struct SnapshotRow {
    #[sea_orm(nested)]
    key: api_keys::Model,
    charged: Option<i64>,
    refunded: Option<i64>,
}

#[derive(FromQueryResult)]
struct KeyRow {
    #[sea_orm(nested)]
    key: api_keys::Model,
    last_used_at: Option<i64>,
}

impl KeyRow {
    fn read(self) -> Result<ApiKey, StoreError> {
        let KeyRow { key, last_used_at } = self;
        let wrong = |column| unreadable(KEYS, &key.id, column);
        let instant =
            |millis, column| DateTime::from_timestamp_millis(millis).ok_or_else(|| wrong(column));
        Ok(ApiKey {
            id: KeyId(uuid(&key.id)?),
            name: KeyName::parse(&key.name).map_err(|_| wrong("name"))?,
            prefix: KeyPrefix::parse(&key.prefix).ok_or_else(|| wrong("prefix"))?,
            limits: limits(&key)?,
            created_at: instant(key.created_at, "created_at")?,
            revoked_at: key
                .revoked_at
                .map(|millis| instant(millis, "revoked_at"))
                .transpose()?,
            last_used_at: last_used_at
                .map(|millis| instant(millis, "last_used_at"))
                .transpose()?,
            owner: Owner {
                issuer: key.owner_issuer.clone(),
                subject: key.owner_subject.clone(),
            },
        })
    }
}

fn written(record: &KeyRecord) -> api_keys::ActiveModel {
    let KeyRecord { key, credential } = record;
    api_keys::ActiveModel {
        id: Set(key.id.to_string()),
        owner_issuer: Set(key.owner.issuer.clone()),
        owner_subject: Set(key.owner.subject.clone()),
        name: Set(key.name.as_str().to_owned()),
        prefix: Set(key.prefix.as_str().to_owned()),
        environment: Set(key.prefix.environment().name().to_owned()),
        hash: Set(hex(&credential.hash)),
        hash_generation: Set(credential.generation.0.into()),
        per_minute: Set(key.limits.per_minute().into()),
        monthly_quota: Set(quota(key.limits.monthly_quota())),
        created_at: Set(key.created_at.timestamp_millis()),
        revoked_at: Set(key.revoked_at.map(|at| at.timestamp_millis())),
        version: Set(1),
    }
}

fn credential(row: &api_keys::Model) -> Result<Credential, StoreError> {
    let wrong = |column| unreadable(KEYS, &row.id, column);
    let generation = u16::try_from(row.hash_generation).map_err(|_| wrong("hash_generation"))?;
    Ok(Credential {
        id: KeyId(uuid(&row.id)?),
        hash: unhex(&row.hash).ok_or_else(|| wrong("hash"))?,
        generation: HashGeneration(generation),
    })
}

fn state(row: &api_keys::Model) -> Result<KeyState, StoreError> {
    Ok(KeyState {
        revoked: row.revoked_at.is_some(),
        limits: limits(row)?,
        version: u64::try_from(row.version).map_err(|_| unreadable(KEYS, &row.id, "version"))?,
    })
}

fn limits(row: &api_keys::Model) -> Result<Limits, StoreError> {
    let wrong = |column| unreadable(KEYS, &row.id, column);
    let per_minute = u32::try_from(row.per_minute).map_err(|_| wrong("per_minute"))?;
    let quota = row.monthly_quota.map(u64::try_from).transpose();
    let quota = quota.map_err(|_| wrong("monthly_quota"))?;
    Limits::new(per_minute, quota).map_err(|error| match error {
        LimitsError::PerMinute => wrong("per_minute"),
        LimitsError::MonthlyQuota => wrong("monthly_quota"),
    })
}

/// A quota fits: it is at most [`domain::limits::MAX_MONTHLY_QUOTA`].
fn quota(quota: Option<u64>) -> Option<i64> {
    quota.map(|quota| i64::try_from(quota).unwrap_or(i64::MAX))
}

fn uuid(text: &str) -> Result<Uuid, StoreError> {
    Uuid::try_parse(text).map_err(|_| unreadable(KEYS, text, "id"))
}

fn hex(hash: &KeyHash) -> String {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).expect("a nibble is one digit");
    let digits = |byte: &u8| [digit(byte >> 4), digit(byte & 0xF)];
    hash.0.iter().flat_map(digits).collect()
}

fn unhex(text: &str) -> Option<KeyHash> {
    let mut hash = [0; 32];
    if text.len() != 2 * hash.len() {
        return None;
    }
    for (place, byte) in hash.iter_mut().enumerate() {
        let digits = text.get(2 * place..2 * place + 2)?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(KeyHash(hash))
}

/// A row that this program can't have written.
#[derive(Debug, thiserror::Error)]
#[error("a row of {table} makes no sense in {column}; it is the key {key}'s")]
struct Unreadable {
    table: &'static str,
    key: String,
    column: &'static str,
}

fn unreadable(table: &'static str, key: &str, column: &'static str) -> StoreError {
    failed(Unreadable {
        table,
        key: key.to_owned(),
        column,
    })
}
