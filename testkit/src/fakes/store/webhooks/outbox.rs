//! Endpoints and deliveries, and whose turn it is.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::people::customer::CustomerId;
use domain::webhooks::{
    DeliveryId, DeliveryState, DisabledReason, EndpointId, EndpointState, GIVE_UP_AFTER,
    NextDelivery, WebhookEvent, free_places,
};
use ports::outbound::{ClaimedDelivery, DeliveryEnd, Lease, StoredDelivery, StoredEndpoint};
use uuid::Uuid;

/// Endpoints and deliveries.
#[derive(Debug, Default)]
pub(in crate::fakes::store) struct Outbox {
    pub(super) endpoints: BTreeMap<EndpointId, KeptEndpoint>,
    pub(super) deliveries: BTreeMap<DeliveryId, KeptDelivery>,
}

#[derive(Debug)]
pub(super) struct KeptEndpoint {
    pub(super) stored: StoredEndpoint,
    pub(super) served_at: Option<DateTime<Utc>>,
}

#[derive(Debug)]
pub(super) struct KeptDelivery {
    pub(super) stored: StoredDelivery,
    pub(super) lease: Option<Uuid>,
    pub(super) ended_at: Option<DateTime<Utc>>,
}

impl KeptDelivery {
    pub(super) fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.stored.due_at.is_some_and(|due_at| due_at <= now)
    }

    pub(super) fn is_under_way(&self, now: DateTime<Utc>) -> bool {
        self.lease.is_some() && self.stored.due_at.is_some() && !self.is_due(now)
    }

    pub(super) fn end(&mut self, state: DeliveryState, now: DateTime<Utc>) {
        self.stored.state = state;
        self.stored.due_at = None;
        self.lease = None;
        self.ended_at = Some(now);
    }
}

impl Outbox {
    /// Adds a delivery to each endpoint that is told of an event, if there is one.
    pub(in crate::fakes::store) fn enqueue(&mut self, event: Option<&WebhookEvent>) {
        let Some(event) = event else { return };
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

    pub(super) fn insert(&mut self, stored: StoredDelivery) {
        let kept = KeptDelivery {
            lease: None,
            ended_at: None,
            stored,
        };
        self.deliveries.entry(kept.stored.id).or_insert(kept);
    }

    pub(super) fn own(
        &mut self,
        customer: CustomerId,
        id: EndpointId,
    ) -> Option<&mut StoredEndpoint> {
        let kept = self.endpoints.get_mut(&id)?;
        (kept.stored.customer == customer).then_some(&mut kept.stored)
    }

    pub(super) fn discard_pending(&mut self, id: EndpointId, now: DateTime<Utc>) {
        for kept in self.deliveries.values_mut() {
            if kept.stored.endpoint == id && kept.stored.due_at.is_some() {
                kept.end(DeliveryState::Discarded, now);
            }
        }
    }

    pub(super) fn held(&mut self, id: DeliveryId, token: Uuid) -> Option<&mut KeptDelivery> {
        let kept = self.deliveries.get_mut(&id)?;
        (kept.lease == Some(token)).then_some(kept)
    }

    pub(super) fn free(&self, endpoint: &StoredEndpoint, now: DateTime<Utc>) -> usize {
        let all = self
            .deliveries
            .values()
            .filter(|kept| kept.is_under_way(now));
        let of_endpoint = all
            .clone()
            .filter(|kept| kept.stored.endpoint == endpoint.id);
        let of_customer = all.filter(|kept| kept.stored.customer == endpoint.customer);
        free_places(endpoint.health(), of_endpoint.count(), of_customer.count())
    }

    pub(super) fn claim(
        &mut self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Vec<ClaimedDelivery> {
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

    pub(super) fn end(&mut self, end: &DeliveryEnd) -> Option<EndpointState> {
        let at = end.attempt.at;
        let kept = self.held(end.id, end.token)?;
        kept.stored.attempts += 1;
        let result = end.attempt.result;
        kept.stored.step += u32::from(result.counts());
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
        if result.is_success() {
            endpoint.failing_since = None;
        } else if result.counts() {
            endpoint.failing_since.get_or_insert(at);
        }
        let fails_too_long = endpoint
            .failing_since
            .is_some_and(|since| since <= at - GIVE_UP_AFTER);
        let reason = match end.next {
            NextDelivery::Disable => Some(DisabledReason::Gone),
            _ => fails_too_long.then_some(DisabledReason::Failing),
        };
        if let Some(reason) = reason.filter(|_| endpoint.state.is_enabled()) {
            endpoint.state = EndpointState::Disabled { reason, at };
            self.discard_pending(end.endpoint, at);
        }
        Some(self.endpoints.get(&end.endpoint)?.stored.state)
    }
}
