//! Webhook targets of customers, and their changes.

use chrono::{DateTime, Utc};
use domain::audit::{Action, AuditContext, webhook_addition, webhook_difference, webhook_removal};
use domain::keys::HashGeneration;
use domain::people::customer::CustomerId;
use domain::webhooks::{
    DeliveryState, DisabledReason, EndpointId, EndpointState, MAX_ENDPOINTS, RotatedSecrets,
};
use ports::outbound::{
    AddEndpointError, EncryptedSecret, EndpointChange, StoreError, StoredEndpoint,
};
use sea_orm::sea_query::{Expr, LockType};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select, UpdateMany,
};

use super::entity::{deliveries, endpoints};
use super::row;
use crate::audit::{Entry, record};
use crate::entity::customers;
use crate::store::failed;

use endpoints::{Column, Entity};

/// Selects a customer's webhook target.
pub(super) fn own(customer: CustomerId, id: EndpointId) -> Select<Entity> {
    Entity::find_by_id(id.to_string()).filter(Column::CustomerId.eq(customer.to_string()))
}

/// Reads a customer's webhook target, and locks it against other changes.
async fn locked(
    transaction: &DatabaseTransaction,
    customer: CustomerId,
    id: EndpointId,
) -> Result<Option<StoredEndpoint>, StoreError> {
    let found = own(customer, id).lock(LockType::NoKeyUpdate);
    let found = found.one(transaction).await.map_err(failed)?;
    found.as_ref().map(row::endpoint).transpose()
}

/// Webhook targets of a customer, oldest first.
pub(super) async fn of_customer(
    connection: &impl ConnectionTrait,
    customer: CustomerId,
) -> Result<Vec<StoredEndpoint>, StoreError> {
    let rows = Entity::find()
        .filter(Column::CustomerId.eq(customer.to_string()))
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id)
        .all(connection)
        .await;
    rows.map_err(failed)?.iter().map(row::endpoint).collect()
}

/// Up to `most` webhook targets after one that have a secret encrypted with another generation than
/// `newest`.
pub(super) async fn encrypted_otherwise(
    connection: &impl ConnectionTrait,
    newest: HashGeneration,
    after: Option<EndpointId>,
    most: u32,
) -> Result<Vec<StoredEndpoint>, StoreError> {
    let newest = i64::from(newest.0);
    let is_older = Condition::any()
        .add(Column::Generation.ne(newest))
        .add(Column::PreviousGeneration.ne(newest));
    let mut found = Entity::find().filter(is_older);
    if let Some(after) = after {
        found = found.filter(Column::Id.gt(after.to_string()));
    }
    let rows = found
        .order_by_asc(Column::Id)
        .limit(u64::from(most))
        .all(connection)
        .await;
    rows.map_err(failed)?.iter().map(row::endpoint).collect()
}

/// Replaces the secrets of a webhook target, unless they have changed since `before`.
pub(super) async fn reencrypt(
    connection: &impl ConnectionTrait,
    before: &StoredEndpoint,
    secrets: &RotatedSecrets<EncryptedSecret>,
) -> Result<bool, DbErr> {
    let old = before.secrets.previous.as_ref();
    let old = old.map(|(secret, _)| secret.content.clone());
    let same_old = match old {
        Some(old) => Column::PreviousSecret.eq(old),
        None => Column::PreviousSecret.is_null(),
    };
    let replaced = with_secrets(Entity::update_many(), secrets)
        .filter(Column::Id.eq(before.id.to_string()))
        .filter(Column::Secret.eq(before.secrets.current.content.clone()))
        .filter(same_old)
        .exec(connection)
        .await?;
    Ok(replaced.rows_affected > 0)
}

pub(super) async fn add(
    transaction: &DatabaseTransaction,
    endpoint: &StoredEndpoint,
    act: &AuditContext,
) -> Result<(), AddEndpointError> {
    let customer = endpoint.customer.to_string();
    // Locked: of two added at the same time, the second transaction sees the first.
    customers::Entity::find_by_id(&customer)
        .lock(LockType::NoKeyUpdate)
        .one(transaction)
        .await
        .map_err(failed)?;
    let others = Entity::find()
        .filter(Column::CustomerId.eq(&customer))
        .count(transaction)
        .await
        .map_err(failed)?;
    if others >= MAX_ENDPOINTS as u64 {
        return Err(AddEndpointError::TooMany);
    }
    Entity::insert(row::written_endpoint(endpoint))
        .exec_without_returning(transaction)
        .await
        .map_err(failed)?;
    let changes = webhook_addition(&endpoint.audited());
    let entry = Entry::of_webhook(Action::WebhookAdded, endpoint.customer, changes);
    Ok(record(transaction, act, &[entry]).await?)
}

pub(super) async fn change(
    transaction: &DatabaseTransaction,
    (customer, id): (CustomerId, EndpointId),
    change: &EndpointChange,
    act: &AuditContext,
) -> Result<Option<StoredEndpoint>, StoreError> {
    let Some(before) = locked(transaction, customer, id).await? else {
        return Ok(None);
    };
    let after = before.after(change, act.at);
    write(transaction, &after).await.map_err(failed)?;
    if before.state.is_enabled() && !after.state.is_enabled() {
        let discarded = discard_pending(transaction, id, act.at).await;
        discarded.map_err(failed)?;
    }
    let action = match change {
        EndpointChange::Settings { .. } => Action::WebhookChanged,
        EndpointChange::RotateSecret(_) => Action::WebhookSecretRotated,
    };
    let changes = webhook_difference(&before.audited(), &after.audited());
    let entry = Entry::of_webhook(action, customer, changes);
    record(transaction, act, &[entry]).await?;
    Ok(Some(after))
}

async fn write(transaction: &DatabaseTransaction, after: &StoredEndpoint) -> Result<(), DbErr> {
    let (reason, disabled_at) = row::disabled(after.state);
    let failing_since = after.failing_since.map(|at| at.timestamp_millis());
    with_secrets(Entity::update_many(), &after.secrets)
        .col_expr(Column::Url, Expr::value(after.url.as_str()))
        .col_expr(Column::Events, Expr::value(after.events.stored()))
        .col_expr(Column::DisabledReason, Expr::value(reason))
        .col_expr(Column::DisabledAt, Expr::value(disabled_at))
        .col_expr(Column::FailingSince, Expr::value(failing_since))
        .col_expr(
            Column::UpdatedAt,
            Expr::value(after.updated_at.timestamp_millis()),
        )
        .filter(Column::Id.eq(after.id.to_string()))
        .exec(transaction)
        .await
        .map(drop)
}

fn with_secrets(
    update: UpdateMany<Entity>,
    RotatedSecrets { current, previous }: &RotatedSecrets<EncryptedSecret>,
) -> UpdateMany<Entity> {
    let old = previous.as_ref();
    update
        .col_expr(
            Column::Generation,
            Expr::value(i64::from(current.generation.0)),
        )
        .col_expr(Column::Secret, Expr::value(current.content.clone()))
        .col_expr(
            Column::PreviousGeneration,
            Expr::value(old.map(|(secret, _)| i64::from(secret.generation.0))),
        )
        .col_expr(
            Column::PreviousSecret,
            Expr::value(old.map(|(secret, _)| secret.content.clone())),
        )
        .col_expr(
            Column::PreviousUntil,
            Expr::value(old.map(|(_, until)| until.timestamp_millis())),
        )
}

pub(super) async fn remove(
    transaction: &DatabaseTransaction,
    (customer, id): (CustomerId, EndpointId),
    act: &AuditContext,
) -> Result<bool, StoreError> {
    let found = own(customer, id).lock_exclusive();
    let found = found.one(transaction).await.map_err(failed)?;
    let Some(found) = found.as_ref().map(row::endpoint).transpose()? else {
        return Ok(false);
    };
    Entity::delete_by_id(id.to_string())
        .exec(transaction)
        .await
        .map_err(failed)?;
    let changes = webhook_removal(&found.audited());
    let entry = Entry::of_webhook(Action::WebhookRemoved, customer, changes);
    record(transaction, act, &[entry]).await?;
    Ok(true)
}

/// Disables a locked webhook target.
pub(super) async fn disable(
    transaction: &DatabaseTransaction,
    id: EndpointId,
    state: EndpointState,
) -> Result<(), DbErr> {
    let (reason, disabled_at) = row::disabled(state);
    Entity::update_many()
        .col_expr(Column::DisabledReason, Expr::value(reason))
        .col_expr(Column::DisabledAt, Expr::value(disabled_at))
        .filter(Column::Id.eq(id.to_string()))
        .exec(transaction)
        .await
        .map(drop)
}

/// The number of endpoints that are disabled.
pub(super) async fn disabled(connection: &impl ConnectionTrait) -> Result<u64, DbErr> {
    let disabled = Entity::find().filter(Column::DisabledAt.is_not_null());
    disabled.count(connection).await
}

/// Disables all enabled endpoints, and discards what is pending for them. Returns their number.
pub(super) async fn disable_all(
    transaction: &DatabaseTransaction,
    reason: DisabledReason,
    at: DateTime<Utc>,
) -> Result<u64, DbErr> {
    let (reason, disabled_at) = row::disabled(EndpointState::Disabled { reason, at });
    let disabled = Entity::update_many()
        .col_expr(Column::DisabledReason, Expr::value(reason))
        .col_expr(Column::DisabledAt, Expr::value(disabled_at))
        .filter(Column::DisabledAt.is_null())
        .exec(transaction)
        .await?;
    discard(deliveries::Entity::update_many(), at)
        .exec(transaction)
        .await?;
    Ok(disabled.rows_affected)
}

/// Discards the pending deliveries of a locked webhook target, also those in progress.
pub(super) async fn discard_pending(
    transaction: &DatabaseTransaction,
    id: EndpointId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let of_endpoint = deliveries::Column::EndpointId.eq(id.to_string());
    discard(deliveries::Entity::update_many(), now)
        .filter(of_endpoint)
        .exec(transaction)
        .await
        .map(drop)
}

fn discard(
    update: UpdateMany<deliveries::Entity>,
    now: DateTime<Utc>,
) -> UpdateMany<deliveries::Entity> {
    use deliveries::Column;
    update
        .col_expr(Column::State, Expr::value(DeliveryState::Discarded.name()))
        .col_expr(Column::DueAt, Expr::value(None::<i64>))
        .col_expr(Column::LeaseToken, Expr::value(None::<String>))
        .col_expr(Column::EndedAt, Expr::value(now.timestamp_millis()))
        .filter(Column::DueAt.is_not_null())
}
