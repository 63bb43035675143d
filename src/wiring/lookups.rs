//! Stored lookups: their service, and the worker that makes their attempts.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use application::{
    BatchFeeder, BatchService, DeliveryHistory, GatekeeperService, IdempotencyService,
    LookupEncryption, LookupListener, LookupReader, LookupService, LookupSignals, LookupWorker,
    PersonLookupService, PersonLookupSources, ProofService, SealService, SharedCatalogue,
    WorkSignal, WorkerParts,
};
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use domain::pacing::Pacing;
use ports::outbound::LookupStore;
use store_seaorm::Store;
use tokio_util::task::TaskTracker;

use super::infrastructure::Infrastructure;
use super::spawning_in;
use crate::config::{LookupOptions, StoreSecret};
use crate::metrics::{MeteredLookups, Metrics};
use crate::system::SystemTimer;

/// Parts of stored lookups that the life cycle of the server needs.
pub(crate) struct Lookups {
    pub(crate) service: Arc<LookupService>,
    /// Unless this process makes no attempts.
    pub(crate) worker: Option<Arc<LookupWorker>>,
    /// Where other processes serve on the same database.
    pub(crate) listener: Option<Arc<LookupListener>>,
    /// The queue, whose readings are measured.
    pub(crate) queue: Arc<dyn LookupStore>,
    /// Batches, whose rows are lookups.
    pub(crate) batches: Batches,
}

/// Batches, as the life cycle of the server uses them.
pub(crate) struct Batches {
    pub(crate) service: Arc<BatchService>,
    /// Lookups of people with a session, on the dashboard's connections; `None` without a dashboard.
    pub(crate) of_people: Option<Arc<BatchService>>,
    /// Unless this process makes no attempts.
    pub(crate) feeder: Option<Arc<BatchFeeder>>,
}

/// Stored lookups of this process.
pub(super) struct StoredLookups {
    pub(super) options: LookupOptions,
    pub(super) pacing: Pacing,
    store: Arc<dyn LookupStore>,
    /// The dashboard's connections.
    pub(super) pool_of_people: Option<Store>,
    encryption: Arc<LookupEncryption>,
    pub(super) secret: StoreSecret,
    pub(super) signals: Arc<LookupSignals>,
    /// Signals of ends that webhooks tell.
    pub(super) webhooks: Arc<WorkSignal>,
    pub(super) metrics: Arc<Metrics>,
}

impl StoredLookups {
    /// Lookups in the database of `base`, where people read on a pool of their own, encrypted by this
    /// secret; live ones have this budget.
    ///
    /// # Errors
    /// The secret can't be used.
    pub(super) fn new(
        (base, pool_of_people): (&Infrastructure, Option<&Store>),
        (options, pacing): (LookupOptions, Pacing),
        secret: &StoreSecret,
        metrics: &Arc<Metrics>,
    ) -> Result<Self> {
        let secrets = secret.lookups();
        let secrets = secrets.map_err(|problem| unusable(&problem))?;
        Ok(Self {
            options,
            pacing,
            store: Arc::new(MeteredLookups::new(metrics, Arc::new(base.store.clone()))),
            pool_of_people: pool_of_people.cloned(),
            encryption: Arc::new(LookupEncryption::new(Arc::new(AesCipher), secrets)),
            secret: secret.clone(),
            signals: Arc::default(),
            webhooks: Arc::default(),
            metrics: Arc::clone(metrics),
        })
    }

    /// The queue.
    pub(super) fn queue(&self) -> Arc<dyn LookupStore> {
        Arc::clone(&self.store)
    }

    /// The service of callers.
    pub(super) fn service(
        &self,
        base: &Infrastructure,
        gatekeeper: &Arc<GatekeeperService>,
        (seals, participants): (&Arc<SealService>, &Arc<SharedCatalogue>),
    ) -> LookupService {
        let reader = LookupReader::new(
            Arc::clone(&self.encryption),
            participants.clone(),
            seals.clone(),
            TimeDelta::days(self.options.lookup_retention.into()),
        );
        LookupService::new(
            Arc::clone(&self.store),
            reader,
            Arc::clone(gatekeeper),
            Arc::clone(&self.signals),
            Arc::clone(&base.clock),
            Arc::new(SystemTimer),
            self.pacing,
        )
    }

    /// The recognition of repeated requests, whose answers may be lookups.
    ///
    /// # Errors
    /// The secret can't be used.
    pub(super) fn idempotency(&self, base: &Infrastructure) -> Result<IdempotencyService> {
        let secrets = self.secret.idempotency();
        Ok(IdempotencyService::new(
            Arc::new(base.store.clone()),
            secrets.map_err(|problem| unusable(&problem))?,
            Arc::clone(&base.clock),
            Arc::clone(&base.random),
        ))
    }

    /// Passes what other processes do on to the service and the worker of this one.
    pub(super) fn listener(&self, base: &Infrastructure) -> Option<Arc<LookupListener>> {
        let notifications = Arc::new(base.store.notifications()?);
        let signals = Arc::clone(&self.signals);
        let listener = LookupListener::new(notifications, signals, Arc::new(SystemTimer));
        Some(Arc::new(listener))
    }

    /// The worker, whose attempts `tasks` tracks; `None` when this process makes none.
    pub(super) fn worker(
        &self,
        base: &Infrastructure,
        gatekeeper: &Arc<GatekeeperService>,
        (proofs, history): (&Arc<ProofService>, &Arc<DeliveryHistory>),
        tasks: &TaskTracker,
    ) -> Option<Arc<LookupWorker>> {
        let LookupOptions {
            workers,
            retry_scale,
            ..
        } = self.options;
        let parts = WorkerParts {
            store: Arc::clone(&self.store),
            encryption: Arc::clone(&self.encryption),
            proofs: Arc::clone(proofs),
            gatekeeper: Arc::clone(gatekeeper),
            history: Arc::clone(history),
            signals: Arc::clone(&self.signals),
            webhooks: Arc::clone(&self.webhooks),
            clock: Arc::clone(&base.clock),
            timer: Arc::new(SystemTimer),
            random: Arc::clone(&base.random),
            spawn: spawning_in(tasks),
            places: workers,
            test_scale: retry_scale,
        };
        (workers > 0).then(|| Arc::new(LookupWorker::new(parts)))
    }
}

/// The service of people's own lookups, which reads on the dashboard's connections.
pub(super) fn of_people(
    base: &Infrastructure,
    pool: &Store,
    lookups: &Arc<LookupService>,
) -> PersonLookupService {
    let sources = PersonLookupSources {
        store: Arc::new(pool.clone()),
        keys: Arc::new(pool.clone()),
        customers: Arc::new(pool.clone()),
    };
    let (clock, random) = (Arc::clone(&base.clock), Arc::clone(&base.random));
    PersonLookupService::new(Arc::clone(lookups), sources, clock, random)
}

pub(super) fn unusable(problem: &str) -> anyhow::Error {
    anyhow!("CEP_STORE_SECRET: {problem}")
}
