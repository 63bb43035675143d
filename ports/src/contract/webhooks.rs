//! Contract of the store of webhooks.

use std::future::Future;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{Action, AuditFilter};
use domain::customer::CustomerId;
use domain::key::{Environment, HashGeneration};
use domain::lookup::LookupState;
use domain::page::PageRequest;
use domain::webhook::{
    AnswerText, AttemptResult, DeliveryAttempt, DeliveryState, DisabledReason, EndpointId,
    EndpointState, EventType, EventTypes, MAX_ENDPOINTS, NextDelivery, RotatedSecrets, SendFailure,
    WebhookEvent, WebhookUrl,
};
use uuid::Uuid;

use super::fixture::{act, customer, instant, lookup_of, page_of, record};
use super::stores::{Stores, StoresUnderTest};
use crate::outbound::{
    AddEndpointError, ClaimEnd, ClaimedClasses, ClaimedDelivery, DeliveryEnd, EncryptedSecret,
    EndpointChange, Lease, LookupChange, Resending, StoredDelivery, StoredEndpoint,
};

/// Runs the whole suite; `make` returns a fresh, empty database each time.
pub async fn webhook_store<F: Future<Output = StoresUnderTest>>(make: impl Fn() -> F) {
    an_endpoint_comes_back_to_its_customer_alone(make().await).await;
    a_customer_has_a_bounded_number_of_endpoints(make().await).await;
    changes_are_kept_and_logged(make().await).await;
    a_rotated_secret_keeps_the_one_before(make().await).await;
    a_removed_endpoint_takes_its_deliveries_along(make().await).await;
    a_lookups_end_is_told_to_those_who_want_it(make().await).await;
    an_end_that_comes_too_late_is_not_told(make().await).await;
    a_delivery_is_claimed_once_until_its_lease_ends(make().await).await;
    a_slow_endpoint_takes_few_places(make().await).await;
    endpoints_take_turns(make().await).await;
    attempts_and_their_ends_are_kept(make().await).await;
    a_receiver_that_is_gone_is_disabled(make().await).await;
    a_receiver_that_fails_for_five_days_is_disabled(make().await).await;
    an_ended_delivery_is_sent_again(make().await).await;
    a_disabled_endpoint_discards_what_is_pending(make().await).await;
    old_deliveries_are_removed(make().await).await;
}

fn endpoint(number: u16) -> StoredEndpoint {
    endpoint_of(customer(1).id, number)
}

fn endpoint_of(customer: CustomerId, number: u16) -> StoredEndpoint {
    let url = format!("https://hooks.example/{number}");
    let events = [EventType::LookupDelivered, EventType::LookupFailed];
    StoredEndpoint {
        id: EndpointId(Uuid::from_u128(number.into())),
        customer,
        environment: Environment::Test,
        url: WebhookUrl::from_stored(&url).expect("an address of the suite"),
        events: EventTypes::new(&events).expect("events of the suite"),
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

fn soon() -> DateTime<Utc> {
    instant(1_000)
}

fn seconds(number: i64) -> DateTime<Utc> {
    soon() + TimeDelta::seconds(number)
}

fn lease(number: u128, until: DateTime<Utc>) -> Lease {
    Lease {
        token: Uuid::from_u128(number),
        until,
    }
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

fn by_owner(at: DateTime<Utc>) -> EndpointState {
    EndpointState::Disabled {
        reason: DisabledReason::Owner,
        at,
    }
}

impl Stores {
    async fn add_webhook(&self, endpoint: &StoredEndpoint, number: u16) {
        let added = self.webhooks.add_endpoint(endpoint, &act(number)).await;
        added.expect("the endpoint is added");
    }

    async fn webhook(&self, endpoint: &StoredEndpoint) -> Option<StoredEndpoint> {
        let found = self.webhooks.endpoint(endpoint.customer, endpoint.id).await;
        found.expect("the store works")
    }

    async fn tell(&self, endpoint: &StoredEndpoint, number: u16) -> StoredDelivery {
        let event = WebhookEvent {
            customer: endpoint.customer,
            ..event(number)
        };
        let added = self.webhooks.add_delivery(endpoint.id, &event).await;
        added.expect("the store works").expect("it is added")
    }

    /// Deliveries to an endpoint, newest first.
    async fn told(&self, endpoint: &StoredEndpoint) -> Vec<StoredDelivery> {
        let page = PageRequest::first(domain::page::PageSize::MAX);
        let (customer, id) = (endpoint.customer, endpoint.id);
        let told = self.webhooks.deliveries(customer, id, &page).await;
        let told = told.expect("the list is read").items.into_iter();
        told.map(|(_, delivery)| delivery).collect()
    }

    async fn claim_told(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Vec<ClaimedDelivery> {
        let claimed = self.webhooks.claim_deliveries(most, now, lease).await;
        claimed.expect("the store works")
    }

    async fn end_told(&self, end: &DeliveryEnd) -> Option<EndpointState> {
        let ended = self.webhooks.end_delivery(end).await;
        ended.expect("the store works")
    }

    async fn change_webhook(
        &self,
        endpoint: &StoredEndpoint,
        change: &EndpointChange,
        number: u16,
    ) -> StoredEndpoint {
        let (customer, id) = (endpoint.customer, endpoint.id);
        let act = act(number);
        let changed = self.webhooks.change_endpoint(customer, id, change, &act);
        let changed = changed.await.expect("the store works");
        changed.expect("the endpoint is there")
    }

    /// Runs a lookup to this end.
    async fn run_to(&self, number: u16, environment: Environment, change: LookupChange) -> bool {
        let mut new = lookup_of(&record(1).key, number);
        new.facts.environment = environment;
        let added = self.lookups.add_lookup(&new).await;
        added.expect("the lookup is added");
        let lease = lease(9, seconds(60));
        let claimed = self
            .lookups
            .claim_lookups(1, ClaimedClasses::All, soon(), lease);
        let claimed = claimed.await.expect("the store works");
        assert_eq!(claimed[0].lookup.facts.id, new.facts.id);
        let end = ClaimEnd {
            id: new.facts.id,
            token: lease.token,
            now: soon(),
            attempt: None,
            change,
        };
        self.lookups.end_claim(&end).await.expect("the store works")
    }
}

fn ids(claimed: &[ClaimedDelivery]) -> Vec<domain::webhook::DeliveryId> {
    claimed.iter().map(|claimed| claimed.delivery.id).collect()
}

async fn an_endpoint_comes_back_to_its_customer_alone(
    StoresUnderTest { here, elsewhere }: StoresUnderTest,
) {
    let other = customer(2).id;
    here.add_webhook(&endpoint(2), 1).await;
    here.add_webhook(&endpoint(1), 2).await;
    here.add_webhook(&endpoint_of(other, 3), 3).await;
    let own = elsewhere.webhooks.endpoints(customer(1).id).await;
    assert_eq!(own.expect("the store works"), [endpoint(1), endpoint(2)]);
    assert_eq!(elsewhere.webhook(&endpoint(1)).await, Some(endpoint(1)));
    assert_eq!(elsewhere.webhook(&endpoint_of(other, 1)).await, None);
    let (id, act) = (endpoint(1).id, act(4));
    let disable = settings(by_owner(act.at));
    let changed = here.webhooks.change_endpoint(other, id, &disable, &act);
    assert_eq!(changed.await.expect("the store works"), None);
    let removed = here.webhooks.remove_endpoint(other, id, &act).await;
    assert!(!removed.expect("the store works"));
    assert_eq!(here.webhook(&endpoint(1)).await, Some(endpoint(1)));
}

async fn a_customer_has_a_bounded_number_of_endpoints(
    StoresUnderTest { here, .. }: StoresUnderTest,
) {
    here.enrolled(1).await;
    for number in 1..=u16::try_from(MAX_ENDPOINTS).expect("a small number") {
        here.add_webhook(&endpoint(number), number).await;
    }
    let refused = here.webhooks.add_endpoint(&endpoint(50), &act(50)).await;
    assert!(matches!(refused, Err(AddEndpointError::TooMany)));
    here.add_webhook(&endpoint_of(customer(2).id, 51), 51).await;
}

async fn changes_are_kept_and_logged(StoresUnderTest { here, elsewhere }: StoresUnderTest) {
    here.add_webhook(&endpoint(1), 1).await;
    let url = WebhookUrl::from_stored("https://other.example/").expect("an address of the suite");
    let events = EventTypes::new(&[EventType::BatchPaused]).expect("events of the suite");
    let change = EndpointChange::Settings {
        url: Some(url.clone()),
        events: Some(events.clone()),
        state: Some(by_owner(act(2).at)),
    };
    let changed = here.change_webhook(&endpoint(1), &change, 2).await;
    let expected = StoredEndpoint {
        url,
        events,
        state: by_owner(act(2).at),
        updated_at: act(2).at,
        ..endpoint(1)
    };
    assert_eq!(changed, expected);
    assert_eq!(elsewhere.webhook(&endpoint(1)).await, Some(expected));
    let enabled = settings(EndpointState::Enabled);
    let enabled = here.change_webhook(&endpoint(1), &enabled, 3).await;
    assert_eq!(enabled.state, EndpointState::Enabled);
    let logged = here.written(&AuditFilter::default()).await;
    let actions: Vec<_> = logged.iter().map(|entry| entry.action).collect();
    let expected = [
        Action::WebhookChanged,
        Action::WebhookChanged,
        Action::WebhookAdded,
    ];
    assert_eq!(actions, expected);
    let fields = logged[1].changes.iter().map(|change| change.field.as_str());
    let fields: Vec<_> = fields.collect();
    assert_eq!(fields, ["webhook", "host", "events", "state"]);
}

async fn a_rotated_secret_keeps_the_one_before(
    StoresUnderTest { here, elsewhere }: StoresUnderTest,
) {
    here.add_webhook(&endpoint(1), 1).await;
    let rotation = EndpointChange::RotateSecret(secret(2));
    here.change_webhook(&endpoint(1), &rotation, 2).await;
    let expected = RotatedSecrets {
        current: secret(2),
        previous: Some((secret(1), act(2).at + TimeDelta::hours(24))),
    };
    let kept = elsewhere.webhook(&endpoint(1)).await;
    assert_eq!(kept.map(|kept| kept.secrets), Some(expected));
}

async fn a_removed_endpoint_takes_its_deliveries_along(
    StoresUnderTest { here, elsewhere }: StoresUnderTest,
) {
    here.add_webhook(&endpoint(1), 1).await;
    here.tell(&endpoint(1), 1).await;
    let claimed = here.claim_told(1, soon(), lease(1, seconds(30))).await;
    let (customer, id) = (endpoint(1).customer, endpoint(1).id);
    let removed = here.webhooks.remove_endpoint(customer, id, &act(2)).await;
    assert!(removed.expect("the store works"));
    assert_eq!(elsewhere.webhook(&endpoint(1)).await, None);
    assert_eq!(elsewhere.told(&endpoint(1)).await, []);
    let late = end(&claimed[0], 1, (soon(), 200), NextDelivery::Delivered);
    assert_eq!(here.end_told(&late).await, None);
    let told = here.webhooks.add_delivery(id, &event(2)).await;
    assert_eq!(told.expect("the store works"), None);
}

async fn a_lookups_end_is_told_to_those_who_want_it(
    StoresUnderTest { here, elsewhere }: StoresUnderTest,
) {
    let live = StoredEndpoint {
        environment: Environment::Live,
        ..endpoint(2)
    };
    let disabled = StoredEndpoint {
        state: by_owner(soon()),
        ..endpoint(3)
    };
    let batches = EventTypes::new(&[EventType::BatchFinished]).expect("events of the suite");
    let batches = StoredEndpoint {
        events: batches,
        ..endpoint(4)
    };
    let others = endpoint_of(customer(2).id, 5);
    let all = [endpoint(1), live, disabled, batches, others];
    for (number, endpoint) in (1..).zip(&all) {
        here.add_webhook(endpoint, number).await;
    }
    let wait = LookupChange::Wait {
        due_at: seconds(3_600),
    };
    assert!(here.run_to(1, Environment::Test, wait).await);
    let expired = LookupChange::End {
        state: LookupState::Expired,
        refund: false,
    };
    assert!(here.run_to(2, Environment::Test, expired).await);
    for endpoint in &all {
        assert_eq!(elsewhere.told(endpoint).await, []);
    }
    let proof = LookupChange::Deliver(b"proof".to_vec());
    assert!(here.run_to(3, Environment::Test, proof).await);
    let id = lookup_of(&record(1).key, 3).facts.id;
    let event = WebhookEvent {
        subject: id.0,
        at: soon(),
        ..event(3)
    };
    let expected = StoredDelivery::of(endpoint(1).id, &event);
    assert_eq!(elsewhere.told(&endpoint(1)).await, [expected]);
    for endpoint in &all[1..] {
        assert_eq!(elsewhere.told(endpoint).await, []);
    }
}

async fn an_end_that_comes_too_late_is_not_told(StoresUnderTest { here, .. }: StoresUnderTest) {
    here.add_webhook(&endpoint(1), 1).await;
    let proof = || LookupChange::Deliver(b"proof".to_vec());
    assert!(here.run_to(1, Environment::Test, proof()).await);
    let late = ClaimEnd {
        id: lookup_of(&record(1).key, 1).facts.id,
        token: Uuid::from_u128(9),
        now: seconds(1),
        attempt: None,
        change: proof(),
    };
    let ended = here.lookups.end_claim(&late).await;
    assert!(!ended.expect("the store works"));
    assert_eq!(here.told(&endpoint(1)).await.len(), 1);
}

async fn a_delivery_is_claimed_once_until_its_lease_ends(
    StoresUnderTest { here, elsewhere }: StoresUnderTest,
) {
    here.add_webhook(&endpoint(1), 1).await;
    let told = here.tell(&endpoint(1), 1).await;
    let before = told.created_at - TimeDelta::milliseconds(1);
    assert_eq!(here.claim_told(9, before, lease(1, soon())).await, []);
    let claimed = here.claim_told(9, soon(), lease(1, seconds(30))).await;
    let expected = ClaimedDelivery {
        delivery: StoredDelivery {
            due_at: Some(seconds(30)),
            ..told.clone()
        },
        endpoint: endpoint(1),
    };
    assert_eq!(claimed, [expected]);
    let later = lease(2, seconds(60));
    assert_eq!(elsewhere.claim_told(9, seconds(29), later).await, []);
    let again = elsewhere.claim_told(9, seconds(30), later).await;
    assert_eq!(ids(&again), [told.id]);
    assert_eq!(again[0].delivery.body, told.body);
    let late = end(&claimed[0], 1, (seconds(31), 200), NextDelivery::Delivered);
    assert_eq!(here.end_told(&late).await, None);
    let ended = end(&again[0], 2, (seconds(31), 200), NextDelivery::Delivered);
    assert_eq!(here.end_told(&ended).await, Some(EndpointState::Enabled));
    assert_eq!(
        here.claim_told(9, seconds(99), lease(3, seconds(120)))
            .await,
        []
    );
}

async fn a_slow_endpoint_takes_few_places(StoresUnderTest { here, .. }: StoresUnderTest) {
    let others = endpoint_of(customer(2).id, 4);
    for (number, endpoint) in (1..).zip([&endpoint(1), &endpoint(2), &endpoint(3), &others]) {
        here.add_webhook(endpoint, number).await;
    }
    for number in 1..=9 {
        for endpoint in [&endpoint(1), &endpoint(2), &endpoint(3)] {
            here.tell(endpoint, number).await;
        }
    }
    here.tell(&others, 1).await;
    let claimed = here.claim_told(100, soon(), lease(1, seconds(30))).await;
    let of = |endpoint: &StoredEndpoint| {
        let own = claimed.iter().filter(|it| it.endpoint.id == endpoint.id);
        own.count()
    };
    let counts = [&endpoint(1), &endpoint(2), &endpoint(3), &others].map(of);
    assert_eq!(counts, [4, 4, 0, 1], "of an endpoint and of a customer");
    assert_eq!(
        here.claim_told(100, soon(), lease(2, seconds(30))).await,
        []
    );
    // After a failure one at a time.
    for claimed in &claimed {
        let (status, next) = if claimed.endpoint.id == endpoint(1).id {
            (500, NextDelivery::Again { at: seconds(300) })
        } else {
            (200, NextDelivery::Delivered)
        };
        here.end_told(&end(claimed, 1, (seconds(1), status), next))
            .await;
    }
    let next = here
        .claim_told(100, seconds(1), lease(3, seconds(30)))
        .await;
    let of_first = next.iter().filter(|it| it.endpoint.id == endpoint(1).id);
    assert_eq!(of_first.count(), 1);
}

async fn endpoints_take_turns(StoresUnderTest { here, .. }: StoresUnderTest) {
    let others = endpoint_of(customer(2).id, 2);
    here.add_webhook(&endpoint(1), 1).await;
    here.add_webhook(&others, 2).await;
    for number in 1..=3 {
        here.tell(&endpoint(1), number).await;
    }
    here.tell(&others, 4).await;
    let mut turns = Vec::new();
    for number in 1..=3 {
        let now = seconds(number);
        let claimed = here.claim_told(1, now, lease(1, seconds(60))).await;
        turns.push(claimed[0].endpoint.id);
    }
    assert_eq!(turns, [endpoint(1).id, others.id, endpoint(1).id]);
}

async fn attempts_and_their_ends_are_kept(StoresUnderTest { here, elsewhere }: StoresUnderTest) {
    here.add_webhook(&endpoint(1), 1).await;
    let told = here.tell(&endpoint(1), 1).await;
    let claimed = here.claim_told(1, soon(), lease(1, seconds(30))).await;
    let unreachable = DeliveryEnd {
        attempt: attempt(seconds(1), AttemptResult::Failed(SendFailure::Unreachable)),
        ..end(
            &claimed[0],
            1,
            (seconds(1), 0),
            NextDelivery::Again { at: seconds(5) },
        )
    };
    assert_eq!(
        here.end_told(&unreachable).await,
        Some(EndpointState::Enabled)
    );
    let waiting = StoredDelivery {
        due_at: Some(seconds(5)),
        attempts: 1,
        step: 1,
        last_attempt: Some(unreachable.attempt.clone()),
        ..told.clone()
    };
    assert_eq!(
        elsewhere.told(&endpoint(1)).await,
        std::slice::from_ref(&waiting)
    );
    let since = elsewhere.webhook(&endpoint(1)).await;
    assert_eq!(since.and_then(|kept| kept.failing_since), Some(seconds(1)));
    let claimed = here.claim_told(1, seconds(5), lease(2, seconds(35))).await;
    let accepted = end(&claimed[0], 2, (seconds(6), 204), NextDelivery::Delivered);
    here.end_told(&accepted).await;
    let delivered = StoredDelivery {
        state: DeliveryState::Delivered,
        due_at: None,
        attempts: 2,
        step: 2,
        last_attempt: Some(accepted.attempt),
        ..waiting
    };
    assert_eq!(elsewhere.told(&endpoint(1)).await, [delivered]);
    let since = elsewhere.webhook(&endpoint(1)).await;
    assert_eq!(since.and_then(|kept| kept.failing_since), None);
}

async fn a_receiver_that_is_gone_is_disabled(StoresUnderTest { here, elsewhere }: StoresUnderTest) {
    here.add_webhook(&endpoint(1), 1).await;
    for number in [1, 2] {
        here.tell(&endpoint(1), number).await;
    }
    let claimed = here.claim_told(1, soon(), lease(1, seconds(30))).await;
    let gone = end(&claimed[0], 1, (seconds(1), 410), NextDelivery::Disable);
    let disabled = EndpointState::Disabled {
        reason: DisabledReason::Gone,
        at: seconds(1),
    };
    assert_eq!(here.end_told(&gone).await, Some(disabled));
    let kept = elsewhere.webhook(&endpoint(1)).await;
    assert_eq!(kept.map(|kept| kept.state), Some(disabled));
    let states: Vec<_> = elsewhere.told(&endpoint(1)).await;
    let states: Vec<_> = states.iter().map(|delivery| delivery.state).collect();
    assert_eq!(states, [DeliveryState::Discarded, DeliveryState::Failed]);
    assert_eq!(
        here.claim_told(9, seconds(99), lease(2, seconds(120)))
            .await,
        []
    );
}

async fn a_receiver_that_fails_for_five_days_is_disabled(
    StoresUnderTest { here, .. }: StoresUnderTest,
) {
    here.add_webhook(&endpoint(1), 1).await;
    let mut state = None;
    for (number, hours) in (1..).zip([0, 100, 119, 120]) {
        here.tell(&endpoint(1), number).await;
        let now = soon() + TimeDelta::hours(hours);
        let until = now + TimeDelta::seconds(30);
        let claimed = here.claim_told(1, now, lease(1, until)).await;
        let failed = end(&claimed[0], 1, (now, 500), NextDelivery::GiveUp);
        state = here.end_told(&failed).await;
        if hours < 120 {
            assert_eq!(state, Some(EndpointState::Enabled), "{hours}");
        }
    }
    let disabled = EndpointState::Disabled {
        reason: DisabledReason::Failing,
        at: soon() + TimeDelta::hours(120),
    };
    assert_eq!(state, Some(disabled));
    let enabled = settings(EndpointState::Enabled);
    let enabled = here.change_webhook(&endpoint(1), &enabled, 2).await;
    assert_eq!(enabled.failing_since, None);
}

async fn an_ended_delivery_is_sent_again(StoresUnderTest { here, elsewhere }: StoresUnderTest) {
    here.add_webhook(&endpoint(1), 1).await;
    let told = here.tell(&endpoint(1), 1).await;
    let resend = async |customer: CustomerId, now| {
        let id = endpoint(1).id;
        let resending = here.webhooks.resend(customer, id, told.id, now).await;
        resending.expect("the store works")
    };
    let own = endpoint(1).customer;
    assert_eq!(resend(own, soon()).await, Resending::AlreadyPending);
    let claimed = here.claim_told(1, soon(), lease(1, seconds(30))).await;
    assert_eq!(resend(own, soon()).await, Resending::AlreadyPending);
    let accepted = end(&claimed[0], 1, (soon(), 200), NextDelivery::Delivered);
    here.end_told(&accepted).await;
    assert_eq!(resend(customer(2).id, soon()).await, Resending::Unknown);
    let pending = StoredDelivery {
        due_at: Some(seconds(60)),
        attempts: 1,
        last_attempt: Some(accepted.attempt),
        ..told.clone()
    };
    let again_pending = resend(own, seconds(60)).await;
    assert_eq!(again_pending, Resending::Pending(Box::new(pending)));
    let again = elsewhere
        .claim_told(1, seconds(60), lease(2, seconds(90)))
        .await;
    assert_eq!(ids(&again), [told.id]);
    let change = settings(by_owner(seconds(61)));
    here.change_webhook(&endpoint(1), &change, 2).await;
    assert_eq!(resend(own, seconds(62)).await, Resending::Disabled);
}

async fn a_disabled_endpoint_discards_what_is_pending(
    StoresUnderTest { here, elsewhere }: StoresUnderTest,
) {
    here.add_webhook(&endpoint(1), 1).await;
    here.tell(&endpoint(1), 1).await;
    here.tell(&endpoint(1), 2).await;
    let claimed = here.claim_told(1, soon(), lease(1, seconds(30))).await;
    let change = settings(by_owner(act(2).at));
    here.change_webhook(&endpoint(1), &change, 2).await;
    let told = elsewhere.told(&endpoint(1)).await;
    let is_discarded = |it: &StoredDelivery| it.state == DeliveryState::Discarded;
    assert!(told.iter().all(is_discarded), "{told:?}");
    let late = end(&claimed[0], 1, (soon(), 200), NextDelivery::Delivered);
    assert_eq!(here.end_told(&late).await, None);
    // One that was added at the same moment, in another transaction.
    here.tell(&endpoint(1), 3).await;
    let claimed = here.claim_told(1, soon(), lease(2, seconds(30))).await;
    assert_eq!(claimed[0].endpoint.state, by_owner(act(2).at));
    let (id, token) = (claimed[0].delivery.id, Uuid::from_u128(2));
    let discarded = here.webhooks.discard_delivery(id, token, soon()).await;
    discarded.expect("the store works");
    assert!(here.told(&endpoint(1)).await.iter().all(is_discarded));
}

async fn old_deliveries_are_removed(StoresUnderTest { here, elsewhere }: StoresUnderTest) {
    here.add_webhook(&endpoint(1), 1).await;
    for number in 1..=3 {
        here.tell(&endpoint(1), number).await;
    }
    let claimed = here.claim_told(2, soon(), lease(1, seconds(30))).await;
    for (place, claimed) in (0..).zip(&claimed) {
        let accepted = end(claimed, 1, (seconds(place), 200), NextDelivery::Delivered);
        here.end_told(&accepted).await;
    }
    let queue = elsewhere.webhooks.delivery_queue(soon()).await;
    let queue = queue.expect("the store works");
    assert_eq!((queue.due, queue.waiting), (1, 0));
    assert_eq!(queue.oldest, Some(event(3).at));
    let removed = elsewhere.webhooks.prune_deliveries(seconds(1)).await;
    assert_eq!(removed.expect("the store works"), 1);
    let (first, customer) = (page_of(1), endpoint(1).customer);
    let page = here.webhooks.deliveries(customer, endpoint(1).id, &first);
    let page = page.await.expect("the list is read");
    assert!(page.has_next);
    assert_eq!(here.told(&endpoint(1)).await.len(), 2);
}
