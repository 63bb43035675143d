//! Stored lookups: their service, and the worker that makes their attempts.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use application::{
    AccountReencryption, BatchFeeder, BatchService, DeliveryHistory, GatekeeperService,
    IdempotencyService, LookupEncryption, LookupListener, LookupReader, LookupService,
    LookupSignals, LookupWorker, OwnAccountService, OwnAccounts, PersonLookupService,
    PersonLookupSources, ProofService, SealService, SharedCatalogue, WorkSignal, WorkerParts,
};
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use domain::pacing::Pacing;
use ports::outbound::LookupStore;
use store_seaorm::Store;
use tokio_util::task::TaskTracker;

use super::infrastructure::Infrastructure;
use super::tasks::spawning_in;
use crate::config::{LookupOptions, StoreSecret};
use crate::system::SystemTimer;

/// Parts of stored lookups that the server's start and stop need.
pub(crate) struct Lookups {
    pub(crate) service: Arc<LookupService>,
    /// `None` if this process makes no attempts.
    pub(crate) worker: Option<Arc<LookupWorker>>,
    /// `None` on SQLite, which only one process serves.
    pub(crate) listener: Option<Arc<LookupListener>>,
    pub(crate) batches: Batches,
    pub(super) encryption: Arc<LookupEncryption>,
}

impl Lookups {
    /// Creates the re-encryption of own accounts.
    pub(crate) fn account_reencryption(&self, store: &Store) -> AccountReencryption {
        AccountReencryption::new(own_accounts(store, &self.encryption))
    }

    /// Creates the service of people's own accounts, over the connections of `pool`.
    pub(super) fn own_account_service(
        &self,
        (base, pool): (&Infrastructure, &Store),
        participants: &Arc<SharedCatalogue>,
    ) -> OwnAccountService {
        OwnAccountService::new(
            own_accounts(pool, &self.encryption),
            Arc::new(pool.clone()),
            Arc::clone(participants),
            Arc::clone(&base.clock),
            Arc::clone(&base.random),
        )
    }
}

/// Own accounts over these connections.
fn own_accounts(store: &Store, encryption: &Arc<LookupEncryption>) -> OwnAccounts {
    OwnAccounts::new(Arc::new(store.clone()), Arc::clone(encryption))
}

/// Parts of batches that the server's start and stop need.
pub(crate) struct Batches {
    pub(crate) service: Arc<BatchService>,
    /// Batch service for signed-in people, on the dashboard's connections; `None` without a
    /// dashboard.
    pub(crate) of_people: Option<Arc<BatchService>>,
    /// `None` if this process makes no attempts.
    pub(crate) feeder: Option<Arc<BatchFeeder>>,
}

/// Creates the services of stored lookups, and holds what they share.
pub(super) struct StoredLookups {
    pub(super) options: LookupOptions,
    pub(super) pacing: Pacing,
    store: Arc<dyn LookupStore>,
    /// The dashboard's connections; `None` without a dashboard.
    pub(super) pool_of_people: Option<Store>,
    pub(super) encryption: Arc<LookupEncryption>,
    pub(super) secret: StoreSecret,
    pub(super) signals: Arc<LookupSignals>,
    /// Wakes the delivery of webhooks when a lookup ends.
    pub(super) webhooks: Arc<WorkSignal>,
}

impl StoredLookups {
    /// Lookups in the database of `base`. People's reads use `pool_of_people`, `secret` derives the
    /// encryption keys, and `pacing` is the budget of live lookups.
    ///
    /// # Errors
    /// The secret can't be used.
    pub(super) fn new(
        (base, pool_of_people): (&Infrastructure, Option<&Store>),
        (options, pacing): (LookupOptions, Pacing),
        secret: &StoreSecret,
    ) -> Result<Self> {
        let secrets = secret.lookups();
        let secrets = secrets.map_err(|problem| unusable(&problem))?;
        Ok(Self {
            options,
            pacing,
            store: Arc::new(base.store.clone()),
            pool_of_people: pool_of_people.cloned(),
            encryption: Arc::new(LookupEncryption::new(Arc::new(AesCipher), secrets)),
            secret: secret.clone(),
            signals: Arc::default(),
            webhooks: Arc::default(),
        })
    }

    /// Creates the service for callers of the API.
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
            own_accounts(&base.store, &self.encryption),
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

    /// Creates the service that recognises repeated requests, whose answers may be lookups.
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

    /// Creates the listener that forwards other processes' notifications to the service and the
    /// worker of this one.
    pub(super) fn listener(&self, base: &Infrastructure) -> Option<Arc<LookupListener>> {
        let notifications = Arc::new(base.store.notifications()?);
        let signals = Arc::clone(&self.signals);
        let listener = LookupListener::new(notifications, signals, Arc::new(SystemTimer));
        Some(Arc::new(listener))
    }

    /// Creates the worker, whose attempts `tasks` tracks; `None` when this process makes none.
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

/// Creates the service of signed-in people's own lookups, which reads on the dashboard's
/// connections.
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
