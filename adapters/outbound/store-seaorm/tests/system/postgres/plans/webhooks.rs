//! Plans of the queries of webhooks, among 100,000 deliveries of which a thousand are due.

use std::time::Duration;

use chrono::TimeDelta;
use domain::keys::{Environment, HashGeneration};
use domain::proofs::notice::ProofOrigin;
use domain::seals::SealVerdict;
use domain::webhooks::{
    AnswerText, AttemptResult, DeliveryAttempt, DisabledReason, EndpointId, EndpointState,
    EventType, EventTypes, NextDelivery, RotatedSecrets, WebhookEvent, WebhookUrl,
};
use ports::contract::fixture::act;
use ports::outbound::{DeliveryEnd, EncryptedSecret, EndpointChange, StoredEndpoint, WebhookStore};
use uuid::Uuid;

use super::{pages, small_customer};
use crate::both::entries::{lease, now};
use crate::postgres::auto_explain::ExplainedStore;

const ENDPOINT: &[&str] = &["webhook_endpoints_pkey"];

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

pub(super) async fn webhooks(explained: &ExplainedStore<'_>) {
    let (store, own, new) = (&explained.store, small_customer(), endpoint());
    let (id, acts) = (new.id, [10_001, 10_002, 10_003].map(act));
    let of_customer = &["webhook_endpoints_of_a_customer"];
    let added = store.add_endpoint(&new, &acts[0]);
    explained.through(of_customer, added).await;
    explained.through(of_customer, store.endpoints(own)).await;
    explained.through(ENDPOINT, store.endpoint(own, id)).await;
    // A pass over all endpoints, once in ten minutes, may read the whole table.
    let older = store.endpoints_to_reencrypt(HashGeneration(2), None, 100);
    older.await.unwrap();
    let replaced = store.reencrypt_endpoint(&new, &new.secrets);
    explained.through(ENDPOINT, replaced).await;
    let event = WebhookEvent {
        customer: own,
        environment: Environment::Live,
        kind: EventType::LookupDelivered,
        subject: Uuid::from_u128(1),
        state: "delivered",
        reason: None,
        seal: Some(SealVerdict::Valid),
        origin: Some(ProofOrigin::Fetched),
        batch: None,
        at: now(),
    };
    let told = store.add_delivery(id, &event);
    explained.through(ENDPOINT, told).await;
    let of_endpoint = &["webhook_deliveries_of_an_endpoint"];
    for page in pages() {
        let list = store.deliveries(own, id, &page);
        explained.through(of_endpoint, list).await;
    }
    queue_of_deliveries(explained, &event).await;
    let disable = EndpointChange::Settings {
        url: None,
        events: None,
        state: Some(EndpointState::Disabled {
            reason: DisabledReason::Owner,
            at: now(),
        }),
    };
    let changed = store.change_endpoint(own, id, &disable, &acts[1]);
    explained.through(ENDPOINT, changed).await;
    let removed = store.remove_endpoint(own, id, &acts[2]);
    explained.through(ENDPOINT, removed).await;
    let pruned = store.prune_deliveries(now() - TimeDelta::days(34));
    let by_end = &["webhook_deliveries_by_end"];
    explained.through(by_end, pruned).await;
}

async fn queue_of_deliveries(explained: &ExplainedStore<'_>, event: &WebhookEvent) {
    let (store, own, id) = (&explained.store, small_customer(), endpoint().id);
    let queue = store.delivery_queue(now());
    let by_due_time = &["webhook_deliveries_by_due_time"];
    explained.through(by_due_time, queue).await;
    let claimed = store.claim_deliveries(64, now(), lease(1));
    explained
        .through(&["webhook_deliveries_due"], claimed)
        .await;
    let (delivery, token) = (event.delivery(id), lease(1).token);
    let end = DeliveryEnd {
        id: delivery,
        endpoint: id,
        token,
        attempt: DeliveryAttempt {
            at: now(),
            duration: Duration::from_millis(5),
            result: AttemptResult::Answered(200),
            answer: AnswerText::default(),
        },
        next: NextDelivery::Delivered,
    };
    explained.cheaply(store.end_delivery(&end)).await;
    let resent = store.resend(own, id, delivery, now());
    explained.cheaply(resent).await;
    let discarded = store.discard_delivery(delivery, token, now());
    explained.cheaply(discarded).await;
    // After a restore all endpoints are changed, which may read the whole table.
    let disabled = store.disable_all_endpoints(DisabledReason::Restored, now());
    disabled.await.unwrap();
}
