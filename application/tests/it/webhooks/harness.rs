//! A worker over in-memory adapters, and a receiver that answers as it is told.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use application::{
    Caller, CreatedWebhook, DeliveryView, DeliveryWorker, DeliveryWorkerParts, NewWebhook,
    WebhookEncryption, WebhookReencryption, WebhookService, WebhookSources, WorkSignal,
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use cipher_aes::AesCipher;
use domain::keys::{Environment, HashGeneration};
use domain::lookups::LookupState;
use domain::page::PageRequest;
use domain::seals::SealVerdict;
use domain::webhooks::{
    EndpointId, EndpointSecret, EventType, Reach, SendFailure, WebhookEvent, WebhookSecrets,
};
use ports::outbound::{
    CustomerStore as _, OutgoingMessage, ReceiverAnswer, WebhookSender, WebhookStore as _,
};
use testkit::fakes::{CountingRandom, ManualClock, MemoryStore};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::support::{ANA, ManualTimer, noon};

/// Behaviour of a receiver at an attempt.
#[derive(Clone, Copy)]
pub(crate) enum Behaviour {
    Answers(u16),
    AsksToWait(u16, Duration),
    Fails(SendFailure),
    Panics,
    Hangs,
}

/// Keeps the messages that it is sent.
#[derive(Default)]
pub(crate) struct Receiver {
    pub(crate) messages: Mutex<Vec<OutgoingMessage>>,
    script: Mutex<VecDeque<Behaviour>>,
}

impl Receiver {
    /// Behaves so at the next attempts, and answers 204 to those after them.
    pub(crate) fn behave(&self, behaviours: &[Behaviour]) {
        self.script.lock().unwrap().extend(behaviours);
    }

    pub(crate) fn taken(&self) -> Vec<OutgoingMessage> {
        std::mem::take(&mut self.messages.lock().unwrap())
    }
}

#[async_trait]
impl WebhookSender for Receiver {
    async fn send(&self, message: &OutgoingMessage) -> Result<ReceiverAnswer, SendFailure> {
        self.messages.lock().unwrap().push(message.clone());
        let next = self.script.lock().unwrap().pop_front();
        let (status, retry_after) = match next.unwrap_or(Behaviour::Answers(204)) {
            Behaviour::Answers(status) => (status, None),
            Behaviour::AsksToWait(status, wait) => (status, Some(wait)),
            Behaviour::Fails(failure) => return Err(failure),
            Behaviour::Panics => panic!("the receiver's part of a test"),
            Behaviour::Hangs => pending().await,
        };
        Ok(ReceiverAnswer {
            status,
            retry_after,
            body: b"gracias".to_vec(),
        })
    }
}

pub(crate) struct Scene {
    pub(crate) store: MemoryStore,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) receiver: Arc<Receiver>,
    /// Who has the webhooks.
    pub(crate) owner: Caller,
    pub(crate) timer: Arc<ManualTimer>,
    pub(crate) signal: Arc<WorkSignal>,
    pub(crate) random: Arc<CountingRandom>,
    pub(crate) started: Arc<Mutex<JoinSet<()>>>,
}

/// Encryption by secrets of these generations, the newest first.
pub(crate) fn encryption(generations: &[u16]) -> Arc<WebhookEncryption> {
    let secret = |number: &u16| (HashGeneration(*number), number.to_be_bytes().repeat(16));
    let secrets = WebhookSecrets::new(generations.iter().map(secret).collect()).unwrap();
    Arc::new(WebhookEncryption::new(Arc::new(AesCipher), secrets))
}

/// A scene with a webhook, whose secret was encrypted by the first generation, and a worker with so many
/// places.
pub(crate) async fn start(places: u32) -> (Scene, EndpointId, Arc<DeliveryWorker>) {
    let (scene, keys) = (Scene::new(), encryption(&[1]));
    let endpoint = scene.webhook(&keys).await.webhook.id;
    let worker = scene.worker(&keys, places);
    (scene, endpoint, worker)
}

/// The same with eight places, and a delivery.
pub(crate) async fn start_told() -> (Scene, EndpointId, Arc<DeliveryWorker>) {
    let (scene, endpoint, worker) = start(8).await;
    scene.tell(endpoint, 7).await;
    (scene, endpoint, worker)
}

impl Scene {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(ManualClock::at(noon()));
        Self {
            store: MemoryStore::default(),
            timer: Arc::new(ManualTimer::of(&clock)),
            clock,
            receiver: Arc::default(),
            owner: ANA.clone(),
            signal: Arc::default(),
            random: Arc::default(),
            started: Arc::default(),
        }
    }

    pub(crate) fn service(&self, encryption: &Arc<WebhookEncryption>) -> WebhookService {
        WebhookService::new(WebhookSources {
            store: Arc::new(self.store.clone()),
            customers: Arc::new(self.store.clone()),
            encryption: Arc::clone(encryption),
            signal: self.signal.clone(),
            clock: self.clock.clone(),
            random: self.random.clone(),
            reach: Reach::Public,
        })
    }

    pub(crate) fn worker(
        &self,
        encryption: &Arc<WebhookEncryption>,
        places: u32,
    ) -> Arc<DeliveryWorker> {
        let started = Arc::clone(&self.started);
        Arc::new(DeliveryWorker::new(DeliveryWorkerParts {
            store: Arc::new(self.store.clone()),
            encryption: Arc::clone(encryption),
            sender: self.receiver.clone(),
            signal: self.signal.clone(),
            clock: self.clock.clone(),
            timer: self.timer.clone(),
            random: self.random.clone(),
            spawn: Arc::new(move |task| drop(started.lock().unwrap().spawn(task))),
            places,
        }))
    }

    pub(crate) fn reencryption(&self, encryption: &Arc<WebhookEncryption>) -> WebhookReencryption {
        let (store, clock) = (Arc::new(self.store.clone()), self.clock.clone());
        WebhookReencryption::new(store, Arc::clone(encryption), clock)
    }

    /// Runs one round of a worker, and its attempts to their ends; returns the number of attempts.
    pub(crate) async fn round(&self, worker: &Arc<DeliveryWorker>) -> usize {
        let claimed = worker.round().await.unwrap();
        let mut started = std::mem::take(&mut *self.started.lock().unwrap());
        while let Some(ended) = started.join_next().await {
            ended.unwrap();
        }
        claimed
    }

    /// Adds a webhook of the caller's that is told of proofs that were delivered.
    pub(crate) async fn webhook(&self, encryption: &Arc<WebhookEncryption>) -> CreatedWebhook {
        let new = NewWebhook {
            url: "https://hooks.example/cep".to_owned(),
            events: vec![EventType::LookupDelivered],
            environment: Environment::Test,
        };
        let created = self.service(encryption).create(&self.owner, new).await;
        created.unwrap()
    }

    pub(crate) async fn tell(&self, endpoint: EndpointId, number: u128) {
        let customer = self.store.customer(&self.owner.owner).await;
        let customer = customer.unwrap().unwrap();
        let event = WebhookEvent {
            customer: customer.id,
            environment: Environment::Test,
            kind: EventType::LookupDelivered,
            subject: Uuid::from_u128(number),
            state: LookupState::Delivered.name(),
            reason: None,
            seal: Some(SealVerdict::Valid),
            origin: Some(domain::proofs::notice::ProofOrigin::Fetched),
            batch: None,
            at: self.now(),
        };
        let added = self.store.add_delivery(endpoint, &event).await;
        added.unwrap().unwrap();
    }

    /// A new secret of the caller's endpoint.
    pub(crate) async fn rotate_secret(
        &self,
        encryption: &Arc<WebhookEncryption>,
        endpoint: EndpointId,
    ) -> EndpointSecret {
        let service = self.service(encryption);
        let rotated = service.rotate_secret(&self.owner, endpoint).await;
        rotated.unwrap().secret
    }

    /// The only delivery of the caller's endpoint.
    pub(crate) async fn delivery(&self, endpoint: EndpointId) -> DeliveryView {
        let mut deliveries = self.deliveries(endpoint).await;
        assert_eq!(deliveries.len(), 1);
        deliveries.remove(0)
    }

    /// The deliveries of the caller's endpoint, newest first.
    pub(crate) async fn deliveries(&self, endpoint: EndpointId) -> Vec<DeliveryView> {
        let page = PageRequest::first(domain::page::PageSize::MAX);
        let service = self.service(&encryption(&[1]));
        let found = service.deliveries(&self.owner, endpoint, &page).await;
        let found = found.unwrap().items.into_iter();
        found.map(|(_, delivery)| delivery).collect()
    }

    pub(crate) fn advance(&self, by: TimeDelta) {
        self.timer.advance(by.to_std().unwrap());
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        ports::outbound::Clock::now(&*self.clock)
    }
}
