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
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, EntityTrait, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, Select, UpdateMany,
};

use super::row;
use crate::audit::{Entry, record};
use crate::entity::{customers, deliveries, endpoints};
use crate::error::failed;
use crate::queue;
use crate::read::Read;
use crate::stored::Stored;

use endpoints::{Column, Entity};

/// Selects a customer's webhook target.
pub(super) fn own(customer: CustomerId, id: EndpointId) -> Select<Entity> {
    Entity::find_by_id(Stored(id)).filter(Column::CustomerId.eq(Stored(customer)))
}

/// Reads a customer's webhook target, and locks it against other changes.
async fn locked(
    transaction: &DatabaseTransaction,
    customer: CustomerId,
    id: EndpointId,
) -> Result<Option<StoredEndpoint>, StoreError> {
    let found = own(customer, id).lock(LockType::NoKeyUpdate);
    Ok(found.row(transaction).await?.map(row::endpoint))
}

/// Webhook targets of a customer, oldest first.
pub(super) async fn of_customer(
    connection: &impl ConnectionTrait,
    customer: CustomerId,
) -> Result<Vec<StoredEndpoint>, StoreError> {
    let rows = Entity::find()
        .filter(Column::CustomerId.eq(Stored(customer)))
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id)
        .rows(connection);
    Ok(rows.await?.into_iter().map(row::endpoint).collect())
}

/// Up to `most` webhook targets after one that have a secret encrypted with another generation than
/// `newest`.
pub(super) async fn encrypted_otherwise(
    connection: &impl ConnectionTrait,
    newest: HashGeneration,
    after: Option<EndpointId>,
    most: u32,
) -> Result<Vec<StoredEndpoint>, StoreError> {
    let newest = Stored(newest);
    let is_older = Condition::any()
        .add(Column::Generation.ne(newest))
        .add(Column::PreviousGeneration.ne(newest));
    let mut found = Entity::find().filter(is_older);
    if let Some(after) = after {
        found = found.filter(Column::Id.gt(Stored(after)));
    }
    let rows = found
        .order_by_asc(Column::Id)
        .limit(u64::from(most))
        .rows(connection);
    Ok(rows.await?.into_iter().map(row::endpoint).collect())
}

/// Replaces the secrets of a webhook target, unless they have changed since `before`.
pub(super) async fn reencrypt(
    connection: &impl ConnectionTrait,
    before: &StoredEndpoint,
    secrets: &RotatedSecrets<EncryptedSecret>,
) -> Result<bool, sea_orm::DbErr> {
    let old = before.secrets.previous.as_ref();
    let old = old.map(|(secret, _)| secret.content.clone());
    let same_old = match old {
        Some(old) => Column::PreviousSecret.eq(old),
        None => Column::PreviousSecret.is_null(),
    };
    let replaced = with_secrets(Entity::update_many(), secrets)
        .filter(Column::Id.eq(Stored(before.id)))
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
    let customer = Stored(endpoint.customer);
    // Locked: of two added at the same time, the second transaction sees the first.
    customers::Entity::find_by_id(customer)
        .lock(LockType::NoKeyUpdate)
        .row(transaction)
        .await?;
    let others = Entity::find()
        .filter(Column::CustomerId.eq(customer))
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
    let entry = Entry::of_account(Action::WebhookAdded, endpoint.customer, changes);
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
    write(transaction, &after).await?;
    if before.state.is_enabled() && !after.state.is_enabled() {
        discard_pending(transaction, id, act.at).await?;
    }
    let action = match change {
        EndpointChange::Settings { .. } => Action::WebhookChanged,
        EndpointChange::RotateSecret(_) => Action::WebhookSecretRotated,
    };
    let changes = webhook_difference(&before.audited(), &after.audited());
    let entry = Entry::of_account(action, customer, changes);
    record(transaction, act, &[entry]).await?;
    Ok(Some(after))
}

async fn write(
    transaction: &DatabaseTransaction,
    after: &StoredEndpoint,
) -> Result<(), StoreError> {
    let (reason, disabled_at) = row::disabled(after.state);
    let failing_since = after.failing_since.map(Stored);
    with_secrets(Entity::update_many(), &after.secrets)
        .col_expr(Column::Url, Expr::value(Stored(after.url.clone())))
        .col_expr(Column::Events, Expr::value(Stored(after.events.clone())))
        .col_expr(Column::DisabledReason, Expr::value(reason))
        .col_expr(Column::DisabledAt, Expr::value(disabled_at))
        .col_expr(Column::FailingSince, Expr::value(failing_since))
        .col_expr(Column::UpdatedAt, Expr::value(Stored(after.updated_at)))
        .filter(Column::Id.eq(Stored(after.id)))
        .exec(transaction)
        .await
        .map(drop)
        .map_err(failed)
}

fn with_secrets(
    update: UpdateMany<Entity>,
    RotatedSecrets { current, previous }: &RotatedSecrets<EncryptedSecret>,
) -> UpdateMany<Entity> {
    let old = previous.as_ref();
    update
        .col_expr(Column::Generation, Expr::value(Stored(current.generation)))
        .col_expr(Column::Secret, Expr::value(current.content.clone()))
        .col_expr(
            Column::PreviousGeneration,
            Expr::value(old.map(|(secret, _)| Stored(secret.generation))),
        )
        .col_expr(
            Column::PreviousSecret,
            Expr::value(old.map(|(secret, _)| secret.content.clone())),
        )
        .col_expr(
            Column::PreviousUntil,
            Expr::value(old.map(|(_, until)| Stored(*until))),
        )
}

pub(super) async fn remove(
    transaction: &DatabaseTransaction,
    (customer, id): (CustomerId, EndpointId),
    act: &AuditContext,
) -> Result<bool, StoreError> {
    let found = own(customer, id).lock_exclusive();
    let Some(found) = found.row(transaction).await?.map(row::endpoint) else {
        return Ok(false);
    };
    Entity::delete_by_id(Stored(id))
        .exec(transaction)
        .await
        .map_err(failed)?;
    let changes = webhook_removal(&found.audited());
    let entry = Entry::of_account(Action::WebhookRemoved, customer, changes);
    record(transaction, act, &[entry]).await?;
    Ok(true)
}

/// Disables a locked webhook target.
pub(super) async fn disable(
    transaction: &DatabaseTransaction,
    id: EndpointId,
    state: EndpointState,
) -> Result<(), StoreError> {
    let disabled = disabling(state).filter(Column::Id.eq(Stored(id)));
    disabled.exec(transaction).await.map(drop).map_err(failed)
}

fn disabling(state: EndpointState) -> UpdateMany<Entity> {
    let (reason, disabled_at) = row::disabled(state);
    Entity::update_many()
        .col_expr(Column::DisabledReason, Expr::value(reason))
        .col_expr(Column::DisabledAt, Expr::value(disabled_at))
}

/// The number of endpoints that are disabled.
pub(super) async fn disabled(connection: &impl ConnectionTrait) -> Result<u64, StoreError> {
    let disabled = Entity::find().filter(Column::DisabledAt.is_not_null());
    disabled.count(connection).await.map_err(failed)
}

/// Disables all enabled endpoints, and discards what is pending for them. Returns their number.
pub(super) async fn disable_all(
    transaction: &DatabaseTransaction,
    reason: DisabledReason,
    at: DateTime<Utc>,
) -> Result<u64, StoreError> {
    let disabled = disabling(EndpointState::Disabled { reason, at })
        .filter(Column::DisabledAt.is_null())
        .exec(transaction)
        .await
        .map_err(failed)?;
    let discarded = discarding(at).exec(transaction);
    discarded.await.map_err(failed)?;
    Ok(disabled.rows_affected)
}

/// Discards the pending deliveries of a locked webhook target, also those in progress.
pub(super) async fn discard_pending(
    transaction: &DatabaseTransaction,
    id: EndpointId,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let of_endpoint = deliveries::Column::EndpointId.eq(Stored(id));
    let discarded = discarding(now).filter(of_endpoint).exec(transaction);
    discarded.await.map(drop).map_err(failed)
}

/// The update that discards pending deliveries.
fn discarding(now: DateTime<Utc>) -> UpdateMany<deliveries::Entity> {
    let pending = deliveries::Entity::update_many().filter(deliveries::Column::DueAt.is_not_null());
    queue::ended(pending, DeliveryState::Discarded, now)
}
