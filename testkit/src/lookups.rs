//! Stored lookups over in-memory adapters, with real encryption.

use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use application::{
    AccountKeys, AccountReencryption, AdmissionRequest, BatchEncryption, BatchFeeder, BatchService,
    BatchSources, CredentialCache, DeliveryHistory, FeederParts, FileChecks, GatekeeperService,
    IdempotencyService, ImportedFiles, LookupEncryption, LookupReader, LookupRequest,
    LookupService, LookupSignals, LookupView, LookupWorker, OwnAccountService, OwnAccounts,
    PersonLookupService, PersonLookupSources, ProofCheckService, ProofMemory, ProofRequestService,
    ProofService, ReceiptReading, Reply, RequestKey, SecondOpinions, Served, SpawnTask,
    ValidatorBySide, WorkSignal, WorkerParts,
};
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use domain::idempotency::IdempotencySecrets;
use domain::keys::{FullKey, HashGeneration};
use domain::lookups::{LookupSecrets, RetryScale};
use domain::outcome::Endpoint;
use domain::pacing::Pacing;
use domain::request::RequestId;
use ports::outbound::{SealChecks, Timer};
use tokio::task::JoinHandle;
use zip_files::DeflatedZip;

use crate::fakes::{
    CountingRandom, ManualClock, MemoryStore, NoPdfs, NoSealKeys, OneSealKey, PlainPdfs,
    PlainReceipts, unknown_certificate,
};
use crate::people::{PeopleServices, hasher};
use crate::timer::RuntimeTimer;

mod asked;
mod proofs;

pub use asked::{Asked, Invalid, question};
use proofs::{at_once, remembered_proofs};
pub use proofs::{catalogue, printed, proofs};

/// Parts of the services of stored lookups.
#[derive(Clone)]
pub struct LookupParts {
    /// The store of those who ask.
    pub store: MemoryStore,
    /// The store of those who work: the same handle, or one whose calls aren't counted.
    pub workers: MemoryStore,
    /// Admits and settles.
    pub gatekeeper: Arc<GatekeeperService>,
    /// Looks proofs up.
    pub proofs: Arc<ProofService>,
    /// Recognises proofs that were delivered before.
    pub history: Arc<DeliveryHistory>,
    /// Checks the seals of delivered proofs.
    pub seals: Arc<dyn SealChecks>,
    /// The clocks.
    pub clock: Arc<ManualClock>,
    /// Timeouts and pauses.
    pub timer: Arc<dyn Timer>,
    /// Ids and tokens.
    pub random: Arc<CountingRandom>,
    /// Generations of the store secrets, the newest first.
    pub secrets: Vec<u16>,
    /// The bank's budget.
    pub pacing: Pacing,
    /// Attempts at the same time.
    pub places: u32,
    /// Scale of the waits of test lookups.
    pub test_scale: RetryScale,
    /// Validators of seals.
    pub validators: ValidatorBySide,
}

impl LookupParts {
    /// Parts over the adapters of [`PeopleServices`]. Requests are admitted over `store`, and proofs are
    /// remembered in `memory`.
    pub fn over(
        services: &PeopleServices,
        store: MemoryStore,
        credentials: Arc<CredentialCache>,
        memory: ProofMemory,
    ) -> Self {
        let store = Arc::new(store);
        let (clock, journal) = (services.clock.clone(), services.journal.clone());
        let gatekeeper = GatekeeperService::new(
            store.clone(),
            services.limiter.clone(),
            journal.clone(),
            clock.clone(),
            services.random.clone(),
            hasher(),
            credentials,
        );
        let banks = (&services.live_bank, &services.test_bank);
        let (monitor, seals) = (services.monitor.clone(), Arc::new(NoSealKeys));
        Self {
            store: services.store.clone(),
            workers: services.store.elsewhere(),
            gatekeeper: Arc::new(gatekeeper),
            proofs: remembered_proofs(memory, banks, clock, monitor, seals),
            history: Arc::new(DeliveryHistory::new(
                hasher(),
                store,
                journal,
                services.clock.clone(),
            )),
            seals: Arc::new(OneSealKey),
            clock: services.clock.clone(),
            timer: Arc::new(RuntimeTimer),
            random: services.random.clone(),
            secrets: vec![1],
            pacing: Pacing::new(NonZeroU32::MIN),
            places: 4,
            test_scale: RetryScale::NONE,
            validators: ValidatorBySide::default(),
        }
    }

    /// Proof requests, whose work is started by `spawn`.
    pub fn requests(&self, lookups: Arc<LookupService>, spawn: SpawnTask) -> ProofRequestService {
        let clock = self.clock.clone();
        let checks = ProofCheckService::new(
            Arc::new(unknown_certificate),
            Arc::new(NoPdfs),
            Arc::new(DeflatedZip),
            clock.clone(),
        );
        ProofRequestService {
            gatekeeper: self.gatekeeper.clone(),
            proofs: self.proofs.clone(),
            files: FileChecks::new(checks, catalogue(), clock.clone(), at_once()),
            second_opinions: SecondOpinions::new(self.validators.clone(), clock.clone()),
            receipts: ReceiptReading::new(
                Arc::new(PlainReceipts),
                catalogue(),
                clock.clone(),
                at_once(),
            ),
            history: self.history.clone(),
            lookups,
            idempotency: self.idempotency(),
            clock,
            spawn,
        }
    }

    /// Recognition of repeated requests.
    fn idempotency(&self) -> Arc<IdempotencyService> {
        let secrets = IdempotencySecrets::new(vec![(HashGeneration(1), vec![7; 32])]).unwrap();
        let (clock, random) = (self.clock.clone(), self.random.clone());
        let store = Arc::new(self.store.clone());
        Arc::new(IdempotencyService::new(store, secrets, clock, random))
    }

    /// Keys of people's accounts.
    pub fn account_keys(&self) -> Arc<AccountKeys> {
        let store = Arc::new(self.store.clone());
        let (clock, random) = (self.clock.clone(), self.random.clone());
        Arc::new(AccountKeys::new(store.clone(), store, (clock, random)))
    }

    fn secrets(&self) -> LookupSecrets {
        let secret = |number: &u16| (HashGeneration(*number), number.to_be_bytes().repeat(16));
        LookupSecrets::new(self.secrets.iter().map(secret).collect()).unwrap()
    }
}

/// Services of stored lookups.
pub struct LookupServices {
    /// Those of the API's callers.
    pub callers: Arc<LookupService>,
    /// Those of people, which count among the calls of the store of those who ask.
    pub people: Arc<PersonLookupService>,
    /// Own accounts of people.
    pub own_accounts: Arc<OwnAccountService>,
    /// Encrypts them anew.
    pub account_reencryption: AccountReencryption,
    /// Makes the attempts.
    pub worker: Arc<LookupWorker>,
    /// Batches.
    pub batches: Arc<BatchService>,
    /// Makes lookups of their rows.
    pub feeder: Arc<BatchFeeder>,
    /// Signals of new lookups, and to those who wait.
    pub signals: Arc<LookupSignals>,
    /// Signals of events that webhooks tell.
    pub webhooks: Arc<WorkSignal>,
}

impl LookupServices {
    /// Services of these parts.
    pub fn of(parts: &LookupParts, (spawn, spawn_feeding): (SpawnTask, SpawnTask)) -> Self {
        let encryption = Arc::new(LookupEncryption::new(Arc::new(AesCipher), parts.secrets()));
        let (signals, webhooks) = (Arc::<LookupSignals>::default(), Arc::default());
        let store = Arc::new(parts.store.clone());
        let clock = parts.clock.clone();
        let own = OwnAccounts::new(store.clone(), encryption.clone());
        let reader = LookupReader::new(
            encryption.clone(),
            catalogue(),
            parts.seals.clone(),
            own.clone(),
            TimeDelta::days(7),
        );
        let callers = Arc::new(LookupService::new(
            store.clone(),
            reader,
            parts.gatekeeper.clone(),
            signals.clone(),
            clock.clone(),
            parts.timer.clone(),
            parts.pacing,
        ));
        let sources = PersonLookupSources {
            store: store.clone(),
            keys: store.clone(),
            customers: store,
        };
        let random = parts.random.clone();
        let own_accounts = OwnAccountService::new(
            own.clone(),
            sources.customers.clone(),
            catalogue(),
            clock.clone(),
            random.clone(),
        );
        let people = PersonLookupService::new(callers.clone(), sources, clock, random.clone());
        let worker = LookupWorker::new(WorkerParts {
            store: Arc::new(parts.workers.clone()),
            encryption,
            proofs: parts.proofs.clone(),
            gatekeeper: parts.gatekeeper.clone(),
            history: parts.history.clone(),
            signals: signals.clone(),
            webhooks: Arc::clone(&webhooks),
            clock: parts.clock.clone(),
            timer: parts.timer.clone(),
            random,
            spawn,
            places: parts.places,
            test_scale: parts.test_scale,
        });
        let signalled = (&signals, &webhooks);
        let (batches, feeder) = batches(parts, &callers, signalled, spawn_feeding);
        Self {
            callers,
            people: Arc::new(people),
            own_accounts: Arc::new(own_accounts),
            account_reencryption: AccountReencryption::new(own),
            worker: Arc::new(worker),
            batches: Arc::new(batches),
            feeder: Arc::new(feeder),
            signals,
            webhooks,
        }
    }
}

/// Batches of these parts, the work on which is started by `spawn`.
fn batches(
    parts: &LookupParts,
    lookups: &Arc<LookupService>,
    (signals, webhooks): (&Arc<LookupSignals>, &Arc<WorkSignal>),
    spawn: SpawnTask,
) -> (BatchService, BatchFeeder) {
    let encryption = Arc::new(BatchEncryption::new(Arc::new(AesCipher), parts.secrets()));
    let store = Arc::new(parts.store.clone());
    let (clock, random) = (parts.clock.clone(), parts.random.clone());
    let files = ImportedFiles::new(Arc::new(PlainPdfs), clock.clone(), at_once());
    let sources = BatchSources {
        store: store.clone(),
        account_keys: parts.account_keys(),
        lookups: lookups.clone(),
        gatekeeper: parts.gatekeeper.clone(),
        idempotency: parts.idempotency(),
        webhooks: webhooks.clone(),
        timer: parts.timer.clone(),
        places: Arc::default(),
        history: parts.history.clone(),
        files: Arc::new(files),
    };
    let service = BatchService::new(
        sources,
        encryption.clone(),
        (clock.clone(), random.clone()),
        parts.pacing,
        TimeDelta::days(7),
    );
    let feeder = BatchFeeder::new(FeederParts {
        store: Arc::new(parts.workers.clone()),
        encryption,
        lookups: lookups.clone(),
        gatekeeper: parts.gatekeeper.clone(),
        signals: signals.clone(),
        clock,
        timer: parts.timer.clone(),
        random,
        spawn,
        pacing: parts.pacing,
        webhooks: webhooks.clone(),
    });
    (service, feeder)
}

/// Creation of stored lookups for the tests of their readers.
pub struct LookupFixture {
    /// The services.
    pub services: LookupServices,
    requests: Arc<ProofRequestService>,
    attempts: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl LookupFixture {
    /// A fixture over the adapters of `services`.
    pub fn over(services: &PeopleServices) -> Self {
        let memory = ProofMemory::new(0, Duration::from_mins(1));
        let store = services.store.elsewhere();
        let parts = LookupParts::over(services, store, Arc::default(), memory);
        let attempts = Arc::<Mutex<Vec<_>>>::default();
        let started = attempts.clone();
        let spawn: SpawnTask = Arc::new(move |task| {
            let attempt = tokio::spawn(task);
            started.lock().unwrap().push(attempt);
        });
        let spawn_others = || -> SpawnTask { Arc::new(|task| drop(tokio::spawn(task))) };
        let lookups = LookupServices::of(&parts, (spawn, spawn_others()));
        Self {
            requests: Arc::new(parts.requests(lookups.callers.clone(), spawn_others())),
            services: lookups,
            attempts,
        }
    }

    /// Creates a lookup with a key.
    pub async fn create(&self, key: &FullKey, request: LookupRequest) -> LookupView {
        let admission = AdmissionRequest {
            key: RequestKey::Presented(Some(key.reveal().to_owned())),
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            endpoint: Endpoint::Lookups,
            idempotency_key: None,
            request_id: RequestId::parse("lookup-1").unwrap(),
        };
        let question = Asked::from(request).question();
        let Served::Answered(answered) = self.requests.create(admission, question).await else {
            panic!("the key is good");
        };
        let Reply::Answer(Ok(Some(created))) = answered.reply else {
            panic!("the lookup is created: {:?}", answered.reply);
        };
        created
    }

    /// Makes the attempts that are due, to their ends.
    pub async fn work(&self) {
        self.services.worker.round().await.unwrap();
        let attempts = std::mem::take(&mut *self.attempts.lock().unwrap());
        for attempt in attempts {
            attempt.await.unwrap();
        }
    }
}
