//! Contract of the store of webhooks.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{Action, AuditFilter};
use domain::keys::{Environment, HashGeneration};
use domain::lookups::LookupState;
use domain::page::PageRequest;
use domain::people::customer::CustomerId;
use domain::seals::SealVerdict;
use domain::webhooks::{
    AnswerText, AttemptResult, DeliveryAttempt, DeliveryState, DisabledReason, EndpointId,
    EndpointState, EventType, EventTypes, MAX_ENDPOINTS, NextDelivery, RotatedSecrets, SendFailure,
    WebhookEvent, WebhookUrl,
};
use uuid::Uuid;

use super::fixture::{act, customer, instant, lookup_of, page_of, record};
use super::lookups::{deliver, ended, lease_until as lease, soon, untried, wait};
use super::ok;
use super::stores::{Pair, Stores};
use crate::outbound::*;

mod claims;
mod endpoints;
mod ends;
mod outbox;

cases! {
    $ webhooks(Pair)
    endpoints::an_endpoint_comes_back_to_its_customer_alone,
    endpoints::a_customer_has_a_bounded_number_of_endpoints,
    endpoints::changes_are_kept_and_logged,
    endpoints::a_rotated_secret_keeps_the_one_before,
    endpoints::secrets_of_older_generations_are_found_and_replaced,
    endpoints::all_endpoints_are_disabled_for_a_reason,
    endpoints::a_removed_endpoint_takes_its_deliveries_along,
    outbox::a_lookups_end_is_told_to_those_who_want_it,
    claims::a_delivery_is_claimed_once_until_its_lease_ends,
    claims::a_slow_endpoint_takes_few_places,
    claims::endpoints_take_turns,
    ends::attempts_and_their_ends_are_kept,
    ends::a_receiver_that_is_gone_is_disabled,
    ends::a_receiver_that_fails_for_five_days_is_disabled,
    ends::an_ended_delivery_is_sent_again,
    ends::a_disabled_endpoint_discards_what_is_pending,
    ends::old_deliveries_are_removed,
}

/// The `number`th endpoint of the first customer.
pub(super) fn endpoint(number: u16) -> StoredEndpoint {
    endpoint_of(customer(1).id, number)
}

pub(super) fn endpoint_of(customer: CustomerId, number: u16) -> StoredEndpoint {
    let url = format!("https://hooks.example/{number}");
    let events = [EventType::LookupDelivered, EventType::LookupFailed];
    StoredEndpoint {
        id: EndpointId(Uuid::from_u128(number.into())),
        customer,
        environment: Environment::Test,
        url: WebhookUrl::from_stored(&url).expect("an address of the suite"),
        events: event_types(&events),
        state: EndpointState::Enabled,
        failing_since: None,
        created_at: instant(number),
        updated_at: instant(number),
        secrets: RotatedSecrets {
            current: secret(1),
            previous: None,
        },
    }
}

fn secret(number: u8) -> EncryptedSecret {
    EncryptedSecret {
        generation: HashGeneration(number.into()),
        content: vec![number; 60],
    }
}

fn seconds(number: i64) -> DateTime<Utc> {
    soon() + TimeDelta::seconds(number)
}

/// The `number`th event of the first customer.
fn event(number: u16) -> WebhookEvent {
    WebhookEvent {
        customer: customer(1).id,
        environment: Environment::Test,
        kind: EventType::LookupDelivered,
        subject: Uuid::from_u128(number.into()),
        state: LookupState::Delivered.name(),
        reason: None,
        seal: Some(SealVerdict::Valid),
        origin: Some(domain::proofs::notice::ProofOrigin::Fetched),
        batch: None,
        at: instant(number),
    }
}

fn attempt(at: DateTime<Utc>, result: AttemptResult) -> DeliveryAttempt {
    DeliveryAttempt {
        at,
        duration: Duration::from_millis(1_234),
        result,
        answer: AnswerText::of("señal".as_bytes()),
    }
}

fn end(
    claimed: &ClaimedDelivery,
    token: u128,
    (at, status): (DateTime<Utc>, u16),
    next: NextDelivery,
) -> DeliveryEnd {
    DeliveryEnd {
        id: claimed.delivery.id,
        endpoint: claimed.endpoint.id,
        token: Uuid::from_u128(token),
        attempt: attempt(at, AttemptResult::Answered(status)),
        next,
    }
}

fn settings(state: EndpointState) -> EndpointChange {
    EndpointChange::Settings {
        url: None,
        events: None,
        state: Some(state),
    }
}

pub(super) fn event_types(events: &[EventType]) -> EventTypes {
    EventTypes::new(events).expect("events of the suite")
}

pub(super) fn by_owner(at: DateTime<Utc>) -> EndpointState {
    EndpointState::Disabled {
        reason: DisabledReason::Owner,
        at,
    }
}

/// The end of a delivery that the receiver accepted.
fn accepted(claimed: &ClaimedDelivery, token: u128, at: DateTime<Utc>) -> DeliveryEnd {
    end(claimed, token, (at, 200), NextDelivery::Delivered)
}

impl Stores {
    /// Adds the first endpoint, and tells it of so many events.
    async fn with_told(&self, events: u16) -> Vec<StoredDelivery> {
        self.add_webhook(&endpoint(1), 1).await;
        let mut told = Vec::new();
        for number in 1..=events {
            told.push(self.tell(&endpoint(1), number).await);
        }
        told
    }

    /// Claims deliveries [`soon`] under the first lease.
    async fn claim_soon(&self, most: u32) -> Vec<ClaimedDelivery> {
        self.claim_told(most, soon(), lease(1, seconds(30))).await
    }

    pub(super) async fn add_webhook(&self, endpoint: &StoredEndpoint, number: u16) {
        ok(self.webhooks.add_endpoint(endpoint, &act(number))).await;
    }

    async fn webhook(&self, endpoint: &StoredEndpoint) -> Option<StoredEndpoint> {
        ok(self.webhooks.endpoint(endpoint.customer, endpoint.id)).await
    }

    async fn tell(&self, endpoint: &StoredEndpoint, number: u16) -> StoredDelivery {
        let event = WebhookEvent {
            customer: endpoint.customer,
            ..event(number)
        };
        let added = ok(self.webhooks.add_delivery(endpoint.id, &event)).await;
        added.expect("it is added")
    }

    /// Deliveries to an endpoint, newest first.
    pub(super) async fn told(&self, endpoint: &StoredEndpoint) -> Vec<StoredDelivery> {
        let page = PageRequest::first(domain::page::PageSize::MAX);
        let (customer, id) = (endpoint.customer, endpoint.id);
        let told = self.webhooks.deliveries(customer, id, &page).await;
        let told = told.expect("the list is read").items.into_iter();
        told.map(|(_, delivery)| delivery).collect()
    }

    async fn claim_told(&self, most: u32, at: DateTime<Utc>, lease: Lease) -> Vec<ClaimedDelivery> {
        ok(self.webhooks.claim_deliveries(most, at, lease)).await
    }

    async fn end_told(&self, end: &DeliveryEnd) -> Option<EndpointState> {
        ok(self.webhooks.end_delivery(end)).await
    }

    async fn change_webhook(
        &self,
        endpoint: &StoredEndpoint,
        change: &EndpointChange,
        number: u16,
    ) -> StoredEndpoint {
        let (customer, id) = (endpoint.customer, endpoint.id);
        let act = act(number);
        let changed = ok(self.webhooks.change_endpoint(customer, id, change, &act)).await;
        changed.expect("the endpoint is there")
    }

    async fn kept_webhook(&self, endpoint: &StoredEndpoint) -> StoredEndpoint {
        let kept = self.webhook(endpoint).await;
        kept.expect("the endpoint is there")
    }

    /// Runs the `number`th lookup to this end.
    async fn run_to(&self, number: u16, change: LookupChange) -> bool {
        let mut new = lookup_of(&record(1).key, number);
        new.facts.environment = Environment::Test;
        ok(self.lookups.add_lookup(&new)).await;
        let claimed = self.claim(1, lease(9, seconds(60))).await;
        assert_eq!(claimed[0].lookup.facts.id, new.facts.id);
        let end = untried(new.facts.id, 9, soon(), change);
        self.end_claim(&end).await
    }
}

fn ids(claimed: &[ClaimedDelivery]) -> Vec<domain::webhooks::DeliveryId> {
    claimed.iter().map(|claimed| claimed.delivery.id).collect()
}
