//! Rows of keys.

use domain::keys::{ApiKey, CountedKey, CounterId, Credential, KeyId, KeyName, KeyOverview};
use domain::limits::{Limits, LimitsError, MonthlyUse};
use domain::month::Month;
use domain::people::customer::Owner;
use ports::outbound::{KeyRecord, KeyState, Scope, Snapshot, StoreError};
use sea_orm::sea_query::{Expr, ExprTrait, Func, IntoCondition, Query};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, FromQueryResult, JoinType, QuerySelect, RelationDef,
    RelationTrait, Select, Set,
};

use crate::entity::{api_keys, customers, monthly_use};
use crate::error::unreadable;
use crate::stored::{Stored, Time};

/// Condition for the keys of a scope.
pub(super) fn in_scope(scope: Scope) -> Condition {
    match scope {
        Scope::Everybody => Condition::all(),
        Scope::Of(customer) => {
            Condition::all().add(api_keys::Column::CustomerId.eq(Stored(customer)))
        }
    }
}

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
    api_keys::Relation::MonthlyUse
        .def()
        .on_condition(move |_, use_of| {
            Expr::col((use_of, monthly_use::Column::Month))
                .eq(Stored(month))
                .into_condition()
        })
}

/// Use of a key's counters in a month.
#[derive(FromQueryResult)]
pub(super) struct UseRow {
    charged: Stored<u64>,
    refunded: Stored<u64>,
}

impl UseRow {
    pub(super) fn read(&self) -> MonthlyUse {
        MonthlyUse {
            charged: self.charged.0,
            refunded: self.refunded.0,
        }
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
    pub(super) fn read(&self, month: Month) -> Result<(KeyId, Snapshot), StoreError> {
        let snapshot = Snapshot {
            state: state(&self.key)?,
            month,
            used: self.used.read(),
        };
        Ok((self.key.id.0, snapshot))
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
            used: self.used.read(),
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
    last_used_at: Option<Time>,
}

impl KeyRow {
    pub(super) fn read(self) -> Result<ApiKey, StoreError> {
        let KeyRow { key, .. } = self;
        let name = KeyName::parse(&key.name);
        let name = name.map_err(|_| unreadable("api_keys", "name", key.id.0))?;
        Ok(ApiKey {
            id: key.id.0,
            counters: counters(&key),
            customer: key.customer_id.0,
            owner: Owner {
                issuer: self.owner_issuer,
                subject: self.owner_subject,
            },
            limits: limits(&key)?,
            name,
            prefix: key.prefix.0,
            created_at: key.created_at.0,
            retires_at: key.retires_at.map(Stored::value),
            revoked_at: key.revoked_at.map(Stored::value),
            last_used_at: self.last_used_at.map(Stored::value),
        })
    }
}

pub(super) fn written(record: &KeyRecord) -> api_keys::ActiveModel {
    let KeyRecord { key, credential } = record;
    api_keys::ActiveModel {
        id: Set(Stored(key.id)),
        customer_id: Set(Stored(key.customer)),
        name: Set(key.name.as_str().to_owned()),
        prefix: Set(Stored(key.prefix.clone())),
        environment: Set(Stored(key.prefix.environment())),
        hash: Set(Stored(credential.hash)),
        hash_generation: Set(Stored(credential.generation)),
        first_key_id: Set((!key.counted().is_first()).then_some(Stored(key.counters))),
        per_minute: Set(Stored(key.limits.per_minute())),
        monthly_quota: Set(key.limits.monthly_quota().map(Stored)),
        created_at: Set(Stored(key.created_at)),
        retires_at: Set(key.retires_at.map(Stored)),
        revoked_at: Set(key.revoked_at.map(Stored)),
        version: Set(Stored(1)),
    }
}

pub(crate) fn counted(key: &api_keys::Model) -> CountedKey {
    CountedKey {
        id: key.id.0,
        counters: counters(key),
    }
}

fn counters(key: &api_keys::Model) -> CounterId {
    let first = key.first_key_id.map(Stored::value);
    first.unwrap_or(key.id.0.into())
}

pub(super) fn credential(key: &api_keys::Model) -> Credential {
    Credential {
        id: key.id.0,
        counters: counters(key),
        customer: key.customer_id.0,
        hash: key.hash.0,
        generation: key.hash_generation.0,
    }
}

pub(super) fn state(key: &api_keys::Model) -> Result<KeyState, StoreError> {
    Ok(KeyState {
        revoked: key.revoked_at.is_some(),
        limits: limits(key)?,
        version: key.version.0,
    })
}

fn limits(key: &api_keys::Model) -> Result<Limits, StoreError> {
    let limits = Limits::new(key.per_minute.0, key.monthly_quota.map(Stored::value));
    limits.map_err(|error| {
        let column = match error {
            LimitsError::PerMinute => "per_minute",
            LimitsError::MonthlyQuota => "monthly_quota",
        };
        unreadable("api_keys", column, key.id.0)
    })
}
