//! Rows of keys.

use domain::hex;
use domain::keys::{
    ApiKey, CountedKey, CounterId, Credential, HashGeneration, KeyHash, KeyId, KeyName,
    KeyOverview, KeyPrefix,
};
use domain::limits::{Limits, LimitsError, MonthlyUse};
use domain::month::Month;
use domain::people::customer::{CustomerId, Owner};
use ports::outbound::{KeyRecord, KeyState, Snapshot, StoreError};
use sea_orm::sea_query::{Expr, ExprTrait, Func, IntoCondition, Query};
use sea_orm::{
    EntityTrait, FromQueryResult, JoinType, QuerySelect, RelationDef, RelationTrait, Select, Set,
};

use crate::entity::{api_keys, customers, monthly_use};
use crate::row::{Row, stored};

/// Query for keys, their owners, and their last use.
pub(super) fn keys() -> Select<api_keys::Entity> {
    let last_used_at = Expr::col((monthly_use::Entity, monthly_use::Column::LastUsedAt));
    // Zero stands for a use of a successor alone, see `charge`.
    let last_use = Query::select()
        .expr(Func::cust("NULLIF").args([Func::max(last_used_at).into(), 0_i64.into()]))
        .from(monthly_use::Entity)
        .and_where(
            Expr::col((monthly_use::Entity, monthly_use::Column::KeyId))
                .equals((api_keys::Entity, api_keys::Column::Id)),
        )
        .take();
    api_keys::Entity::find()
        .join(JoinType::InnerJoin, api_keys::Relation::Customer.def())
        .column_as(customers::Column::Issuer, "owner_issuer")
        .column_as(customers::Column::Subject, "owner_subject")
        .expr_as(
            Expr::SubQuery(None, Box::new(last_use.into())),
            "last_used_at",
        )
}

/// The relation of keys to their use in one month.
pub(crate) fn use_in(month: Month) -> RelationDef {
    let number = i64::from(month.number());
    api_keys::Relation::MonthlyUse
        .def()
        .on_condition(move |_, use_of| {
            Expr::col((use_of, monthly_use::Column::Month))
                .eq(number)
                .into_condition()
        })
}

/// Use of a key's counters in a month.
#[derive(FromQueryResult)]
pub(super) struct UseRow {
    charged: i64,
    refunded: i64,
}

impl UseRow {
    pub(super) fn read(&self, key: &str) -> Result<MonthlyUse, StoreError> {
        let row = Row {
            table: "monthly_use",
            id: key,
        };
        Ok(MonthlyUse {
            charged: row.count(self.charged, "charged")?,
            refunded: row.count(self.refunded, "refunded")?,
        })
    }
}

#[derive(FromQueryResult)]
pub(super) struct SnapshotRow {
    #[sea_orm(nested)]
    key: api_keys::Model,
    #[sea_orm(nested)]
    used: UseRow,
}

impl SnapshotRow {
    pub(super) fn id(&self) -> Result<KeyId, StoreError> {
        id(&self.key)
    }

    pub(super) fn read(&self, month: Month) -> Result<Snapshot, StoreError> {
        Ok(Snapshot {
            state: state(&self.key)?,
            month,
            used: self.used.read(&self.key.id)?,
        })
    }
}

/// A row of [`super::shared_use::with_use`].
#[derive(FromQueryResult)]
pub(super) struct OverviewRow {
    #[sea_orm(nested)]
    key: KeyRow,
    #[sea_orm(nested)]
    used: UseRow,
}

impl OverviewRow {
    pub(super) fn read(self, month: Month) -> Result<KeyOverview, StoreError> {
        Ok(KeyOverview {
            used: self.used.read(&self.key.key.id)?,
            key: self.key.read()?,
            month,
        })
    }
}

/// A row of [`keys`].
#[derive(FromQueryResult)]
pub(super) struct KeyRow {
    #[sea_orm(nested)]
    key: api_keys::Model,
    owner_issuer: String,
    owner_subject: String,
    last_used_at: Option<i64>,
}

impl KeyRow {
    pub(super) fn read(self) -> Result<ApiKey, StoreError> {
        let KeyRow { key, .. } = self;
        let row = row(&key);
        Ok(ApiKey {
            id: id(&key)?,
            counters: counters(&key)?,
            customer: customer(&key)?,
            owner: Owner {
                issuer: self.owner_issuer,
                subject: self.owner_subject,
            },
            name: KeyName::parse(&key.name).map_err(|_| row.unreadable("name"))?,
            prefix: prefix(&key)?,
            limits: limits(&key)?,
            created_at: row.instant(key.created_at, "created_at")?,
            retires_at: row.optional_instant(key.retires_at, "retires_at")?,
            revoked_at: row.optional_instant(key.revoked_at, "revoked_at")?,
            last_used_at: row.optional_instant(self.last_used_at, "last_used_at")?,
        })
    }
}

pub(super) fn written(record: &KeyRecord) -> api_keys::ActiveModel {
    let KeyRecord { key, credential } = record;
    api_keys::ActiveModel {
        id: Set(key.id.to_string()),
        customer_id: Set(key.customer.to_string()),
        name: Set(key.name.as_str().to_owned()),
        prefix: Set(key.prefix.as_str().to_owned()),
        environment: Set(key.prefix.environment().name().to_owned()),
        hash: Set(hex::encode(&credential.hash.0)),
        hash_generation: Set(credential.generation.0.into()),
        first_key_id: Set((!key.counted().is_first()).then(|| key.counters.to_string())),
        per_minute: Set(key.limits.per_minute().into()),
        monthly_quota: Set(key.limits.monthly_quota().map(stored)),
        created_at: Set(key.created_at.timestamp_millis()),
        retires_at: Set(key.retires_at.map(|at| at.timestamp_millis())),
        revoked_at: Set(key.revoked_at.map(|at| at.timestamp_millis())),
        version: Set(1),
    }
}

pub(super) fn id(key: &api_keys::Model) -> Result<KeyId, StoreError> {
    row(key).uuid(&key.id, "id").map(KeyId)
}

pub(crate) fn counted(key: &api_keys::Model) -> Result<CountedKey, StoreError> {
    Ok(CountedKey {
        id: id(key)?,
        counters: counters(key)?,
    })
}

fn counters(key: &api_keys::Model) -> Result<CounterId, StoreError> {
    match &key.first_key_id {
        Some(first) => row(key).uuid(first, "first_key_id").map(CounterId),
        None => id(key).map(CounterId::from),
    }
}

pub(super) fn prefix(key: &api_keys::Model) -> Result<KeyPrefix, StoreError> {
    KeyPrefix::parse(&key.prefix).ok_or_else(|| row(key).unreadable("prefix"))
}

pub(super) fn credential(key: &api_keys::Model) -> Result<Credential, StoreError> {
    let row = row(key);
    let generation =
        u16::try_from(key.hash_generation).map_err(|_| row.unreadable("hash_generation"))?;
    let hash = hex::decode(&key.hash).and_then(|hash| hash.try_into().ok());
    Ok(Credential {
        id: id(key)?,
        counters: counters(key)?,
        customer: customer(key)?,
        hash: KeyHash(hash.ok_or_else(|| row.unreadable("hash"))?),
        generation: HashGeneration(generation),
    })
}

pub(super) fn state(key: &api_keys::Model) -> Result<KeyState, StoreError> {
    Ok(KeyState {
        revoked: key.revoked_at.is_some(),
        limits: limits(key)?,
        version: row(key).count(key.version, "version")?,
    })
}

fn row(key: &api_keys::Model) -> Row<'_> {
    Row {
        table: "api_keys",
        id: &key.id,
    }
}

fn customer(key: &api_keys::Model) -> Result<CustomerId, StoreError> {
    row(key)
        .uuid(&key.customer_id, "customer_id")
        .map(CustomerId)
}

fn limits(key: &api_keys::Model) -> Result<Limits, StoreError> {
    let wrong = |column| row(key).unreadable(column);
    let per_minute = u32::try_from(key.per_minute).map_err(|_| wrong("per_minute"))?;
    let quota = key.monthly_quota.map(u64::try_from).transpose();
    let quota = quota.map_err(|_| wrong("monthly_quota"))?;
    Limits::new(per_minute, quota).map_err(|error| match error {
        LimitsError::PerMinute => wrong("per_minute"),
        LimitsError::MonthlyQuota => wrong("monthly_quota"),
    })
}
