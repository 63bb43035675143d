//! Infrastructure shared by all commands that work on keys, and the services that need nothing else.

use std::num::NonZeroU32;
use std::sync::Arc;

use anyhow::{Context, Result};
use application::{
    AccountKeys, Caller, ChangeFeed, CountSource, CredentialCache, DeliveryHistory,
    GatekeeperService, HealthService, KeyService, Reconciliation, ReplicaCount, ReplicaMonitor,
    Retirement,
};
use chrono::{DateTime, Utc};
use domain::erasure::{self, ErasureClock};
use domain::people::customer::{Owner, Role};
use domain::request::RequestId;
use ports::outbound::{Clock, KeyStore, Limiter, Random, StoreError, UsageJournal, new_id};
use store_seaorm::Store;
use uuid::Uuid;

use super::limits::LimitBackend;
use super::secrets::{hasher, hmac_secret};
use super::storage;
use crate::config::{Deployment, HmacSecret, KeyOptions, ReplicaOptions};
use crate::system::{SystemClock, SystemRandom, SystemTimer};

/// The store, the secret of keys, and the rate limiter.
pub(super) struct Infrastructure {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) random: Arc<dyn Random>,
    /// From the time that erasure had come to before this process.
    pub(super) erasure: ErasureClock,
    pub(super) store: Store,
    pub(super) key_store: Arc<dyn KeyStore>,
    pub(super) secret: HmacSecret,
    pub(super) limits: LimitBackend,
    pub(super) limiter: Arc<dyn Limiter>,
    credentials: Arc<CredentialCache>,
    /// Number of replicas; each enforces its share of the limits while Redis fails.
    pub(super) replicas: Arc<ReplicaCount>,
}

impl Infrastructure {
    /// Creates the service of the keys of people's accounts, over these connections.
    pub(super) fn account_keys(&self, store: &Store, keys: Arc<dyn KeyStore>) -> AccountKeys {
        let generated = (Arc::clone(&self.clock), Arc::clone(&self.random));
        AccountKeys::new(Arc::new(store.clone()), keys, generated)
    }

    /// Opens the database and Redis that the options name.
    ///
    /// # Errors
    /// The database or Redis can't be opened.
    pub(super) async fn open(options: &KeyOptions, connections: u32) -> Result<Self> {
        let deployment = Deployment::of(&options.database, &options.replicas)?;
        let store = storage::open(&options.database, deployment, connections).await?;
        let opened = Self::on(options, store.clone()).await;
        storage::closed_on_error(&store, opened).await
    }

    async fn on(options: &KeyOptions, store: Store) -> Result<Self> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let random: Arc<dyn Random> = Arc::new(SystemRandom);
        let stored = store.erasure_time().await?;
        warn_of_wrong_time(stored, clock.now());
        let erasure = ErasureClock::new(stored, clock.now(), clock.monotonic());
        let key_store: Arc<dyn KeyStore> = Arc::new(store.clone());
        let secret = hmac_secret(options, &store, random.as_ref()).await?;
        // Unless configured: one, until the first heartbeat counts them.
        let configured = options.replicas.replicas;
        let replicas = Arc::new(ReplicaCount::new(configured.unwrap_or(NonZeroU32::MIN)));
        let limits = LimitBackend::of(&options.replicas, &key_store, &clock, &replicas)?;
        Ok(Self {
            clock,
            random,
            erasure,
            store,
            key_store,
            secret,
            limiter: limits.limiter(),
            limits,
            credentials: Arc::default(),
            replicas,
        })
    }

    /// Creates the task that sends the heartbeats of this process, and sends the first. It counts the
    /// replicas, unless their number is configured. `None` without Redis.
    ///
    /// # Errors
    /// The database fails.
    pub(super) async fn replica_monitor(
        &self,
        options: &ReplicaOptions,
        instance: Uuid,
    ) -> Result<Option<Arc<ReplicaMonitor>>> {
        let source = match (options.has_redis(), options.replicas) {
            (false, _) => return Ok(None),
            (true, Some(_)) => CountSource::Configured,
            (true, None) => CountSource::Counted,
        };
        let registry = Arc::new(self.store.clone());
        let (clock, count) = (Arc::clone(&self.clock), Arc::clone(&self.replicas));
        let monitor = ReplicaMonitor::new(registry, clock, instance, count, source);
        let beat = monitor.beat().await;
        beat.context("counting the replicas in the database")?;
        Ok(Some(Arc::new(monitor)))
    }

    /// The caller for work that is done on this machine: an admin.
    pub(super) fn operator(&self) -> Caller {
        let id = new_id(self.clock.as_ref(), self.random.as_ref());
        Caller {
            owner: Owner::operator(),
            role: Role::Admin,
            request_id: RequestId::from_uuid(id),
        }
    }

    pub(super) fn key_service(&self) -> Result<KeyService> {
        Ok(KeyService::new(
            Arc::new(self.store.clone()),
            Arc::new(self.store.clone()),
            Arc::clone(&self.limiter),
            Arc::clone(&self.clock),
            Arc::new(SystemTimer),
            Arc::clone(&self.random),
            hasher(&self.secret)?,
        ))
    }

    /// Creates the key service; the dashboard's reads use `pool`, if there is one.
    pub(super) fn key_service_reading_from(&self, pool: Option<&Store>) -> Result<KeyService> {
        let service = self.key_service()?;
        let Some(pool) = pool else {
            return Ok(service);
        };
        let (keys, customers) = (Arc::new(pool.clone()), Arc::new(pool.clone()));
        Ok(service.reading_from(keys, customers))
    }

    /// Creates the service that admits proof requests by the keys of the store.
    pub(super) fn gatekeeper(&self, journal: &Arc<dyn UsageJournal>) -> Result<GatekeeperService> {
        Ok(GatekeeperService::new(
            Arc::clone(&self.key_store),
            Arc::clone(&self.limiter),
            Arc::clone(journal),
            Arc::clone(&self.clock),
            Arc::clone(&self.random),
            hasher(&self.secret)?,
            Arc::clone(&self.credentials),
        ))
    }

    /// Creates the service that knows the proofs delivered to each customer.
    pub(super) fn delivery_history(
        &self,
        journal: &Arc<dyn UsageJournal>,
    ) -> Result<DeliveryHistory> {
        Ok(DeliveryHistory::new(
            hasher(&self.secret)?,
            Arc::new(self.store.clone()),
            Arc::clone(journal),
            Arc::clone(&self.clock),
        ))
    }

    /// Creates the task that follows the change feed of keys.
    pub(super) async fn change_feed(&self) -> Result<ChangeFeed, StoreError> {
        ChangeFeed::start(
            Arc::clone(&self.key_store),
            Arc::clone(&self.limiter),
            Arc::clone(&self.credentials),
            Arc::clone(&self.clock),
        )
        .await
    }

    pub(super) fn retirement(&self) -> Retirement {
        Retirement::new(
            Arc::clone(&self.key_store),
            Arc::clone(&self.limiter),
            Arc::clone(&self.clock),
            Arc::clone(&self.random),
        )
    }

    /// Creates the task that restores what a shared limiter may have lost; `None` without Redis.
    pub(super) fn reconciliation(&self) -> Option<Reconciliation> {
        let limiter = self.limits.fallback_limiter()?;
        Some(Reconciliation::new(limiter, Arc::clone(&self.key_store)))
    }

    pub(super) fn health(
        &self,
        change_feed: &Arc<ChangeFeed>,
        journal: Arc<dyn UsageJournal>,
    ) -> HealthService {
        let (store, clock) = (Arc::clone(change_feed), Arc::clone(&self.clock));
        match &self.limits {
            LimitBackend::InProcess { limiter, .. } => {
                HealthService::new(store, journal, Arc::clone(limiter), clock)
                    .with_erasure(self.erasure)
            }
            LimitBackend::Shared { limiter, .. } => {
                HealthService::with_fallback(store, journal, Arc::clone(limiter), clock)
                    .with_erasure(self.erasure)
            }
        }
    }
}

fn warn_of_wrong_time(stored: Option<DateTime<Utc>>, now: DateTime<Utc>) {
    if let Some(stored) = stored
        && erasure::is_wrong(stored, now)
    {
        tracing::warn!(
            clock = %now,
            database = %stored,
            "the last time that the database knows is more than a day after the clock's: one of them is wrong. Erasure \
             goes on as of the clock's"
        );
    }
}
