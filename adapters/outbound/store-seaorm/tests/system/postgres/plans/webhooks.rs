//! Plans of the queries of webhooks, among 100,000 deliveries of which a thousand are due.

use std::time::Duration;

use chrono::TimeDelta;
use domain::audit::AuditContext;
use domain::key::{Environment, HashGeneration};
use domain::seal::SealVerdict;
use domain::webhook::{
    AnswerText, AttemptResult, DeliveryAttempt, EndpointId, EndpointState, EventType, EventTypes,
    NextDelivery, RotatedSecrets, WebhookEvent, WebhookUrl,
};
use ports::contract::fixture::act;
use ports::outbound::{
    DeliveryEnd, EncryptedSecret, EndpointChange, Lease, StoredEndpoint, WebhookStore,
};
use uuid::Uuid;

use super::{pages, small_customer};
use crate::postgres::auto_explain::{ExplainedStore, assert_reads_little, assert_uses};
use crate::postgres::support::now;

const ENDPOINT: &str = "webhook_endpoints_pkey";

fn endpoint() -> StoredEndpoint {
    StoredEndpoint {
        id: EndpointId(Uuid::from_u128(7)),
        customer: small_customer(),
        environment: Environment::Live,
        url: WebhookUrl::from_stored("https://hooks.example/").unwrap(),
        events: EventTypes::new(&[EventType::LookupDelivered]).unwrap(),
        state: EndpointState::Enabled,
        failing_since: None,
        created_at: now(),
        updated_at: now(),
        secrets: RotatedSecrets {
            current: EncryptedSecret {
                generation: HashGeneration(1),
                content: vec![1; 60],
            },
            previous: None,
        },
    }
}

fn audited(number: u16) -> AuditContext {
    act(10_000 + number)
}

pub(super) async fn webhooks(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let (own, id) = (small_customer(), endpoint().id);
    let act = audited(1);
    let added = explained
        .plan(async { store.add_endpoint(&endpoint(), &act).await.unwrap() })
        .await;
    assert_uses(&added, "webhook_endpoints_of_a_customer");
    let list = explained.plan(store.endpoints(own)).await;
    assert_uses(&list, "webhook_endpoints_of_a_customer");
    let found = explained.plan(store.endpoint(own, id)).await;
    assert_uses(&found, ENDPOINT);
    let newest = HashGeneration(2);
    // A pass over all endpoints, once in ten minutes, may read the whole table.
    let older = store.endpoints_to_reencrypt(newest, None, 100);
    drop(explained.plan(older).await);
    let before = endpoint();
    let replaced = explained.plan(store.reencrypt_endpoint(&before, &before.secrets));
    assert_uses(&replaced.await, ENDPOINT);
    let event = WebhookEvent {
        customer: own,
        environment: Environment::Live,
        kind: EventType::LookupDelivered,
        subject: Uuid::from_u128(1),
        state: "delivered",
        reason: None,
        seal: Some(SealVerdict::Valid),
        origin: Some(domain::notice::ProofOrigin::Fetched),
        batch: None,
        at: now(),
    };
    let told = explained.plan(store.add_delivery(id, &event)).await;
    assert_uses(&told, ENDPOINT);
    for page in pages() {
        let list = explained.plan(store.deliveries(own, id, &page)).await;
        assert_uses(&list, "webhook_deliveries_of_an_endpoint");
    }
    let queue = explained.plan(store.delivery_queue(now())).await;
    assert_uses(&queue, "webhook_deliveries_by_due_time");
    queue_of_deliveries(explained, &event).await;
    let disable = EndpointChange::Settings {
        url: None,
        events: None,
        state: Some(EndpointState::Disabled {
            reason: domain::webhook::DisabledReason::Owner,
            at: now(),
        }),
    };
    let act = audited(2);
    let changed = store.change_endpoint(own, id, &disable, &act);
    assert_uses(&explained.plan(changed).await, ENDPOINT);
    let act = audited(3);
    let removed = explained.plan(store.remove_endpoint(own, id, &act)).await;
    assert_uses(&removed, ENDPOINT);
    let older = now() - TimeDelta::days(34);
    let pruned = explained.plan(store.prune_deliveries(older)).await;
    assert_uses(&pruned, "webhook_deliveries_by_end");
}

async fn queue_of_deliveries(explained: &ExplainedStore<'_>, event: &WebhookEvent) {
    let store = &explained.store;
    let (own, id) = (small_customer(), endpoint().id);
    let lease = Lease {
        token: Uuid::from_u128(1),
        until: now() + TimeDelta::seconds(30),
    };
    let claimed = explained
        .plan(store.claim_deliveries(64, now(), lease))
        .await;
    assert_uses(&claimed, "webhook_deliveries_due");
    let delivery = event.delivery(id);
    let end = DeliveryEnd {
        id: delivery,
        endpoint: id,
        token: lease.token,
        attempt: DeliveryAttempt {
            at: now(),
            duration: Duration::from_millis(5),
            result: AttemptResult::Answered(200),
            answer: AnswerText::default(),
        },
        next: NextDelivery::Delivered,
    };
    let ended = explained.plan(store.end_delivery(&end)).await;
    assert_reads_little(&ended);
    let resent = explained.plan(store.resend(own, id, delivery, now())).await;
    assert_reads_little(&resent);
    let discarded = store.discard_delivery(delivery, lease.token, now());
    assert_reads_little(&explained.plan(discarded).await);
}
