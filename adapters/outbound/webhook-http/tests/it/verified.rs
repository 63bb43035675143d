//! Deliveries that a receiver verifies with the library of Standard Webhooks.

use std::sync::Arc;
use std::time::Duration;

use application::{
    Caller, CreatedWebhook, DeliveryView, DeliveryWorker, DeliveryWorkerParts, NewWebhook,
    WebhookService,
};
use chrono::{DateTime, Utc};
use domain::keys::Environment;
use domain::page::{PageRequest, PageSize};
use domain::people::customer::Role;
use domain::request::RequestId;
use domain::webhooks::{DeliveryState, EventType, Reach};
use standardwebhooks::Webhook;
use testkit::fakes::ManualClock;
use testkit::people::{PeopleServices, owner};
use testkit::timer::RuntimeTimer;
use testkit::webhooks::{encryption, service_reaching};
use tokio::sync::Notify;
use uuid::Uuid;
use webhook_http::HttpSender;

use crate::install_tls;
use crate::receiver::{Arrived, Receiver};

struct Fixture {
    clock: Arc<ManualClock>,
    service: WebhookService,
    worker: Arc<DeliveryWorker>,
    receiver: Receiver,
    created: CreatedWebhook,
    ended: Arc<Notify>,
}

fn caller() -> Caller {
    Caller {
        owner: owner("somebody"),
        role: Role::Member,
        request_id: RequestId::from_uuid(Uuid::from_u128(1)),
    }
}

impl Fixture {
    async fn new() -> Self {
        install_tls();
        // The library compares times with those of the machine.
        let services = PeopleServices::at(now_of_the_machine());
        let service = service_reaching(Reach::PublicAndLoopback, &services);
        let ended = Arc::new(Notify::new());
        let told = Arc::clone(&ended);
        let worker = DeliveryWorker::new(DeliveryWorkerParts {
            store: Arc::new(services.store),
            encryption: encryption(),
            sender: Arc::new(HttpSender::new(Reach::PublicAndLoopback).unwrap()),
            signal: Arc::default(),
            clock: services.clock.clone(),
            timer: Arc::new(RuntimeTimer),
            random: services.random,
            spawn: Arc::new(move |task| {
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
            clock: services.clock,
            service,
            worker: Arc::new(worker),
            receiver,
            created,
            ended,
        }
    }

    /// Sends a test message, and waits for the end of its attempt.
    async fn send_test(&self) -> DeliveryView {
        let id = self.created.webhook.id;
        let sent = self.service.test(&caller(), id).await.unwrap();
        assert_eq!(self.worker.round().await.unwrap(), 1);
        self.ended.notified().await;
        sent
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
    let sent = fixture.send_test().await;
    let arrived = fixture.receiver.arrived();
    assert_eq!(arrived.len(), 1);
    assert_eq!(arrived[0].header("webhook-id"), sent.id.to_string());
    assert_eq!(arrived[0].header("content-type"), "application/json");
    assert!(verifies(&fixture.created.secret.text(), &arrived[0]));
    let mut forged = arrived[0].clone();
    forged.body = "{}".into();
    assert!(!verifies(&fixture.created.secret.text(), &forged));
    let kept = &fixture.deliveries().await[0];
    assert_eq!((kept.state, kept.attempts), (DeliveryState::Delivered, 1));
}

#[tokio::test]
async fn both_secrets_verify_for_a_day_after_a_rotation() {
    let fixture = Fixture::new().await;
    let id = fixture.created.webhook.id;
    let rotated = fixture.service.rotate_secret(&caller(), id).await.unwrap();
    assert!(rotated.webhook.previous_secret_until.is_some());
    fixture.send_test().await;
    fixture.clock.advance(Duration::from_hours(24));
    fixture.send_test().await;
    let arrived = fixture.receiver.arrived();
    assert!(verifies(&fixture.created.secret.text(), &arrived[0]));
    assert!(verifies(&rotated.secret.text(), &arrived[0]));
    let signatures = arrived[1].header("webhook-signature");
    assert_eq!(signatures.split(' ').count(), 1);
}
