//! Webhooks' endpoints and deliveries.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{
    Action, AuditContext, FieldChange, webhook_addition, webhook_difference, webhook_removal,
};
use domain::keys::HashGeneration;
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerId;
use domain::webhooks::{
    DeliveryId, DeliveryState, DisabledReason, EndpointId, EndpointState, MAX_ENDPOINTS,
    RotatedSecrets, WebhookEvent,
};
use ports::outbound::{
    AddEndpointError, ClaimedDelivery, DeliveryEnd, EncryptedSecret, EndpointChange, Lease,
    ListError, QueuedDeliveries, Resending, StoredDelivery, StoredEndpoint, WebhookStore,
};
use uuid::Uuid;

use super::pages::{newest_first, uncounted};
use super::{MemoryStore, Result, Tables, broken, prune, queue};

mod outbox;

use outbox::KeptEndpoint;
pub(super) use outbox::Outbox;

#[async_trait]
impl WebhookStore for MemoryStore {
    async fn add_endpoint(
        &self,
        endpoint: &StoredEndpoint,
        act: &AuditContext,
    ) -> Result<(), AddEndpointError> {
        let mut tables = self.call("add_endpoint").await?;
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

    async fn endpoints(&self, customer: CustomerId) -> Result<Vec<StoredEndpoint>> {
        let tables = self.call("endpoints").await?;
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
    ) -> Result<Option<StoredEndpoint>> {
        let outbox = &mut self.call("endpoint").await?.outbox;
        Ok(outbox.own(customer, id).cloned())
    }

    async fn change_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        change: &EndpointChange,
        act: &AuditContext,
    ) -> Result<Option<StoredEndpoint>> {
        let mut tables = self.call("change_endpoint").await?;
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

    async fn disable_all_endpoints(
        &self,
        reason: DisabledReason,
        at: DateTime<Utc>,
    ) -> Result<u64> {
        let outbox = &mut self.call("disable_all_endpoints").await?.outbox;
        let endpoints = outbox.endpoints.values_mut();
        let enabled = endpoints.filter(|kept| kept.stored.state.is_enabled());
        let disabled: Vec<_> = enabled.map(|kept| &mut kept.stored).collect();
        let ids: Vec<_> = disabled.iter().map(|endpoint| endpoint.id).collect();
        for endpoint in disabled {
            endpoint.state = EndpointState::Disabled { reason, at };
        }
        for id in &ids {
            outbox.discard_pending(*id, at);
        }
        Ok(ids.len() as u64)
    }

    async fn endpoints_to_reencrypt(
        &self,
        newest: HashGeneration,
        after: Option<EndpointId>,
        most: u32,
    ) -> Result<Vec<StoredEndpoint>> {
        let tables = self.call("endpoints_to_reencrypt").await?;
        let stored = tables.outbox.endpoints.values().map(|kept| &kept.stored);
        let is_older = |endpoint: &&StoredEndpoint| {
            let RotatedSecrets { current, previous } = &endpoint.secrets;
            let previous = previous.as_ref().map(|(secret, _)| secret.generation);
            current.generation != newest || previous.is_some_and(|previous| previous != newest)
        };
        let found = stored.filter(|endpoint| after.is_none_or(|after| endpoint.id > after));
        let older = found.filter(is_older).take(most as usize);
        Ok(older.cloned().collect())
    }

    async fn reencrypt_endpoint(
        &self,
        before: &StoredEndpoint,
        secrets: &RotatedSecrets<EncryptedSecret>,
    ) -> Result<bool> {
        let mut tables = self.call("reencrypt_endpoint").await?;
        let kept = tables.outbox.own(before.customer, before.id);
        let same = kept.filter(|kept| kept.secrets == before.secrets);
        Ok(same.map(|kept| kept.secrets = secrets.clone()).is_some())
    }

    async fn remove_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        act: &AuditContext,
    ) -> Result<bool> {
        let mut tables = self.call("remove_endpoint").await?;
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
    ) -> Result<Option<StoredDelivery>> {
        let outbox = &mut self.call("add_delivery").await?.outbox;
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
        let tables = self.call("deliveries").await?;
        let own = tables.outbox.deliveries.values().map(|kept| &kept.stored);
        let own = own.filter(|it| it.customer == customer && it.endpoint == endpoint);
        let found = newest_first(own, request, |it| (it.created_at, it.id.0))?;
        Ok(uncounted(found.map(StoredDelivery::clone)))
    }

    async fn resend(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        id: DeliveryId,
        now: DateTime<Utc>,
    ) -> Result<Resending> {
        let outbox = &mut self.call("resend").await?.outbox;
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
    ) -> Result<Vec<ClaimedDelivery>> {
        let outbox = &mut self.call("claim_deliveries").await?.outbox;
        Ok(outbox.claim(most, now, lease))
    }

    async fn end_delivery(&self, end: &DeliveryEnd) -> Result<Option<EndpointState>> {
        Ok(self.call("end_delivery").await?.outbox.end(end))
    }

    async fn discard_delivery(
        &self,
        id: DeliveryId,
        token: Uuid,
        now: DateTime<Utc>,
    ) -> Result<()> {
        self.called("discard_delivery").await?;
        if let Some(kept) = self.tables().outbox.held(id, token) {
            kept.end(DeliveryState::Discarded, now);
        }
        Ok(())
    }

    async fn prune_deliveries(&self, before: DateTime<Utc>) -> Result<u64> {
        let deliveries = &mut self.call("prune_deliveries").await?.outbox.deliveries;
        let is_kept = |ended_at: DateTime<Utc>| ended_at >= before;
        Ok(prune(deliveries, |kept| kept.ended_at.is_none_or(is_kept)))
    }

    async fn delivery_queue(&self, now: DateTime<Utc>) -> Result<QueuedDeliveries> {
        let tables = self.call("delivery_queue").await?;
        let all = tables.outbox.deliveries.values();
        let (due, waiting, oldest) = queue(all.map(|kept| kept.stored.due_at), now);
        Ok(QueuedDeliveries {
            due,
            waiting,
            oldest,
        })
    }
}

impl Tables {
    pub(super) fn log(
        &mut self,
        act: &AuditContext,
        action: Action,
        (customer, changes): (CustomerId, Vec<FieldChange>),
    ) {
        self.append_entry(act, action, customer, None, changes);
    }
}
