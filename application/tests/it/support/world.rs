//! Processes of the gateway on the same data and banks, at the same time.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use application::{
    AccountReencryption, BankMonitor, BatchFeeder, BatchService, Caller, DeliveryHistory,
    LookupService, LookupSignals, LookupWorker, OwnAccountService, PersonLookupService,
    ProofRequestService, SpawnTask, ValidatorBySide, WorkSignal,
};
use domain::keys::Environment;
use domain::limits::Limits;
use domain::lookups::RetryScale;
use domain::outcome::Outcome;
use domain::pacing::Pacing;
use ports::outbound::RequestEntry;
use testkit::fakes::{CountingRandom, Faults, MemoryStore, ScriptedBank, by_amount};
use testkit::lookups::{LookupParts, LookupServices, proofs};
use tokio::task::{AbortHandle, JoinHandle};

use super::fixture::{Fixture, HERE, Holder, fixture};
use super::{ManualTimer, ScriptedSeals, hasher, limits, operator};

/// The data, the banks, the time.
pub(crate) struct World {
    pub(crate) base: Fixture,
    pub(crate) bank: Arc<ScriptedBank>,
    pub(crate) live_bank: Arc<ScriptedBank>,
    pub(crate) seals: Arc<ScriptedSeals>,
    pub(crate) timer: Arc<ManualTimer>,
    pub(crate) random: Arc<CountingRandom>,
    pub(crate) validators: ValidatorBySide,
}

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

pub(crate) struct Process {
    /// The store as this process sees it.
    pub(crate) store: MemoryStore,
    pub(crate) lookups: Arc<LookupService>,
    pub(crate) people: Arc<PersonLookupService>,
    pub(crate) batches: Arc<BatchService>,
    pub(crate) worker: Arc<LookupWorker>,
    pub(crate) requests: Arc<ProofRequestService>,
    pub(crate) signals: Arc<LookupSignals>,
    /// Signals of events that webhooks tell.
    pub(crate) webhooks: Arc<WorkSignal>,
    pub(crate) timer: Arc<ManualTimer>,
    pub(crate) own_accounts: Arc<OwnAccountService>,
    pub(crate) account_reencryption: AccountReencryption,
    feeder: Arc<BatchFeeder>,
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

/// Limits that hardly any test reaches.
pub(crate) fn ample() -> Limits {
    limits(10_000, Some(100_000))
}

pub(crate) fn world() -> World {
    let base = fixture();
    World {
        timer: Arc::new(ManualTimer::of(&base.clock)),
        bank: Arc::new(ScriptedBank::answering(by_amount)),
        live_bank: Arc::new(ScriptedBank::answering(by_amount)),
        seals: Arc::default(),
        random: Arc::default(),
        validators: ValidatorBySide::default(),
        base,
    }
}

impl World {
    pub(crate) fn process(&self, settings: Settings) -> Process {
        let (base, store) = (&self.base, self.base.data.elsewhere());
        let monitor = Arc::new(BankMonitor::new(base.clock.clone()));
        let banks = (&self.live_bank, &self.bank);
        let history = Arc::new(base.data.clone());
        let (journal, clock) = (base.journal.clone(), base.clock.clone());
        let history = DeliveryHistory::new(hasher(), history, journal, clock);
        let parts = LookupParts {
            workers: store.clone(),
            gatekeeper: base.gatekeeper.clone(),
            proofs: proofs(banks, base.clock.clone(), monitor, self.seals.clone()),
            history: Arc::new(history),
            seals: self.seals.clone(),
            clock: base.clock.clone(),
            timer: self.timer.clone(),
            random: self.random.clone(),
            secrets: settings.secrets.to_vec(),
            pacing: Pacing::new(NonZeroU32::new(60).unwrap()),
            places: settings.places,
            test_scale: settings.test_scale,
            validators: self.validators.clone(),
            store,
        };
        let feeding = Arc::<Mutex<Vec<AbortHandle>>>::default();
        let started = feeding.clone();
        let services = LookupServices::of(
            &parts,
            (
                Arc::new(|task| drop(tokio::spawn(task))),
                Arc::new(move |task| {
                    let task = tokio::spawn(task).abort_handle();
                    started.lock().unwrap().push(task);
                }),
            ),
        );
        let spawn: SpawnTask = Arc::new(|task| drop(tokio::spawn(task)));
        Process {
            requests: Arc::new(parts.requests(services.callers.clone(), spawn)),
            store: parts.store,
            lookups: services.callers,
            people: services.people,
            own_accounts: services.own_accounts,
            account_reencryption: services.account_reencryption,
            batches: services.batches,
            worker: services.worker,
            signals: services.signals,
            webhooks: services.webhooks,
            timer: self.timer.clone(),
            feeder: services.feeder,
            feeding,
        }
    }

    /// A hardly limited key of an admin's.
    pub(crate) async fn holder(&self, owner: &Caller, environment: Environment) -> Holder {
        self.base.key_of(owner, environment, Some(ample())).await
    }

    /// A hardly limited live key of the operator's.
    pub(crate) async fn live_holder(&self) -> Holder {
        self.holder(&operator(), Environment::Live).await
    }

    pub(crate) async fn pass(&self, time: Duration) {
        self.timer.advance(time);
        settle().await;
    }

    /// Moves the time on by so many tenths of a second, one by one.
    pub(crate) async fn pass_tenths(&self, tenths: u32) {
        for _ in 0..tenths {
            self.pass(seconds(1) / 10).await;
        }
    }

    /// Lets the bank answer what it held, and all tasks go on.
    pub(crate) async fn release_bank(&self) {
        self.bank.release();
        settle().await;
    }

    /// Requests whose end was written down.
    pub(crate) fn ended(&self) -> Vec<RequestEntry> {
        self.base.journal.requests()
    }

    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let ended = self.ended();
        ended.iter().map(|request| request.outcome).collect()
    }

    /// The month's use by a key, as its limiter has it.
    pub(crate) async fn counted(&self, holder: &Holder) -> u64 {
        let key = Some(holder.secret.reveal());
        let identified = self.base.gatekeeper.identify(key, HERE).await;
        identified.unwrap().limit_status.month.unwrap().used
    }
}

impl Process {
    pub(crate) fn faults(&self) -> &Faults {
        self.store.faults()
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

    /// One round of the feeder, and all that it can do; returns the number of batches.
    pub(crate) async fn feed(&self) -> usize {
        let started = self.feeder.round().await.unwrap();
        settle().await;
        started
    }

    /// One round of the feeder, then one of the worker.
    pub(crate) async fn feed_and_work(&self) {
        self.feed().await;
        self.work().await;
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
}
