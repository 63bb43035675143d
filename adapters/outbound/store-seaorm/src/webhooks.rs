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
    ColumnTrait, DatabaseTransaction, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
};
use uuid::Uuid;

use crate::entity::deliveries::{self, Column, Entity};
use crate::error::failed;
use crate::prune::WEBHOOK_DELIVERIES;
use crate::read::{self, Read, newest_first, query, sql};
use crate::store::Store;
use crate::stored::{Stored, Time};

mod claims;
mod end;
mod endpoints;
pub(crate) mod outbox;
mod row;

/// Measures the queue through the index of due deliveries.
const MEASURE: &str = "SELECT COUNT(CASE WHEN due_at > $1 THEN 1 END) AS waiting, \
    COUNT(CASE WHEN due_at <= $1 THEN 1 END) AS due, \
    MIN(CASE WHEN due_at <= $1 THEN due_at END) AS oldest \
    FROM webhook_deliveries WHERE due_at IS NOT NULL";

#[derive(FromQueryResult)]
struct QueueRow {
    waiting: Stored<u64>,
    due: Stored<u64>,
    oldest: Option<Time>,
}

#[async_trait]
impl WebhookStore for Store {
    async fn add_endpoint(
        &self,
        endpoint: &StoredEndpoint,
        act: &AuditContext,
    ) -> Result<(), AddEndpointError> {
        self.within(async |transaction| endpoints::add(transaction, endpoint, act).await)
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
        let found = endpoints::own(customer, id).row(&self.connection);
        Ok(self.in_time(found).await?.map(row::endpoint))
    }

    async fn change_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        change: &EndpointChange,
        act: &AuditContext,
    ) -> Result<Option<StoredEndpoint>, StoreError> {
        self.within(async |transaction| {
            endpoints::change(transaction, (customer, id), change, act).await
        })
        .await
    }

    async fn disable_all_endpoints(
        &self,
        reason: DisabledReason,
        at: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        self.within(async |transaction| endpoints::disable_all(transaction, reason, at).await)
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
        self.within(async |transaction| endpoints::remove(transaction, (customer, id), act).await)
            .await
    }

    async fn add_delivery(
        &self,
        endpoint: EndpointId,
        event: &WebhookEvent,
    ) -> Result<Option<StoredDelivery>, StoreError> {
        self.within(async |transaction| add_delivery(transaction, endpoint, event).await)
            .await
    }

    async fn deliveries(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        page: &PageRequest,
    ) -> Result<Page<StoredDelivery>, ListError> {
        let list = Entity::find()
            .filter(Column::EndpointId.eq(Stored(endpoint)))
            .filter(Column::CustomerId.eq(Stored(customer)));
        let list = newest_first(list, (Column::CreatedAt, Column::Id), page)?;
        let read = |row| {
            let delivery = row::delivery(row)?;
            Ok((Cursor::at(delivery.created_at, delivery.id.0), delivery))
        };
        let found = read::page(&self.connection, list, page, read);
        Ok(self.in_time(found).await?)
    }

    async fn resend(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        id: DeliveryId,
        now: DateTime<Utc>,
    ) -> Result<Resending, StoreError> {
        self.within(async |transaction| resend(transaction, (customer, endpoint), id, now).await)
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
        self.within(async |transaction| end::within(transaction, end).await)
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
        let measure = sql(&self.connection, MEASURE, [Stored(now).into()]);
        let counted = query::<QueueRow>(&self.connection, "webhook_deliveries", measure);
        let Some(counted) = self.in_time(counted).await?.pop() else {
            return Ok(QueuedDeliveries::default());
        };
        Ok(QueuedDeliveries {
            due: counted.due.0,
            waiting: counted.waiting.0,
            oldest: counted.oldest.map(Stored::value),
        })
    }
}

async fn add_delivery(
    transaction: &DatabaseTransaction,
    endpoint: EndpointId,
    event: &WebhookEvent,
) -> Result<Option<StoredDelivery>, StoreError> {
    let found = endpoints::own(event.customer, endpoint).lock(LockType::KeyShare);
    if found.row(transaction).await?.is_none() {
        return Ok(None);
    }
    let delivery = StoredDelivery::of(endpoint, event);
    Entity::insert(row::written_delivery(&delivery))
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
    let to = endpoints::own(customer, endpoint).lock(LockType::NoKeyUpdate);
    let Some(to) = to.row(transaction).await? else {
        return Ok(Resending::Unknown);
    };
    let found = Entity::find_by_id(Stored(id))
        .filter(Column::EndpointId.eq(to.id))
        .lock_exclusive()
        .row(transaction);
    let Some(found) = found.await? else {
        return Ok(Resending::Unknown);
    };
    if found.due_at.is_some() {
        return Ok(Resending::AlreadyPending);
    }
    if !row::state(&to).is_enabled() {
        return Ok(Resending::Disabled);
    }
    let again = deliveries::Model {
        state: Stored(DeliveryState::Pending),
        due_at: Some(Stored(now)),
        step: Stored(0),
        ended_at: None,
        ..found
    };
    Entity::update_many()
        .col_expr(Column::State, Expr::value(again.state))
        .col_expr(Column::DueAt, Expr::value(again.due_at))
        .col_expr(Column::Step, Expr::value(again.step))
        .col_expr(Column::EndedAt, Expr::value(again.ended_at))
        .filter(Column::Id.eq(again.id))
        .exec(transaction)
        .await
        .map_err(failed)?;
    let resent = row::delivery(again)?;
    Ok(Resending::Pending(Box::new(resent)))
}

impl Store {
    /// The number of endpoints of all customers that are disabled.
    ///
    /// # Errors
    /// Fails when the database fails.
    pub async fn disabled_endpoints(&self) -> Result<u64, StoreError> {
        self.in_time(endpoints::disabled(&self.connection)).await
    }
}
