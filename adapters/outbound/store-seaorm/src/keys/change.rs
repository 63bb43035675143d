//! Mutations of keys: each is one transaction, with its entries in the audit log.

use chrono::{DateTime, Utc};
use domain::audit::{Action, AuditContext, creation, difference};
use domain::keys::{
    Addition, ApiKey, Credential, KeyBounds, KeyCensus, KeyId, MOST_NEW_KEYS, NEW_KEYS_SPAN,
};
use domain::limits::LimitsChange;
use domain::people::customer::CustomerId;
use ports::outbound::{
    InsertError, KeyChange, KeyRecord, RotateError, Rotation, Scope, StoreError, Successor,
    UpdateError,
};
use sea_orm::sea_query::{Expr, ExprTrait, LockType, OnConflict, Query};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select, UpdateMany,
};

use super::changes;
use super::row::{KeyRow, in_scope, keys, written};
use crate::audit::{Entry, record};
use crate::entity::{api_keys, customers};
use crate::error::failed;
use crate::read::{First, Read};
use crate::stored::{Stored, Time};

/// A key was added for a customer that doesn't exist: callers insert the customer first.
#[derive(Debug, thiserror::Error)]
#[error("there is no customer {0}")]
struct NoCustomer(CustomerId);

/// Parameters of a rotation.
pub(super) struct NewRotation<'a> {
    pub(super) successor: &'a Successor,
    pub(super) retires_at: DateTime<Utc>,
    pub(super) bounds: KeyBounds,
}

pub(super) async fn add(
    transaction: &DatabaseTransaction,
    new: &KeyRecord,
    bounds: KeyBounds,
    act: &AuditContext,
) -> Result<(), InsertError> {
    let customer = new.key.customer;
    // Locked: of two keys added at the same time, the second transaction sees the first key.
    let customer = customers::Entity::find_by_id(Stored(customer))
        .lock_exclusive()
        .row(transaction)
        .await?
        .ok_or_else(|| failed(NoCustomer(customer)))?;
    if bounds == KeyBounds::OfPlan {
        let census = census(transaction, &customer, act.at).await?;
        census.check(customer.plan.0, Addition::Another, act.at)?;
    }
    if insert(transaction, new).await? == Inserted::PrefixTaken {
        return Err(InsertError::PrefixTaken);
    }
    changes::number(transaction, &[new.key.id]).await?;
    let created = Entry::of_key(Action::KeyCreated, &new.key, creation(&new.key));
    record(transaction, act, &[created]).await?;
    Ok(())
}

pub(super) async fn change(
    transaction: &DatabaseTransaction,
    scope: Scope,
    id: KeyId,
    change: &KeyChange,
    act: &AuditContext,
) -> Result<ApiKey, UpdateError> {
    let before = locked(transaction, scope, id).await?;
    let before = before.ok_or(UpdateError::NotFound)?;
    let (after, action, update) = changed(&before, change, act.at);
    if after == before {
        return Ok(before);
    }
    write(transaction, id, update).await?;
    if !matches!(change, KeyChange::Rename(_)) {
        changes::number(transaction, &[id]).await?;
    }
    let entry = Entry::of_key(action, &after, difference(&before, &after));
    record(transaction, act, &[entry]).await?;
    Ok(after)
}

/// A key after a change, the action's name, and the update to write. Fields that the change leaves
/// out stay as they are.
fn changed(
    key: &ApiKey,
    change: &KeyChange,
    at: DateTime<Utc>,
) -> (ApiKey, Action, UpdateMany<api_keys::Entity>) {
    let mut after = key.clone();
    let update = api_keys::Entity::update_many();
    match change {
        KeyChange::Rename(name) => {
            after.name = name.clone();
            let name = name.as_str().into();
            let update = update.col_expr(api_keys::Column::Name, name);
            (after, Action::KeyRenamed, update)
        }
        KeyChange::Revoke => {
            after.revoked_at = key.revoked_at.or(Some(at));
            (after, Action::KeyRevoked, next_version(revocation(at)))
        }
        KeyChange::SetLimits(limits) => {
            after.limits = limits.apply(key.limits);
            (after, Action::LimitsSet, next_version(limiting(*limits)))
        }
    }
}

pub(crate) fn limiting(limits: LimitsChange) -> UpdateMany<api_keys::Entity> {
    let mut update = api_keys::Entity::update_many();
    if let Some(per_minute) = limits.per_minute() {
        let per_minute = Expr::value(Stored(per_minute));
        update = update.col_expr(api_keys::Column::PerMinute, per_minute);
    }
    if let Some(quota) = limits.monthly_quota() {
        let quota = Expr::value(quota.map(Stored));
        update = update.col_expr(api_keys::Column::MonthlyQuota, quota);
    }
    update
}

fn revocation(at: DateTime<Utc>) -> UpdateMany<api_keys::Entity> {
    let at = Expr::value(Stored(at));
    api_keys::Entity::update_many().col_expr(api_keys::Column::RevokedAt, at)
}

/// Increments the key's version, for changes of its state.
pub(crate) fn next_version(update: UpdateMany<api_keys::Entity>) -> UpdateMany<api_keys::Entity> {
    let next = Expr::col(api_keys::Column::Version).add(1_i64);
    update.col_expr(api_keys::Column::Version, next)
}

pub(super) async fn rotate(
    transaction: &DatabaseTransaction,
    scope: Scope,
    id: KeyId,
    NewRotation {
        successor,
        retires_at,
        bounds,
    }: NewRotation<'_>,
    act: &AuditContext,
) -> Result<Rotation, RotateError> {
    let customer = locked_customer_of(transaction, id).await?;
    let before = locked(transaction, scope, id).await?;
    let before = before.ok_or(RotateError::NotFound)?;
    if before.revoked_at.is_some() {
        return Err(RotateError::Revoked);
    }
    if before.retires_at.is_some() {
        return Err(RotateError::AlreadyRotated);
    }
    let at_once = retires_at <= act.at;
    if let (KeyBounds::OfPlan, Some(customer)) = (bounds, customer) {
        let addition = if at_once {
            Addition::Replacement
        } else {
            Addition::Another
        };
        let census = census(transaction, &customer, act.at).await?;
        census.check(customer.plan.0, addition, act.at)?;
    }
    let new = ApiKey {
        id: successor.credential.id,
        prefix: successor.prefix.clone(),
        created_at: act.at,
        last_used_at: None,
        ..before.clone()
    };
    let successor = KeyRecord {
        key: new.clone(),
        credential: Credential {
            counters: new.counters,
            ..successor.credential.clone()
        },
    };
    if insert(transaction, &successor).await? == Inserted::PrefixTaken {
        return Err(RotateError::PrefixTaken);
    }
    let old = ApiKey {
        retires_at: Some(retires_at),
        revoked_at: at_once.then_some(act.at),
        ..before.clone()
    };
    let update = if at_once {
        next_version(revocation(act.at))
    } else {
        api_keys::Entity::update_many()
    };
    let retires = Expr::value(Stored(retires_at));
    let update = update.col_expr(api_keys::Column::RetiresAt, retires);
    write(transaction, id, update).await?;
    let changed: &[_] = if at_once { &[new.id, id] } else { &[new.id] };
    changes::number(transaction, changed).await?;
    let rotated = Entry::of_key(Action::KeyRotated, &old, difference(&before, &old));
    let created = Entry::of_key(Action::KeyCreated, &new, creation(&new));
    record(transaction, act, &[rotated, created]).await?;
    Ok(Rotation { old, new })
}

/// The customer that a key is added to, locked on PostgreSQL, so that neither a change of plan nor
/// another addition misses a key that is added meanwhile.
async fn locked_customer_of(
    transaction: &DatabaseTransaction,
    key: KeyId,
) -> Result<Option<customers::Model>, StoreError> {
    let customer = Query::select()
        .column(api_keys::Column::CustomerId)
        .from(api_keys::Entity)
        .and_where(Expr::col(api_keys::Column::Id).eq(Stored(key)))
        .take();
    customers::Entity::find()
        .filter(customers::Column::Id.in_subquery(customer))
        .lock_exclusive()
        .row(transaction)
        .await
}

/// Counts a locked customer's keys, for the check of its bounds.
async fn census(
    transaction: &DatabaseTransaction,
    customer: &customers::Model,
    now: DateTime<Utc>,
) -> Result<KeyCensus, StoreError> {
    let keys = || api_keys::Entity::find().filter(api_keys::Column::CustomerId.eq(customer.id));
    let active = keys()
        .filter(api_keys::Column::RevokedAt.is_null())
        .count(transaction)
        .await
        .map_err(failed)?;
    let since = now - NEW_KEYS_SPAN;
    let created = keys()
        .select_only()
        .column(api_keys::Column::CreatedAt)
        .filter(api_keys::Column::CreatedAt.gt(Stored(since)))
        .order_by_desc(api_keys::Column::CreatedAt)
        .limit(MOST_NEW_KEYS as u64)
        .rows_as::<First<Time>>(transaction);
    let created = created.await?.into_iter().map(|First(at)| at.0);
    Ok(KeyCensus {
        active,
        created: created.collect(),
    })
}

/// A customer's keys that aren't revoked, locked until the transaction ends.
pub(crate) async fn locked_active(
    transaction: &DatabaseTransaction,
    customer: CustomerId,
) -> Result<Vec<ApiKey>, StoreError> {
    let active = keys()
        .filter(in_scope(Scope::Of(customer)))
        .filter(api_keys::Column::RevokedAt.is_null())
        .order_by_asc(api_keys::Column::Id);
    let rows = locking(active).rows_as::<KeyRow>(transaction).await?;
    rows.into_iter().map(KeyRow::read).collect()
}

/// A key within a scope, locked until the transaction ends.
async fn locked(
    transaction: &DatabaseTransaction,
    scope: Scope,
    id: KeyId,
) -> Result<Option<ApiKey>, StoreError> {
    let key = keys()
        .filter(api_keys::Column::Id.eq(Stored(id)))
        .filter(in_scope(scope));
    let row = locking(key).row_as::<KeyRow>(transaction).await?;
    row.map(KeyRow::read).transpose()
}

/// Locks the keys, and not their customers, where rows can be locked; on SQLite the transaction has
/// the whole database to itself.
fn locking(mut keys: Select<api_keys::Entity>) -> Select<api_keys::Entity> {
    QuerySelect::query(&mut keys).lock_with_tables(LockType::Update, [api_keys::Entity]);
    keys
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inserted {
    Added,
    PrefixTaken,
}

async fn insert(
    transaction: &DatabaseTransaction,
    new: &KeyRecord,
) -> Result<Inserted, StoreError> {
    let prefix_taken = OnConflict::column(api_keys::Column::Prefix)
        .do_nothing()
        .to_owned();
    let inserted = api_keys::Entity::insert(written(new))
        .on_conflict(prefix_taken)
        .exec_without_returning(transaction)
        .await
        .map_err(failed)?;
    Ok(if inserted == 0 {
        Inserted::PrefixTaken
    } else {
        Inserted::Added
    })
}

async fn write(
    transaction: &DatabaseTransaction,
    id: KeyId,
    update: UpdateMany<api_keys::Entity>,
) -> Result<(), StoreError> {
    update
        .filter(api_keys::Column::Id.eq(Stored(id)))
        .exec(transaction)
        .await
        .map_err(failed)?;
    Ok(())
}
