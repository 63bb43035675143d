//! Stored lookups over in-memory adapters, with real encryption.

use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use application::{
    BankBySide, BatchEncryption, BatchFeeder, BatchService, BatchSources, CredentialCache,
    DeliveryHistory, FeederParts, FileChecks, GatekeeperService, IdempotencyService, ImportedFiles,
    LookupEncryption, LookupReader, LookupService, LookupSignals, LookupWorker,
    PersonLookupService, PersonLookupSources, ProofCheckService, ProofMemory, ProofRequestService,
    ProofService, RequestSteps, SpawnTask, WorkerParts,
};
use async_trait::async_trait;
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use domain::idempotency::IdempotencySecrets;
use domain::inference::InferredBanks;
use domain::key::{FullKey, HashGeneration};
use domain::lookup::{LookupSecrets, RetryScale};
use domain::outcome::Endpoint;
use domain::pacing::Pacing;
use domain::participant::Catalogue;
use domain::request::RequestId;
use ports::inbound::{
    AdmissionRequest, FetchError, InvalidRequest, LookupExchange, LookupRequest, LookupView,
    ProofRequests as _, RepeatableExchange, ServedRequest,
};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use zip_files::DeflatedZip;

use crate::fakes::{NoPdfs, NoSealKeys, PlainPdfs, unknown_certificate};
use crate::people::{PeopleServices, hasher};
use crate::timer::RuntimeTimer;

/// Recognition of repeated requests over the adapters of [`PeopleServices`].
pub fn idempotency(services: &PeopleServices) -> IdempotencyService {
    IdempotencyService::new(
        Arc::new(services.store.clone()),
        IdempotencySecrets::new(vec![(HashGeneration(1), vec![7; 32])]).unwrap(),
        services.clock.clone(),
        services.random.clone(),
    )
}

/// Services of stored lookups over the adapters of [`PeopleServices`].
pub struct LookupServices {
    /// Those of the API's callers.
    pub callers: Arc<LookupService>,
    /// Those of people, which count among the store's calls of [`PeopleServices`].
    pub people: Arc<PersonLookupService>,
    /// Makes the attempts.
    pub worker: Arc<LookupWorker>,
    /// Batches.
    pub batches: Arc<BatchService>,
    /// Makes lookups of their rows.
    pub feeder: Arc<BatchFeeder>,
}

impl LookupServices {
    /// Services whose attempts are started by `spawn`.
    pub fn over(
        services: &PeopleServices,
        gatekeeper: &Arc<GatekeeperService>,
        proofs: &Arc<ProofService>,
        history: &Arc<DeliveryHistory>,
        (spawn, spawn_feeding): (SpawnTask, SpawnTask),
    ) -> Self {
        let secrets = LookupSecrets::new(vec![(HashGeneration(1), vec![7; 32])]).unwrap();
        let encryption = Arc::new(LookupEncryption::new(Arc::new(AesCipher), secrets));
        let (signals, store) = (Arc::<LookupSignals>::default(), services.store.clone());
        let reader = LookupReader::new(
            encryption.clone(),
            Arc::new(Catalogue::embedded().clone()),
            Arc::new(NoSealKeys),
            TimeDelta::days(7),
        );
        let callers = Arc::new(LookupService::new(
            Arc::new(store.clone()),
            reader,
            gatekeeper.clone(),
            signals.clone(),
            services.clock.clone(),
            Arc::new(RuntimeTimer),
            Pacing::new(NonZeroU32::MIN),
        ));
        let people = PersonLookupService::new(
            callers.clone(),
            PersonLookupSources {
                store: Arc::new(store.clone()),
                keys: Arc::new(store.clone()),
                customers: Arc::new(store.clone()),
            },
            services.clock.clone(),
            services.random.clone(),
        );
        let worker = LookupWorker::new(WorkerParts {
            store: Arc::new(store.elsewhere()),
            encryption,
            proofs: proofs.clone(),
            gatekeeper: gatekeeper.clone(),
            history: history.clone(),
            signals: signals.clone(),
            webhooks: Arc::default(),
            clock: services.clock.clone(),
            timer: Arc::new(RuntimeTimer),
            random: services.random.clone(),
            spawn,
            places: 4,
            test_scale: RetryScale::NONE,
        });
        let (batches, feeder) =
            batches_over(services, gatekeeper, &callers, (signals, spawn_feeding));
        Self {
            callers,
            people: Arc::new(people),
            worker: Arc::new(worker),
            batches: Arc::new(batches),
            feeder: Arc::new(feeder),
        }
    }
}

/// Batches over the adapters of `services`, the work on which is started by `spawn`.
fn batches_over(
    services: &PeopleServices,
    gatekeeper: &Arc<GatekeeperService>,
    lookups: &Arc<LookupService>,
    (signals, spawn): (Arc<LookupSignals>, SpawnTask),
) -> (BatchService, BatchFeeder) {
    let secrets = LookupSecrets::new(vec![(HashGeneration(1), vec![7; 32])]).unwrap();
    let encryption = Arc::new(BatchEncryption::new(Arc::new(AesCipher), secrets));
    let store = services.store.clone();
    let sources = BatchSources {
        store: Arc::new(store.clone()),
        keys: Arc::new(store.clone()),
        customers: Arc::new(store.clone()),
        lookups: lookups.clone(),
        gatekeeper: gatekeeper.clone(),
        idempotency: Arc::new(idempotency(services)),
        webhooks: Arc::default(),
        timer: Arc::new(RuntimeTimer),
        waiters: Arc::default(),
        uploads: Arc::default(),
        history: Arc::new(DeliveryHistory::new(
            hasher(),
            Arc::new(store.clone()),
            services.journal.clone(),
        )),
        files: Arc::new(ImportedFiles::new(
            Arc::new(PlainPdfs),
            services.clock.clone(),
            Box::new(|work| Box::pin(async move { work() })),
        )),
    };
    let pacing = Pacing::new(NonZeroU32::MIN);
    let service = BatchService::new(
        sources,
        encryption.clone(),
        (services.clock.clone(), services.random.clone()),
        pacing,
        TimeDelta::days(7),
    );
    let feeder = BatchFeeder::new(FeederParts {
        store: Arc::new(store.elsewhere()),
        encryption,
        lookups: lookups.clone(),
        gatekeeper: gatekeeper.clone(),
        signals,
        clock: services.clock.clone(),
        timer: Arc::new(RuntimeTimer),
        random: services.random.clone(),
        spawn,
        pacing,
        webhooks: Arc::default(),
    });
    (service, feeder)
}

/// Creation of stored lookups for the tests of their readers.
pub struct LookupFixture {
    /// The services.
    pub services: LookupServices,
    requests: ProofRequestService,
    attempts: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl LookupFixture {
    /// A fixture over the adapters of `services`.
    pub fn over(services: &PeopleServices) -> Self {
        let (store, clock) = (Arc::new(services.store.elsewhere()), services.clock.clone());
        let gatekeeper = Arc::new(GatekeeperService::new(
            store.clone(),
            services.limiter.clone(),
            services.journal.clone(),
            clock.clone(),
            services.random.clone(),
            hasher(),
            Arc::<CredentialCache>::default(),
        ));
        let proofs = Arc::new(ProofService::new(
            BankBySide {
                live: services.live_bank.clone(),
                test: services.test_bank.clone(),
            },
            clock.clone(),
            Arc::new(Catalogue::embedded().clone()),
            Duration::from_secs(20),
            ProofMemory::new(0, Duration::from_mins(1)),
            services.monitor.clone(),
            Arc::new(NoSealKeys),
        ));
        let history = DeliveryHistory::new(hasher(), store, services.journal.clone());
        let history = Arc::new(history);
        let attempts = Arc::<Mutex<Vec<_>>>::default();
        let started = attempts.clone();
        let spawn: SpawnTask = Box::new(move |task| {
            let attempt = tokio::spawn(task);
            let mut started = started.lock().unwrap_or_else(PoisonError::into_inner);
            started.push(attempt);
        });
        let feeding: SpawnTask = Box::new(|task| drop(tokio::spawn(task)));
        let spawns = (spawn, feeding);
        let lookups = LookupServices::over(services, &gatekeeper, &proofs, &history, spawns);
        let requests = ProofRequestService::new(
            RequestSteps {
                gatekeeper,
                proofs,
                files: FileChecks::new(
                    ProofCheckService::new(
                        Arc::new(unknown_certificate),
                        Arc::new(NoPdfs),
                        Arc::new(DeflatedZip),
                        clock.clone(),
                    ),
                    Arc::new(Catalogue::embedded().clone()),
                    clock.clone(),
                    Box::new(|work| Box::pin(async move { work() })),
                ),
                history,
                lookups: lookups.callers.clone(),
                idempotency: Arc::new(idempotency(services)),
                clock,
            },
            Box::new(|task| drop(tokio::spawn(task))),
        );
        Self {
            services: lookups,
            requests,
            attempts,
        }
    }

    /// Creates a lookup with a key.
    pub async fn create(&self, key: &FullKey, request: LookupRequest) -> LookupView {
        let (answer, created) = oneshot::channel();
        let admission = AdmissionRequest {
            presented_key: Some(key.reveal().to_owned()),
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            endpoint: Endpoint::Lookups,
            idempotency_key: None,
            request_id: RequestId::parse("lookup-1").unwrap(),
        };
        let exchange = Exchange { request, answer };
        self.requests.create(admission, Box::new(exchange));
        created.await.unwrap().expect("the lookup is created")
    }

    /// Makes the attempts that are due, to their ends.
    pub async fn work(&self) {
        self.services.worker.round().await.unwrap();
        let attempts = {
            let mut started = self.attempts.lock().unwrap();
            std::mem::take(&mut *started)
        };
        for attempt in attempts {
            attempt.await.unwrap();
        }
    }
}

/// The exchange of one creation.
struct Exchange {
    request: LookupRequest,
    answer: oneshot::Sender<Option<LookupView>>,
}

#[async_trait]
impl RepeatableExchange for Exchange {
    async fn content(&mut self) -> Option<Vec<u8>> {
        None
    }
}

#[async_trait]
impl LookupExchange for Exchange {
    async fn decode(&mut self) -> Result<LookupRequest, InvalidRequest> {
        Ok(self.request.clone())
    }

    fn refuse(&mut self, _: &FetchError, _: &InferredBanks) {}

    async fn finish(self: Box<Self>, _: ServedRequest, created: Option<LookupView>) {
        drop(self.answer.send(created));
    }
}
