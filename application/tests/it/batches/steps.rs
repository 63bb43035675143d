//! Processes that share a store of batches, and the steps of their tests.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use application::{
    BankBySide, BankMonitor, BatchEncryption, BatchFeeder, BatchService, BatchSources,
    DeliveryHistory, FeederParts, ImportedFiles, LookupService, LookupSignals, LookupWorker,
    ProofMemory, ProofService, WorkSignal, WorkerParts,
};
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use domain::batch::{BatchId, BatchState, RowNumber};
use domain::key::{Environment, HashGeneration, KeyName};
use domain::limits::Limits;
use domain::lookup::{LookupSecrets, RetryScale};
use domain::pacing::Pacing;
use domain::participant::Catalogue;
use domain::request::RequestId;
use ports::inbound::{
    BatchAccess, BatchDraft, BatchError, BatchView, Batches as _, Caller, CreatedBatch, DraftRow,
    KeyAdministration as _, LookupAccess, NewKey, RowOutcome, RowView,
};
use ports::outbound::{BatchStore as _, StoredLookup};
use testkit::fakes::{CountingRandom, MemoryStore, PlainPdfs, ScriptedBank, by_amount};
use tokio::task::{AbortHandle, JoinHandle};

use super::rows::draft;
use super::seals::ScriptedSeals;
use crate::support::fixture::{self, HERE, Holder};
use crate::support::lookups::{encryption, idempotency, service};
use crate::support::{ManualTimer, hasher, limits, operator};

/// Time that an attempt may take. The bank's fake measures it on the real clock.
const PATIENCE: Duration = Duration::from_secs(20);
/// Rounds after which a batch must have come where a test waits for it.
const ROUNDS: usize = 500;

/// The world: the data, the banks, the time.
pub(crate) struct World {
    pub(crate) base: fixture::Fixture,
    pub(crate) bank: Arc<ScriptedBank>,
    pub(crate) live_bank: Arc<ScriptedBank>,
    pub(crate) seals: Arc<ScriptedSeals>,
    pub(crate) timer: Arc<ManualTimer>,
    pub(crate) random: Arc<CountingRandom>,
}

/// One process of the gateway.
pub(crate) struct Process {
    /// The store as this process sees it.
    pub(crate) store: MemoryStore,
    pub(crate) batches: Arc<BatchService>,
    pub(crate) lookups: Arc<LookupService>,
    feeder: Arc<BatchFeeder>,
    worker: Arc<LookupWorker>,
    /// Signals of events that webhooks tell.
    pub(crate) webhooks: Arc<WorkSignal>,
    feeding: Arc<Mutex<Vec<AbortHandle>>>,
}

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Lets all tasks go on as far as they can.
pub(crate) async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

/// Limits that no test here reaches.
pub(crate) fn ample() -> Limits {
    limits(10_000, Some(100_000))
}

/// A world with one process and a test key of the operator's.
pub(crate) async fn start() -> (World, Process, Holder) {
    start_with(ample()).await
}

/// The same, with these limits of the key.
pub(crate) async fn start_with(limits: Limits) -> (World, Process, Holder) {
    let world = world();
    let process = world.process(&[1]);
    let holder = world.holder(&operator(), Environment::Test, limits).await;
    (world, process, holder)
}

fn world() -> World {
    let base = fixture::fixture();
    World {
        timer: Arc::new(ManualTimer::of(&base.clock)),
        bank: Arc::new(ScriptedBank::answering(by_amount)),
        live_bank: Arc::new(ScriptedBank::answering(by_amount)),
        seals: Arc::default(),
        random: Arc::default(),
        base,
    }
}

impl World {
    /// A process with secrets of these generations, the newest first.
    pub(crate) fn process(&self, generations: &[u16]) -> Process {
        let base = &self.base;
        let store = base.data.elsewhere();
        let shared = Arc::new(store.clone());
        let signals = Arc::<LookupSignals>::default();
        let webhooks = Arc::<WorkSignal>::default();
        let lookup_encryption = encryption(generations);
        let (seals, timer) = (self.seals.clone(), self.timer.clone());
        let lookups = service(base, &store, &lookup_encryption, seals, &signals, timer);
        let secret = |number: &u16| (HashGeneration(*number), number.to_be_bytes().repeat(16));
        let secrets = LookupSecrets::new(generations.iter().map(secret).collect()).unwrap();
        let encryption = Arc::new(BatchEncryption::new(Arc::new(AesCipher), secrets));
        let pacing = Pacing::new(NonZeroU32::new(60).unwrap());
        let batches = BatchService::new(
            BatchSources {
                store: shared.clone(),
                keys: shared.clone(),
                customers: shared.clone(),
                lookups: lookups.clone(),
                gatekeeper: base.gatekeeper.clone(),
                idempotency: Arc::new(idempotency(base, &store)),
                webhooks: webhooks.clone(),
                timer: self.timer.clone(),
                waiters: Arc::default(),
                uploads: Arc::default(),
                history: self.history(),
                files: Arc::new(ImportedFiles::new(
                    Arc::new(PlainPdfs),
                    base.clock.clone(),
                    Box::new(|work| Box::pin(async move { work() })),
                )),
            },
            encryption.clone(),
            (base.clock.clone(), self.random.clone()),
            pacing,
            TimeDelta::days(7),
        );
        let feeding = Arc::<Mutex<Vec<AbortHandle>>>::default();
        let started = feeding.clone();
        let feeder = BatchFeeder::new(FeederParts {
            store: shared.clone(),
            encryption,
            lookups: lookups.clone(),
            gatekeeper: base.gatekeeper.clone(),
            signals: signals.clone(),
            clock: base.clock.clone(),
            timer: self.timer.clone(),
            random: self.random.clone(),
            spawn: Box::new(move |task| {
                let task = tokio::spawn(task).abort_handle();
                started.lock().unwrap().push(task);
            }),
            pacing,
            webhooks: webhooks.clone(),
        });
        let worker = LookupWorker::new(WorkerParts {
            store: shared,
            encryption: lookup_encryption,
            proofs: self.proofs(),
            gatekeeper: base.gatekeeper.clone(),
            history: self.history(),
            signals,
            clock: base.clock.clone(),
            timer: self.timer.clone(),
            random: self.random.clone(),
            spawn: Box::new(|task| drop(tokio::spawn(task))),
            webhooks: webhooks.clone(),
            places: 512,
            test_scale: RetryScale::NONE,
        });
        Process {
            store,
            batches: Arc::new(batches),
            lookups,
            feeder: Arc::new(feeder),
            worker: Arc::new(worker),
            webhooks,
            feeding,
        }
    }

    fn proofs(&self) -> Arc<ProofService> {
        Arc::new(ProofService::new(
            BankBySide {
                live: self.live_bank.clone(),
                test: self.bank.clone(),
            },
            self.base.clock.clone(),
            Arc::new(Catalogue::embedded().clone()),
            PATIENCE,
            ProofMemory::new(0, Duration::from_mins(1)),
            Arc::new(BankMonitor::new(self.base.clock.clone())),
            self.seals.clone(),
        ))
    }

    fn history(&self) -> Arc<DeliveryHistory> {
        let seen = Arc::new(self.base.data.clone());
        let history = DeliveryHistory::new(hasher(), seen, self.base.journal.clone());
        Arc::new(history)
    }

    /// A key with these limits, of an admin's.
    pub(crate) async fn holder(
        &self,
        owner: &Caller,
        environment: Environment,
        limits: Limits,
    ) -> Holder {
        let order = NewKey {
            name: KeyName::parse("till").unwrap(),
            environment,
            limits: Some(limits),
        };
        let created = self.base.keys.create(owner, order).await.unwrap();
        Holder {
            id: created.key.key.id,
            secret: created.secret,
        }
    }

    /// Moves the time on.
    pub(crate) async fn pass(&self, time: Duration) {
        self.timer.advance(time);
        settle().await;
    }

    /// Net charges of a key that are stored.
    pub(crate) async fn stored_use(&self, holder: &Holder) -> u64 {
        let used = self.base.used(holder.id).await;
        used.charged - used.refunded
    }

    /// The month's use by a key, as its limiter has it.
    pub(crate) async fn limiter_use(&self, holder: &Holder) -> u64 {
        let key = Some(holder.secret.reveal());
        let identified = self.base.gatekeeper.identify(key, HERE).await;
        identified.unwrap().limit_status.month.unwrap().used
    }

    /// Asserts that so many requests of a key count, in the store and in the limiter.
    #[track_caller]
    pub(crate) fn charged<'a>(
        &'a self,
        holder: &'a Holder,
        requests: u64,
    ) -> impl Future<Output = ()> + 'a {
        let place = std::panic::Location::caller();
        async move {
            let counted = [
                self.stored_use(holder).await,
                self.limiter_use(holder).await,
            ];
            assert_eq!(
                counted, [requests; 2],
                "in the store, in the limiter: {place}"
            );
        }
    }

    /// Works on all batches until one is in this state.
    pub(crate) async fn until(&self, process: &Process, id: BatchId, state: BatchState) {
        for _ in 0..ROUNDS {
            process.feed().await;
            process.work().await;
            if process.state(id).await == state {
                return;
            }
            self.pass(Duration::from_millis(500)).await;
        }
        panic!("it never is {}", state.name());
    }
}

impl Process {
    /// Creates a batch.
    pub(crate) async fn try_create(
        &self,
        access: &BatchAccess,
        draft: BatchDraft,
    ) -> Result<CreatedBatch, BatchError> {
        self.batches.create(access, draft, None).await
    }

    pub(crate) async fn create(&self, holder: &Holder, rows: Vec<DraftRow>) -> BatchId {
        let created = self.try_create(&access(holder), draft(rows)).await.unwrap();
        assert!(!created.repeated);
        created.batch.found.unwrap().id
    }

    /// One round of the feeder, and all that it can do; returns the number of batches.
    pub(crate) async fn feed(&self) -> usize {
        let started = self.feeder.round().await.unwrap();
        settle().await;
        started
    }

    /// One round of the worker, and all that its attempts can do; returns their number.
    pub(crate) async fn work(&self) -> usize {
        let started = self.worker.round().await.unwrap();
        settle().await;
        started
    }

    /// Makes attempts from now on, whenever there is something to do.
    pub(crate) async fn run_worker(&self) -> JoinHandle<()> {
        let working = tokio::spawn(self.worker.clone().run());
        settle().await;
        working
    }

    /// Ends all work on batches of this process, as its death does.
    pub(crate) fn die(&self) {
        for task in self.feeding.lock().unwrap().drain(..) {
            task.abort();
        }
    }

    /// Returns `true` while it works on a batch.
    pub(crate) fn is_feeding(&self) -> bool {
        let tasks = self.feeding.lock().unwrap();
        tasks.iter().any(|task| !task.is_finished())
    }

    pub(crate) async fn find(&self, holder: &Holder, id: BatchId) -> Result<BatchView, BatchError> {
        let found = self.batches.find(&access(holder), id, Duration::ZERO).await;
        found.map(|read| read.found)
    }

    pub(crate) async fn view(&self, holder: &Holder, id: BatchId) -> BatchView {
        self.find(holder, id).await.unwrap()
    }

    /// The state of a batch of the operator's.
    pub(crate) async fn state(&self, id: BatchId) -> BatchState {
        let operator = BatchAccess::Person(operator());
        let found = self.batches.find(&operator, id, Duration::ZERO).await;
        found.unwrap().found.state
    }

    /// Rows from one on.
    pub(crate) async fn rows(&self, holder: &Holder, id: BatchId, first: u32) -> Vec<RowView> {
        let access = access(holder);
        let rows = self.batches.rows(&access, id, RowNumber(first)).await;
        let mut rows = rows.unwrap().found;
        let mut all = Vec::new();
        while let Some(some) = rows.next().await.unwrap() {
            all.extend(some);
        }
        all
    }

    /// Outcomes of all rows, in short.
    pub(crate) async fn outcomes(&self, holder: &Holder, id: BatchId) -> Vec<String> {
        let rows = self.rows(holder, id, 0).await;
        rows.iter().map(|row| outcome(&row.outcome)).collect()
    }

    /// Lookups of the first rows of a batch.
    pub(crate) async fn lookups_of(&self, id: BatchId) -> Vec<StoredLookup> {
        let lookups = self.store.batch_lookups(id, RowNumber(0), u32::MAX).await;
        lookups.unwrap()
    }

    /// Rows of a batch that have a lookup, each once.
    pub(crate) async fn begun(&self, id: BatchId) -> Vec<u32> {
        let lookups = self.lookups_of(id).await;
        let rows = lookups
            .iter()
            .map(|lookup| lookup.facts.batch.unwrap().row.0);
        rows.collect()
    }
}

fn outcome(outcome: &RowOutcome) -> String {
    match outcome {
        RowOutcome::Faulty(faulty) => format!("faulty: {}", faulty.0),
        RowOutcome::Unresolved(_) => "unresolved".to_owned(),
        RowOutcome::Duplicate { of, line } => format!("duplicate of {} in {line}", of.0),
        RowOutcome::NotBegun => "not begun".to_owned(),
        RowOutcome::Lookup(view) => view.state.name().to_owned(),
    }
}

pub(crate) fn access(holder: &Holder) -> BatchAccess {
    BatchAccess::Key(LookupAccess {
        presented_key: Some(holder.secret.reveal().to_owned()),
        address: HERE,
        request_id: RequestId::parse("batch-1").unwrap(),
    })
}
