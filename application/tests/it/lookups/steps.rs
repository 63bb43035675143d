//! Processes that share a store of lookups, and the steps of their tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use application::{
    BankBySide, BankMonitor, DeliveryHistory, FileChecks, LookupListener, LookupService,
    LookupSignals, LookupWorker, ProofCheckService, ProofMemory, ProofRequestService, ProofService,
    RequestSteps, WorkerParts,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::file::RequestedFiles;
use domain::key::{Environment, KeyName};
use domain::lookup::{LookupId, LookupState, RetryScale};
use domain::outcome::{Endpoint, Outcome};
use domain::page::{PageRequest, PageSize};
use domain::participant::Catalogue;
use domain::proof::Proof;
use domain::request::RequestId;
use domain::seal::CheckedSeal;
use ports::inbound::{
    AdmissionRequest, Caller, KeyAdministration as _, LookupAccess, LookupError, LookupRequest,
    LookupView, Lookups as _, NewKey, ProofRequests as _, Read, RemovedLookup, ServedRequest,
    SettledRequest,
};
use ports::outbound::{
    Clock as _, LookupFilter, LookupStore as _, RequestEntry, SealChecks, StoredLookup,
};
use testkit::fakes::{
    CountingRandom, MemoryStore, NoPdfs, NoSealKeys, ScriptedBank, by_amount, unknown_certificate,
};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use zip_files::DeflatedZip;

use super::questions::{Answer, Exchange};
pub(crate) use super::questions::{
    Question, TRACKING_KEY, awaited, lookup, lookup_of_today, query, retried_for,
};
use crate::support::fixture::{self, HERE, Holder, request};
use crate::support::lookups::{encryption, idempotency, service};
use crate::support::{ManualTimer, hasher, limits, operator};

/// Time that an attempt may take. The bank's fake measures it on the real clock.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) const XML: RequestedFiles = RequestedFiles::Xml;
pub(crate) const BOTH: RequestedFiles = RequestedFiles::Both;

/// The world: the data, the banks, the time.
pub(crate) struct World {
    pub(crate) base: fixture::Fixture,
    pub(crate) bank: Arc<ScriptedBank>,
    pub(crate) live_bank: Arc<ScriptedBank>,
    pub(crate) timer: Arc<ManualTimer>,
    pub(crate) seals: Arc<CountingSeals>,
    random: Arc<CountingRandom>,
}

/// One process of the gateway.
pub(crate) struct Process {
    /// The store as this process sees it.
    pub(crate) store: MemoryStore,
    pub(crate) lookups: Arc<LookupService>,
    pub(crate) worker: Arc<LookupWorker>,
    requests: ProofRequestService,
    signals: Arc<LookupSignals>,
    timer: Arc<ManualTimer>,
}

/// Settings of a process.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) places: u32,
    pub(crate) test_scale: RetryScale,
    /// Generations of its store secrets, the newest first.
    pub(crate) secrets: &'static [u16],
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            places: 8,
            test_scale: RetryScale::NONE,
            secrets: &[1],
        }
    }
}

/// Counts the checks of seals, none of which it knows a key of.
#[derive(Default)]
pub(crate) struct CountingSeals(AtomicUsize);

impl CountingSeals {
    pub(crate) fn checks(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl SealChecks for CountingSeals {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        self.0.fetch_add(1, Ordering::SeqCst);
        NoSealKeys.check(environment, proof)
    }

    async fn record(&self, _: Environment, _: &Proof, _: &CheckedSeal) {}
}

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Lets all tasks go on as far as they can.
pub(crate) async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

pub(crate) fn world() -> World {
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

/// A world with one process and a test key of the operator's.
pub(crate) async fn start() -> (World, Process, Holder) {
    let world = world();
    let process = world.process(Settings::default());
    let holder = world.holder(&operator(), Environment::Test).await;
    (world, process, holder)
}

impl World {
    pub(crate) fn process(&self, settings: Settings) -> Process {
        let Settings {
            places,
            test_scale,
            secrets,
        } = settings;
        let base = &self.base;
        let store = base.data.elsewhere();
        let signals = Arc::<LookupSignals>::default();
        let encryption = encryption(secrets);
        let lookups = service(
            base,
            &store,
            &encryption,
            self.seals.clone(),
            &signals,
            self.timer.clone(),
        );
        let proofs = Arc::new(ProofService::new(
            BankBySide {
                live: self.live_bank.clone(),
                test: self.bank.clone(),
            },
            base.clock.clone(),
            Arc::new(Catalogue::embedded().clone()),
            PATIENCE,
            ProofMemory::new(0, Duration::from_mins(1)),
            Arc::new(BankMonitor::new(base.clock.clone())),
            self.seals.clone(),
        ));
        let seen = Arc::new(base.data.clone());
        let history = DeliveryHistory::new(hasher(), seen, base.journal.clone());
        let history = Arc::new(history);
        let requests = ProofRequestService::new(
            RequestSteps {
                gatekeeper: base.gatekeeper.clone(),
                proofs: proofs.clone(),
                files: FileChecks::new(
                    ProofCheckService::new(
                        Arc::new(unknown_certificate),
                        Arc::new(NoPdfs),
                        Arc::new(DeflatedZip),
                        base.clock.clone(),
                    ),
                    Arc::new(Catalogue::embedded().clone()),
                    base.clock.clone(),
                    Box::new(|work| Box::pin(async move { work() })),
                ),
                history: history.clone(),
                lookups: lookups.clone(),
                idempotency: Arc::new(idempotency(base, &store)),
                clock: base.clock.clone(),
            },
            Box::new(|task| drop(tokio::spawn(task))),
        );
        let worker = LookupWorker::new(WorkerParts {
            store: Arc::new(store.clone()),
            encryption,
            proofs,
            gatekeeper: base.gatekeeper.clone(),
            history,
            signals: signals.clone(),
            webhooks: Arc::default(),
            clock: base.clock.clone(),
            timer: self.timer.clone(),
            random: self.random.clone(),
            spawn: Box::new(|task| drop(tokio::spawn(task))),
            places,
            test_scale,
        });
        Process {
            store,
            lookups,
            worker: Arc::new(worker),
            requests,
            signals,
            timer: self.timer.clone(),
        }
    }

    /// A key of an admin's that is hardly limited.
    pub(crate) async fn holder(&self, owner: &Caller, environment: Environment) -> Holder {
        let order = NewKey {
            name: KeyName::parse("till").unwrap(),
            environment,
            limits: Some(limits(1_000, Some(10_000))),
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

    /// Requests whose end was written down.
    pub(crate) fn ended(&self) -> Vec<RequestEntry> {
        self.base.written.requests()
    }

    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let ended = self.ended();
        ended.iter().map(|request| request.outcome).collect()
    }

    /// Admissions and refunds of a key that are stored.
    pub(crate) async fn charges(&self, holder: &Holder) -> (u64, u64) {
        let used = self.base.used(holder.id).await;
        (used.charged, used.refunded)
    }

    /// The month's use by a key, as its limiter has it.
    pub(crate) async fn counted(&self, holder: &Holder) -> u64 {
        let key = Some(holder.secret.reveal());
        let identified = self.base.gatekeeper.identify(key, HERE).await;
        identified.unwrap().limit_status.month.unwrap().used
    }

    /// The stored lookup.
    pub(crate) async fn stored(&self, holder: &Holder, id: LookupId) -> Option<StoredLookup> {
        let key = Some(holder.secret.reveal());
        let identified = self.base.gatekeeper.identify(key, HERE).await;
        let customer = identified.unwrap().customer;
        self.base.data.lookup(customer, id).await.unwrap()
    }

    /// All lookups that are stored of a customer.
    pub(crate) async fn all_stored(&self, holder: &Holder) -> Vec<StoredLookup> {
        let key = Some(holder.secret.reveal());
        let identified = self.base.gatekeeper.identify(key, HERE).await;
        let customer = identified.unwrap().customer;
        let (all, page) = (LookupFilter::default(), PageRequest::first(PageSize::MAX));
        let listed = self.base.data.lookups(customer, &all, &page);
        let items = listed.await.unwrap().items.into_iter();
        items.map(|(_, lookup)| lookup).collect()
    }

    /// Seconds since the beginning of the test.
    pub(crate) fn elapsed(&self) -> u64 {
        self.base.clock.monotonic().as_secs()
    }

    /// Time until an instant, in seconds.
    pub(crate) fn seconds_until(&self, instant: Option<DateTime<Utc>>) -> i64 {
        (instant.unwrap() - self.base.clock.now()).num_seconds()
    }
}

impl Process {
    /// Listens to what other processes do from now on.
    pub(crate) async fn listen(&self) -> JoinHandle<()> {
        let (notifications, signals) = (Arc::new(self.store.clone()), self.signals.clone());
        let listener = LookupListener::new(notifications, signals, self.timer.clone());
        let listening = tokio::spawn(Arc::new(listener).run());
        settle().await;
        listening
    }

    /// Starts a request for a lookup.
    pub(crate) fn begin(
        &self,
        holder: &Holder,
        question: impl Into<Question>,
    ) -> oneshot::Receiver<Answer> {
        let (answer, receiver) = oneshot::channel();
        let exchange = Exchange {
            question: question.into(),
            refusals: Arc::default(),
            answer,
        };
        let request = AdmissionRequest {
            endpoint: Endpoint::Lookups,
            ..request(Some(holder.secret.reveal()), HERE)
        };
        self.requests.create(request, Box::new(exchange));
        receiver
    }

    pub(crate) async fn ask(&self, holder: &Holder, question: impl Into<Question>) -> Answer {
        self.begin(holder, question).await.unwrap()
    }

    /// A lookup that was created.
    pub(crate) async fn create(&self, holder: &Holder, request: LookupRequest) -> LookupView {
        let answer = self.ask(holder, request).await;
        assert!(matches!(answer.served, ServedRequest::Accepted(_)));
        answer.created.unwrap()
    }

    /// A request that was settled instead.
    pub(crate) async fn settled(
        &self,
        holder: &Holder,
        question: impl Into<Question>,
    ) -> SettledRequest {
        let answer = self.ask(holder, question).await;
        assert!(answer.created.is_none());
        match answer.served {
            ServedRequest::Settled(settled) => settled,
            other => panic!("{other:?}"),
        }
    }

    /// One round of the worker, and all that its attempts can do; returns their number.
    pub(crate) async fn work(&self) -> usize {
        let started = self.worker.round().await.unwrap();
        settle().await;
        started
    }

    pub(crate) async fn find(
        &self,
        holder: &Holder,
        id: LookupId,
    ) -> Result<Read<LookupView>, LookupError> {
        self.lookups.find(access(holder), id, Duration::ZERO).await
    }

    pub(crate) async fn view(&self, holder: &Holder, id: LookupId) -> LookupView {
        self.find(holder, id).await.unwrap().found
    }

    pub(crate) async fn state(&self, holder: &Holder, id: LookupId) -> LookupState {
        self.view(holder, id).await.state
    }

    pub(crate) async fn remove(
        &self,
        holder: &Holder,
        id: LookupId,
    ) -> Result<RemovedLookup, LookupError> {
        let removed = self.lookups.remove(access(holder), id).await;
        removed.map(|read| read.found)
    }
}

pub(crate) fn access(holder: &Holder) -> LookupAccess {
    LookupAccess {
        presented_key: Some(holder.secret.reveal().to_owned()),
        address: HERE,
        request_id: RequestId::parse("read-1").unwrap(),
    }
}
