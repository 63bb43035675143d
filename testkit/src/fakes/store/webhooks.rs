//! Webhooks' endpoints and deliveries.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{Action, AuditContext, webhook_addition, webhook_difference, webhook_removal};
use domain::customer::CustomerId;
use domain::page::{Cursor, Direction, Page, PageRequest};
use domain::webhook::{
    DeliveryId, DeliveryState, DisabledReason, EndpointId, EndpointState, GIVE_UP_AFTER,
    MAX_ENDPOINTS, NextDelivery, WebhookEvent, free_places,
};
use ports::outbound::{
    AddEndpointError, ClaimedDelivery, DeliveryEnd, EndpointChange, Lease, ListError,
    QueuedDeliveries, Resending, StoreError, StoredDelivery, StoredEndpoint, WebhookStore,
};
use uuid::Uuid;

use super::pages::{by_instant, page};
use super::{MemoryStore, Tables, broken};

/// Endpoints and deliveries.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    endpoints: BTreeMap<EndpointId, KeptEndpoint>,
    deliveries: BTreeMap<DeliveryId, KeptDelivery>,
}

#[derive(Debug)]
struct KeptEndpoint {
    stored: StoredEndpoint,
    served_at: Option<DateTime<Utc>>,
}

#[derive(Debug)]
struct KeptDelivery {
    stored: StoredDelivery,
    lease: Option<Uuid>,
    ended_at: Option<DateTime<Utc>>,
}

impl KeptDelivery {
    fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.stored.due_at.is_some_and(|due_at| due_at <= now)
    }

    fn is_under_way(&self, now: DateTime<Utc>) -> bool {
        self.lease.is_some() && self.stored.due_at.is_some() && !self.is_due(now)
    }

    fn end(&mut self, state: DeliveryState, now: DateTime<Utc>) {
        self.stored.state = state;
        self.stored.due_at = None;
        self.lease = None;
        self.ended_at = Some(now);
    }
}

impl Outbox {
    /// Adds a delivery to each endpoint that is told of an event.
    pub(super) fn enqueue(&mut self, event: &WebhookEvent) {
        let told = self.endpoints.values().map(|kept| &kept.stored);
        let told = told.filter(|endpoint| {
            endpoint.customer == event.customer
                && endpoint.environment == event.environment
                && endpoint.state.is_enabled()
                && endpoint.events.contains(event.kind)
        });
        let told: Vec<_> = told.map(|endpoint| endpoint.id).collect();
        for endpoint in told {
            self.insert(StoredDelivery::of(endpoint, event));
        }
    }

    fn insert(&mut self, stored: StoredDelivery) {
        let kept = KeptDelivery {
            lease: None,
            ended_at: None,
            stored,
        };
        self.deliveries.entry(kept.stored.id).or_insert(kept);
    }

    fn own(&mut self, customer: CustomerId, id: EndpointId) -> Option<&mut StoredEndpoint> {
        let kept = self.endpoints.get_mut(&id)?;
        (kept.stored.customer == customer).then_some(&mut kept.stored)
    }

    fn discard_pending(&mut self, id: EndpointId, now: DateTime<Utc>) {
        for kept in self.deliveries.values_mut() {
            if kept.stored.endpoint == id && kept.stored.due_at.is_some() {
                kept.end(DeliveryState::Discarded, now);
            }
        }
    }

    fn held(&mut self, id: DeliveryId, token: Uuid) -> Option<&mut KeptDelivery> {
        let kept = self.deliveries.get_mut(&id)?;
        (kept.lease == Some(token)).then_some(kept)
    }

    fn free(&self, endpoint: &StoredEndpoint, now: DateTime<Utc>) -> usize {
        let under_way = || {
            self.deliveries
                .values()
                .filter(|kept| kept.is_under_way(now))
        };
        let of_endpoint = under_way().filter(|kept| kept.stored.endpoint == endpoint.id);
        let of_customer = under_way().filter(|kept| kept.stored.customer == endpoint.customer);
        free_places(endpoint.health(), of_endpoint.count(), of_customer.count())
    }

    fn claim(&mut self, most: u32, now: DateTime<Utc>, lease: Lease) -> Vec<ClaimedDelivery> {
        let mut turns: Vec<_> = self.endpoints.values().collect();
        turns.sort_by_key(|kept| (kept.served_at, kept.stored.id));
        let turns: Vec<_> = turns.into_iter().map(|kept| kept.stored.clone()).collect();
        let mut claimed = Vec::new();
        for endpoint in turns {
            let left = (most as usize).saturating_sub(claimed.len());
            let free = self.free(&endpoint, now).min(left);
            let due = self.deliveries.values_mut();
            let mut due: Vec<_> = due
                .filter(|kept| kept.stored.endpoint == endpoint.id && kept.is_due(now))
                .collect();
            due.sort_by_key(|kept| (kept.stored.due_at, kept.stored.id));
            for kept in due.into_iter().take(free) {
                kept.lease = Some(lease.token);
                kept.stored.due_at = Some(lease.until);
                claimed.push(ClaimedDelivery {
                    delivery: kept.stored.clone(),
                    endpoint: endpoint.clone(),
                });
                if let Some(kept) = self.endpoints.get_mut(&endpoint.id) {
                    kept.served_at = Some(now);
                }
            }
        }
        claimed
    }

    fn end(&mut self, end: &DeliveryEnd) -> Option<EndpointState> {
        let at = end.attempt.at;
        let kept = self.held(end.id, end.token)?;
        kept.stored.attempts += 1;
        kept.stored.step += 1;
        kept.stored.last_attempt = Some(end.attempt.clone());
        match end.next {
            NextDelivery::Delivered => kept.end(DeliveryState::Delivered, at),
            NextDelivery::GiveUp | NextDelivery::Disable => kept.end(DeliveryState::Failed, at),
            NextDelivery::Again { at } => {
                kept.stored.due_at = Some(at);
                kept.lease = None;
            }
        }
        let endpoint = &mut self.endpoints.get_mut(&end.endpoint)?.stored;
        endpoint.failing_since = if end.attempt.result.is_success() {
            None
        } else {
            Some(endpoint.failing_since.unwrap_or(at))
        };
        let failing = endpoint.failing_since;
        let reason = match end.next {
            NextDelivery::Disable => Some(DisabledReason::Gone),
            _ => failing
                .filter(|since| *since <= at - GIVE_UP_AFTER)
                .map(|_| DisabledReason::Failing),
        };
        if let Some(reason) = reason.filter(|_| endpoint.state.is_enabled()) {
            endpoint.state = EndpointState::Disabled { reason, at };
            self.discard_pending(end.endpoint, at);
        }
        Some(self.endpoints.get(&end.endpoint)?.stored.state)
    }
}

impl Tables {
    fn log(
        &mut self,
        act: &AuditContext,
        action: Action,
        entry: (CustomerId, Vec<domain::audit::FieldChange>),
    ) {
        let (customer, changes) = entry;
        self.append_entry(act, action, customer, None, changes);
    }
}

#[async_trait]
impl WebhookStore for MemoryStore {
    async fn add_endpoint(
        &self,
        endpoint: &StoredEndpoint,
        act: &AuditContext,
    ) -> Result<(), AddEndpointError> {
        self.called("add_endpoint").await?;
        let mut tables = self.tables();
        tables.is_new(act)?;
        let of_customer = tables.outbox.endpoints.values();
        let others = of_customer.filter(|kept| kept.stored.customer == endpoint.customer);
        if others.count() >= MAX_ENDPOINTS {
            return Err(AddEndpointError::TooMany);
        }
        if tables.outbox.endpoints.contains_key(&endpoint.id) {
            return Err(broken("there is an endpoint with this id").into());
        }
        let kept = KeptEndpoint {
            stored: endpoint.clone(),
            served_at: None,
        };
        tables.outbox.endpoints.insert(endpoint.id, kept);
        let changes = webhook_addition(&endpoint.audited());
        tables.log(act, Action::WebhookAdded, (endpoint.customer, changes));
        Ok(())
    }

    async fn endpoints(&self, customer: CustomerId) -> Result<Vec<StoredEndpoint>, StoreError> {
        self.called("endpoints").await?;
        let tables = self.tables();
        let own = tables.outbox.endpoints.values().map(|kept| &kept.stored);
        let own = own.filter(|endpoint| endpoint.customer == customer);
        let mut own: Vec<_> = own.cloned().collect();
        own.sort_by_key(|endpoint| (endpoint.created_at, endpoint.id));
        Ok(own)
    }

    async fn endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
    ) -> Result<Option<StoredEndpoint>, StoreError> {
        self.called("endpoint").await?;
        Ok(self.tables().outbox.own(customer, id).cloned())
    }

    async fn change_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        change: &EndpointChange,
        act: &AuditContext,
    ) -> Result<Option<StoredEndpoint>, StoreError> {
        self.called("change_endpoint").await?;
        let mut tables = self.tables();
        tables.is_new(act)?;
        let Some(endpoint) = tables.outbox.own(customer, id) else {
            return Ok(None);
        };
        let before = endpoint.clone();
        let after = before.after(change, act.at);
        endpoint.clone_from(&after);
        if before.state.is_enabled() && !after.state.is_enabled() {
            tables.outbox.discard_pending(id, act.at);
        }
        let action = match change {
            EndpointChange::Settings { .. } => Action::WebhookChanged,
            EndpointChange::RotateSecret(_) => Action::WebhookSecretRotated,
        };
        let changes = webhook_difference(&before.audited(), &after.audited());
        tables.log(act, action, (customer, changes));
        Ok(Some(after))
    }

    async fn remove_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        act: &AuditContext,
    ) -> Result<bool, StoreError> {
        self.called("remove_endpoint").await?;
        let mut tables = self.tables();
        tables.is_new(act)?;
        let Some(endpoint) = tables.outbox.own(customer, id).cloned() else {
            return Ok(false);
        };
        tables.outbox.endpoints.remove(&id);
        let deliveries = &mut tables.outbox.deliveries;
        deliveries.retain(|_, kept| kept.stored.endpoint != id);
        let changes = webhook_removal(&endpoint.audited());
        tables.log(act, Action::WebhookRemoved, (customer, changes));
        Ok(true)
    }

    async fn add_delivery(
        &self,
        endpoint: EndpointId,
        event: &WebhookEvent,
    ) -> Result<Option<StoredDelivery>, StoreError> {
        self.called("add_delivery").await?;
        let outbox = &mut self.tables().outbox;
        if outbox.own(event.customer, endpoint).is_none() {
            return Ok(None);
        }
        let delivery = StoredDelivery::of(endpoint, event);
        outbox.insert(delivery.clone());
        Ok(Some(delivery))
    }

    async fn deliveries(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        request: &PageRequest,
    ) -> Result<Page<StoredDelivery>, ListError> {
        self.called("deliveries").await?;
        let tables = self.tables();
        let own = tables.outbox.deliveries.values().map(|kept| &kept.stored);
        let own = own.filter(|it| it.customer == customer && it.endpoint == endpoint);
        let cursor = |delivery: &&StoredDelivery| Cursor::at(delivery.created_at, delivery.id.0);
        let found = page(own, request, Direction::Descending, cursor, by_instant)?;
        Ok(Page {
            total: None,
            ..found.map(StoredDelivery::clone)
        })
    }

    async fn resend(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        id: DeliveryId,
        now: DateTime<Utc>,
    ) -> Result<Resending, StoreError> {
        self.called("resend").await?;
        let outbox = &mut self.tables().outbox;
        let Some(state) = outbox.own(customer, endpoint).map(|it| it.state) else {
            return Ok(Resending::Unknown);
        };
        let kept = outbox.deliveries.get_mut(&id);
        let Some(kept) = kept.filter(|kept| kept.stored.endpoint == endpoint) else {
            return Ok(Resending::Unknown);
        };
        if kept.stored.due_at.is_some() {
            return Ok(Resending::AlreadyPending);
        }
        if !state.is_enabled() {
            return Ok(Resending::Disabled);
        }
        kept.stored.state = DeliveryState::Pending;
        kept.stored.due_at = Some(now);
        kept.stored.step = 0;
        kept.ended_at = None;
        Ok(Resending::Pending(Box::new(kept.stored.clone())))
    }

    async fn claim_deliveries(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        self.called("claim_deliveries").await?;
        Ok(self.tables().outbox.claim(most, now, lease))
    }

    async fn end_delivery(&self, end: &DeliveryEnd) -> Result<Option<EndpointState>, StoreError> {
        self.called("end_delivery").await?;
        Ok(self.tables().outbox.end(end))
    }

    async fn discard_delivery(
        &self,
        id: DeliveryId,
        token: Uuid,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.called("discard_delivery").await?;
        if let Some(kept) = self.tables().outbox.held(id, token) {
            kept.end(DeliveryState::Discarded, now);
        }
        Ok(())
    }

    async fn prune_deliveries(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.called("prune_deliveries").await?;
        let deliveries = &mut self.tables().outbox.deliveries;
        let all = deliveries.len();
        deliveries.retain(|_, kept| kept.ended_at.is_none_or(|ended_at| ended_at >= before));
        Ok((all - deliveries.len()) as u64)
    }

    async fn delivery_queue(&self, now: DateTime<Utc>) -> Result<QueuedDeliveries, StoreError> {
        self.called("delivery_queue").await?;
        let tables = self.tables();
        let open = || {
            let all = tables.outbox.deliveries.values();
            all.filter(|kept| kept.stored.due_at.is_some())
        };
        let due = || open().filter(|kept| kept.is_due(now));
        Ok(QueuedDeliveries {
            due: due().count() as u64,
            waiting: (open().count() - due().count()) as u64,
            oldest: due().filter_map(|kept| kept.stored.due_at).min(),
        })
    }
}
