//! Deliveries that a receiver verifies with the library of Standard Webhooks.

use std::sync::Arc;
use std::time::Duration;

use application::{
    DeliveryWorker, DeliveryWorkerParts, WebhookEncryption, WebhookService, WebhookSources,
    WorkSignal,
};
use chrono::{DateTime, Utc};
use cipher_aes::AesCipher;
use domain::customer::{Owner, Role};
use domain::key::{Environment, HashGeneration};
use domain::page::{PageRequest, PageSize};
use domain::request::RequestId;
use domain::seal::SealVerdict;
use domain::webhook::{DeliveryState, EventType, Reach, WebhookSecrets};
use ports::inbound::{Caller, CreatedWebhook, DeliveryView, NewWebhook, Webhooks};
use ports::outbound::{Clock, CustomerStore, Lease, WebhookStore};
use standardwebhooks::Webhook;
use testkit::fakes::{CountingRandom, ManualClock, MemoryStore};
use testkit::timer::RuntimeTimer;
use tokio::sync::Notify;
use uuid::Uuid;
use webhook_http::HttpSender;

use crate::install_tls;
use crate::receiver::{Arrived, Receiver, Scripted};

struct Fixture {
    store: MemoryStore,
    clock: Arc<ManualClock>,
    service: WebhookService,
    worker: Arc<DeliveryWorker>,
    receiver: Receiver,
    created: CreatedWebhook,
    ended: Arc<Notify>,
}

fn caller() -> Caller {
    Caller {
        owner: Owner {
            issuer: "https://issuer.example".to_owned(),
            subject: "somebody".to_owned(),
        },
        role: Role::Member,
        request_id: RequestId::from_uuid(Uuid::from_u128(1)),
    }
}

impl Fixture {
    async fn new() -> Self {
        install_tls();
        let store = MemoryStore::default();
        // The library compares times with those of the machine.
        let clock = Arc::new(ManualClock::at(now_of_the_machine()));
        let random = Arc::new(CountingRandom::default());
        let secrets = WebhookSecrets::new(vec![(HashGeneration(1), vec![7; 32])]).unwrap();
        let encryption = Arc::new(WebhookEncryption::new(Arc::new(AesCipher), secrets));
        let signal = Arc::new(WorkSignal::default());
        let service = WebhookService::new(WebhookSources {
            store: Arc::new(store.clone()),
            customers: Arc::new(store.clone()),
            encryption: Arc::clone(&encryption),
            signal: Arc::clone(&signal),
            clock: clock.clone(),
            random: random.clone(),
            reach: Reach::PublicAndLoopback,
        });
        let ended = Arc::new(Notify::new());
        let told = Arc::clone(&ended);
        let worker = DeliveryWorker::new(DeliveryWorkerParts {
            store: Arc::new(store.clone()),
            encryption,
            sender: Arc::new(HttpSender::new(Reach::PublicAndLoopback).unwrap()),
            signal,
            clock: clock.clone(),
            timer: Arc::new(RuntimeTimer),
            random,
            spawn: Box::new(move |task| {
                let told = Arc::clone(&told);
                tokio::spawn(async move {
                    task.await;
                    told.notify_one();
                });
            }),
            places: 8,
        });
        let receiver = Receiver::default();
        let address = receiver.start().await;
        let new = NewWebhook {
            url: format!("http://{address}/hooks"),
            events: vec![EventType::LookupDelivered],
            environment: Environment::Test,
        };
        let created = service.create(&caller(), new).await.unwrap();
        Self {
            store,
            clock,
            service,
            worker: Arc::new(worker),
            receiver,
            created,
            ended,
        }
    }

    /// Sends what is due, and waits for its end; returns the number of attempts.
    async fn send_due(&self) -> usize {
        let started = self.worker.round().await.unwrap();
        for _ in 0..started {
            self.ended.notified().await;
        }
        started
    }

    async fn test(&self) -> DeliveryView {
        let id = self.created.webhook.id;
        self.service.test(&caller(), id).await.unwrap()
    }

    async fn deliveries(&self) -> Vec<DeliveryView> {
        let page = PageRequest::first(PageSize::MAX);
        let id = self.created.webhook.id;
        let page = self.service.deliveries(&caller(), id, &page).await.unwrap();
        page.items.into_iter().map(|(_, item)| item).collect()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the library of receivers reads the machine's clock"
)]
fn now_of_the_machine() -> DateTime<Utc> {
    Utc::now()
}

fn verifies(secret: &str, message: &Arrived) -> bool {
    let webhook = Webhook::new(secret).unwrap();
    webhook.verify(&message.body, &message.headers).is_ok()
}

#[tokio::test]
async fn a_receiver_verifies_a_message() {
    let fixture = Fixture::new().await;
    let sent = fixture.test().await;
    assert_eq!(fixture.send_due().await, 1);
    let arrived = fixture.receiver.arrived();
    assert_eq!(arrived.len(), 1);
    assert_eq!(arrived[0].header("webhook-id"), sent.id.to_string());
    assert_eq!(arrived[0].header("content-type"), "application/json");
    assert!(verifies(&fixture.created.secret.text(), &arrived[0]));
    let mut forged = arrived[0].clone();
    forged.body = "{}".into();
    assert!(!verifies(&fixture.created.secret.text(), &forged));
    let kept = &fixture.deliveries().await[0];
    assert_eq!(kept.state, DeliveryState::Delivered);
    assert_eq!(kept.attempts, 1);
}

#[tokio::test]
async fn both_secrets_verify_for_a_day_after_a_rotation() {
    let fixture = Fixture::new().await;
    let id = fixture.created.webhook.id;
    let rotated = fixture.service.rotate_secret(&caller(), id).await.unwrap();
    assert!(rotated.webhook.previous_secret_until.is_some());
    fixture.test().await;
    fixture.send_due().await;
    let arrived = fixture.receiver.arrived();
    assert!(verifies(&fixture.created.secret.text(), &arrived[0]));
    assert!(verifies(&rotated.secret.text(), &arrived[0]));
    fixture.clock.advance(Duration::from_hours(24));
    fixture.test().await;
    fixture.send_due().await;
    let signatures = fixture.receiver.arrived()[1]
        .header("webhook-signature")
        .to_owned();
    assert_eq!(signatures.split(' ').count(), 1);
}

#[tokio::test]
async fn a_message_is_sent_again_with_its_id_until_it_is_accepted() {
    let fixture = Fixture::new().await;
    let busy = Scripted::with(503, "retry-after", "60");
    fixture.receiver.answers([Scripted::of(500), busy]);
    let customer = fixture.store.customer(&caller().owner).await.unwrap();
    let customer = customer.unwrap().id;
    let event = domain::webhook::WebhookEvent {
        customer,
        environment: Environment::Test,
        kind: EventType::LookupDelivered,
        subject: Uuid::from_u128(9),
        state: "delivered",
        reason: None,
        seal: Some(SealVerdict::Valid),
        origin: Some(domain::notice::ProofOrigin::Fetched),
        batch: None,
        at: fixture.clock.now(),
    };
    let id = fixture.created.webhook.id;
    fixture.store.add_delivery(id, &event).await.unwrap();
    assert_eq!(fixture.send_due().await, 1);
    assert_eq!(fixture.send_due().await, 0);
    fixture.clock.advance(Duration::from_secs(6));
    assert_eq!(fixture.send_due().await, 1);
    let waits = fixture.deliveries().await[0].next_attempt_at.unwrap() - fixture.clock.now();
    assert!(
        waits >= chrono::TimeDelta::seconds(240),
        "the schedule's wait is longer than asked: {waits}"
    );
    fixture.clock.advance(Duration::from_mins(6));
    assert_eq!(fixture.send_due().await, 1);
    let arrived = fixture.receiver.arrived();
    let ids: Vec<_> = arrived
        .iter()
        .map(|it| it.header("webhook-id").to_owned())
        .collect();
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert!(arrived.iter().all(|it| it.body == arrived[0].body));
    let kept = &fixture.deliveries().await[0];
    assert_eq!((kept.state, kept.attempts), (DeliveryState::Delivered, 3));
}

#[tokio::test]
async fn a_process_that_dies_leaves_its_message_to_another_one() {
    let fixture = Fixture::new().await;
    let sent = fixture.test().await;
    let now = fixture.clock.now();
    let dead = Lease {
        token: Uuid::from_u128(99),
        until: now + chrono::TimeDelta::seconds(30),
    };
    let claimed = fixture.store.claim_deliveries(1, now, dead).await.unwrap();
    assert_eq!(claimed[0].delivery.id, sent.id);
    assert_eq!(fixture.send_due().await, 0);
    fixture.clock.advance(Duration::from_secs(30));
    assert_eq!(fixture.send_due().await, 1);
    let arrived = fixture.receiver.arrived();
    assert_eq!(arrived[0].header("webhook-id"), sent.id.to_string());
}

#[tokio::test]
async fn a_receiver_that_is_gone_gets_nothing_more() {
    let fixture = Fixture::new().await;
    fixture.receiver.answers([Scripted::of(410)]);
    fixture.test().await;
    fixture.send_due().await;
    let id = fixture.created.webhook.id;
    let kept = fixture.service.find(&caller(), id).await.unwrap();
    assert!(!kept.state.is_enabled());
    assert!(fixture.service.test(&caller(), id).await.is_err());
}
