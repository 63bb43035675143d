//! Events of rows, of which webhooks are told.

use std::sync::Arc;

use application::{DeliveryWorker, DeliveryWorkerParts, WebhookService, WebhookSources};
use domain::webhook::{EventType, Reach};
use ports::inbound::{NewWebhook, Webhooks as _};
use testkit::webhooks::encryption;

use super::imports::{file, import};
use super::*;
use crate::webhooks::harness::Receiver;

/// Sends what a process tells a webhook of the operator's to a receiver, and then whenever it is signalled.
async fn sending(world: &World, process: &Process) -> Arc<Receiver> {
    let service = WebhookService::new(WebhookSources {
        store: Arc::new(process.store.clone()),
        customers: Arc::new(process.store.clone()),
        encryption: encryption(),
        signal: process.webhooks.clone(),
        clock: world.base.clock.clone(),
        random: world.random.clone(),
        reach: Reach::Public,
    });
    let webhook = NewWebhook {
        url: "https://hooks.example/cep".to_owned(),
        events: vec![EventType::LookupDelivered],
        environment: Environment::Test,
    };
    service.create(&operator(), webhook).await.unwrap();
    let receiver = Arc::<Receiver>::default();
    let worker = DeliveryWorker::new(DeliveryWorkerParts {
        store: Arc::new(process.store.clone()),
        encryption: encryption(),
        sender: receiver.clone(),
        signal: process.webhooks.clone(),
        clock: world.base.clock.clone(),
        timer: world.timer.clone(),
        random: world.random.clone(),
        spawn: Box::new(|task| drop(tokio::spawn(task))),
        places: 4,
    });
    drop(tokio::spawn(Arc::new(worker).run()));
    settle().await;
    // The worker rests for a moment after a look that found nothing, and then waits for a signal.
    world.pass(Duration::from_millis(100)).await;
    receiver
}

#[tokio::test]
async fn an_imported_proof_is_told_at_once() {
    let (world, process, holder) = start().await;
    let receiver = sending(&world, &process).await;
    let id = process.create(&holder, ready(2)).await;
    import(&process, &holder, id, vec![file(&payment(1))]).await;
    settle().await;
    let told = receiver.taken();
    assert_eq!(told.len(), 1);
    let lookup = process.lookups_of(id).await[0].facts.id;
    for part in [
        "\"type\":\"lookup.delivered\"".to_owned(),
        format!("\"id\":\"{lookup}\""),
        format!("\"batch\":\"{id}\""),
    ] {
        let body = &told[0].body;
        assert!(body.contains(&part), "no {part}: {body}");
    }
}
