//! Webhook targets, and the queue of deliveries to them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::AuditContext;
use domain::keys::HashGeneration;
use domain::page::{Cursor, Page, PageRequest};
use domain::people::customer::CustomerId;
use domain::webhooks::{
    DeliveryId, DeliveryState, DisabledReason, EndpointId, EndpointState, RotatedSecrets,
    WebhookEvent,
};
use ports::outbound::{
    AddEndpointError, ClaimedDelivery, DeliveryEnd, EncryptedSecret, EndpointChange, Lease,
    ListError, QueuedDeliveries, Resending, StoreError, StoredDelivery, StoredEndpoint,
    WebhookStore,
};
use sea_orm::sea_query::{Expr, LockType};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, Statement,
};
use uuid::Uuid;

use crate::list::{limit_with_lookahead, older_than_cursor};
use crate::prune::WEBHOOK_DELIVERIES;
use crate::row::Row;
use crate::store::{Store, failed};

mod claims;
mod end;
mod endpoints;
pub(crate) mod entity;
pub(crate) mod outbox;
mod row;

/// Measures the queue through the index of due deliveries.
const MEASURE: &str = "SELECT COUNT(*) AS open, \
    COALESCE(SUM(CASE WHEN due_at <= $1 THEN 1 ELSE 0 END), 0) AS due, \
    MIN(CASE WHEN due_at <= $1 THEN due_at END) AS oldest \
    FROM webhook_deliveries WHERE due_at IS NOT NULL";

#[derive(FromQueryResult)]
struct QueueRow {
    open: i64,
    due: i64,
    oldest: Option<i64>,
}

#[async_trait]
impl WebhookStore for Store {
    async fn add_endpoint(
        &self,
        endpoint: &StoredEndpoint,
        act: &AuditContext,
    ) -> Result<(), AddEndpointError> {
        self.in_time(async {
            let transaction = self.begin().await?;
            let added = endpoints::add(&transaction, endpoint, act).await;
            self.end(transaction, added).await
        })
        .await
    }

    async fn endpoints(&self, customer: CustomerId) -> Result<Vec<StoredEndpoint>, StoreError> {
        self.in_time(endpoints::of_customer(&self.connection, customer))
            .await
    }

    async fn endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
    ) -> Result<Option<StoredEndpoint>, StoreError> {
        self.in_time(async {
            let found = endpoints::own(customer, id).one(&self.connection).await;
            found
                .map_err(failed)?
                .as_ref()
                .map(row::endpoint)
                .transpose()
        })
        .await
    }

    async fn change_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        change: &EndpointChange,
        act: &AuditContext,
    ) -> Result<Option<StoredEndpoint>, StoreError> {
        self.in_time(async {
            let transaction = self.begin().await?;
            let changed = endpoints::change(&transaction, (customer, id), change, act).await;
            self.end(transaction, changed).await
        })
        .await
    }

    async fn disable_all_endpoints(
        &self,
        reason: DisabledReason,
        at: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        self.in_time(async {
            let transaction = self.begin().await?;
            let disabled = endpoints::disable_all(&transaction, reason, at).await;
            self.end(transaction, disabled.map_err(failed)).await
        })
        .await
    }

    async fn endpoints_to_reencrypt(
        &self,
        newest: HashGeneration,
        after: Option<EndpointId>,
        most: u32,
    ) -> Result<Vec<StoredEndpoint>, StoreError> {
        let found = endpoints::encrypted_otherwise(&self.connection, newest, after, most);
        self.in_time(found).await
    }

    async fn reencrypt_endpoint(
        &self,
        before: &StoredEndpoint,
        secrets: &RotatedSecrets<EncryptedSecret>,
    ) -> Result<bool, StoreError> {
        self.write(endpoints::reencrypt(&self.connection, before, secrets))
            .await
    }

    async fn remove_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        act: &AuditContext,
    ) -> Result<bool, StoreError> {
        self.in_time(async {
            let transaction = self.begin().await?;
            let removed = endpoints::remove(&transaction, (customer, id), act).await;
            self.end(transaction, removed).await
        })
        .await
    }

    async fn add_delivery(
        &self,
        endpoint: EndpointId,
        event: &WebhookEvent,
    ) -> Result<Option<StoredDelivery>, StoreError> {
        self.in_time(async {
            let transaction = self.begin().await?;
            let added = add_delivery(&transaction, endpoint, event).await;
            self.end(transaction, added).await
        })
        .await
    }

    async fn deliveries(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        page: &PageRequest,
    ) -> Result<Page<StoredDelivery>, ListError> {
        use entity::deliveries::{Column, Entity};
        self.in_time(async {
            let mut found = Entity::find()
                .filter(Column::EndpointId.eq(endpoint.to_string()))
                .filter(Column::CustomerId.eq(customer.to_string()));
            if let Some(older) = older_than_cursor((Column::CreatedAt, Column::Id), page)? {
                found = found.filter(older);
            }
            let rows = found
                .order_by_desc(Column::CreatedAt)
                .order_by_desc(Column::Id)
                .limit(limit_with_lookahead(page))
                .all(&self.connection)
                .await
                .map_err(failed)?;
            let mut items = Vec::with_capacity(rows.len());
            for row in rows {
                let delivery = row::delivery(row)?;
                items.push((Cursor::at(delivery.created_at, delivery.id.0), delivery));
            }
            Ok(Page::of(items, page.first, None))
        })
        .await
    }

    async fn resend(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        id: DeliveryId,
        now: DateTime<Utc>,
    ) -> Result<Resending, StoreError> {
        self.in_time(async {
            let transaction = self.begin().await?;
            let resent = resend(&transaction, (customer, endpoint), id, now).await;
            self.end(transaction, resent).await
        })
        .await
    }

    async fn claim_deliveries(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        self.in_time(self.claim_due_deliveries(most, now, lease))
            .await
    }

    async fn end_delivery(&self, end: &DeliveryEnd) -> Result<Option<EndpointState>, StoreError> {
        self.in_time(async {
            let transaction = self.begin().await?;
            let ended = end::within(&transaction, end).await;
            self.end(transaction, ended).await
        })
        .await
    }

    async fn discard_delivery(
        &self,
        id: DeliveryId,
        token: Uuid,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let discarded = end::discarding(id, token, now).exec(&self.connection);
        self.write(discarded).await.map(drop)
    }

    async fn prune_deliveries(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.check_files()?;
        self.prune_table(&WEBHOOK_DELIVERIES, before).await
    }

    async fn delivery_queue(&self, now: DateTime<Utc>) -> Result<QueuedDeliveries, StoreError> {
        self.in_time(async {
            let backend = self.connection.get_database_backend();
            let values = [now.timestamp_millis().into()];
            let query = Statement::from_sql_and_values(backend, MEASURE, values);
            let counted = QueueRow::find_by_statement(query)
                .one(&self.connection)
                .await;
            let Some(counted) = counted.map_err(failed)? else {
                return Ok(QueuedDeliveries::default());
            };
            let row = Row {
                table: "webhook_deliveries",
                id: "all",
            };
            Ok(QueuedDeliveries {
                due: row.count(counted.due, "due_at")?,
                waiting: row.count(counted.open - counted.due, "due_at")?,
                oldest: row.optional_instant(counted.oldest, "due_at")?,
            })
        })
        .await
    }
}

async fn add_delivery(
    transaction: &DatabaseTransaction,
    endpoint: EndpointId,
    event: &WebhookEvent,
) -> Result<Option<StoredDelivery>, StoreError> {
    let found = endpoints::own(event.customer, endpoint).lock(LockType::KeyShare);
    if found.one(transaction).await.map_err(failed)?.is_none() {
        return Ok(None);
    }
    let delivery = StoredDelivery::of(endpoint, event);
    entity::deliveries::Entity::insert(row::written_delivery(&delivery))
        .exec_without_returning(transaction)
        .await
        .map_err(failed)?;
    Ok(Some(delivery))
}

async fn resend(
    transaction: &DatabaseTransaction,
    (customer, endpoint): (CustomerId, EndpointId),
    id: DeliveryId,
    now: DateTime<Utc>,
) -> Result<Resending, StoreError> {
    use entity::deliveries::{Column, Entity, Model};
    let to = endpoints::own(customer, endpoint).lock(LockType::NoKeyUpdate);
    let Some(to) = to.one(transaction).await.map_err(failed)? else {
        return Ok(Resending::Unknown);
    };
    let found = Entity::find_by_id(id.to_string())
        .filter(Column::EndpointId.eq(&to.id))
        .lock_exclusive()
        .one(transaction)
        .await
        .map_err(failed)?;
    let Some(found) = found else {
        return Ok(Resending::Unknown);
    };
    if found.due_at.is_some() {
        return Ok(Resending::AlreadyPending);
    }
    if !row::state(&to)?.is_enabled() {
        return Ok(Resending::Disabled);
    }
    let pending = DeliveryState::Pending.name();
    let due_at = now.timestamp_millis();
    Entity::update_many()
        .col_expr(Column::State, Expr::value(pending))
        .col_expr(Column::DueAt, Expr::value(due_at))
        .col_expr(Column::Step, Expr::value(0_i64))
        .col_expr(Column::EndedAt, Expr::value(None::<i64>))
        .filter(Column::Id.eq(id.to_string()))
        .exec(transaction)
        .await
        .map_err(failed)?;
    let resent = row::delivery(Model {
        state: pending.to_owned(),
        due_at: Some(due_at),
        step: 0,
        ended_at: None,
        ..found
    })?;
    Ok(Resending::Pending(Box::new(resent)))
}

impl Store {
    /// The number of endpoints of all customers that are disabled.
    ///
    /// # Errors
    /// Fails when the database fails.
    pub async fn disabled_endpoints(&self) -> Result<u64, StoreError> {
        let disabled = endpoints::disabled(&self.connection);
        self.in_time(async { disabled.await.map_err(failed) }).await
    }
}
