//! Infrastructure shared by all commands that work on keys, and the services that need nothing else.

use std::sync::Arc;

use anyhow::Result;
use application::{
    ChangeFeed, GatekeeperService, HealthService, KeyService, Reconciliation, Retirement,
};
use ports::outbound::{Clock, KeyStore, Limiter, Random, StoreError, UsageJournal};
use store_seaorm::Store;

use super::Deployment;
use super::limits::LimitBackend;
use super::secrets::{hasher, hmac_secret};
use super::storage;
use crate::config::{HmacSecret, KeyOptions};
use crate::metrics::Metrics;
use crate::system::{SystemClock, SystemRandom, SystemTimer};

/// The store, the secret of keys, and the rate limiter.
pub(super) struct Infrastructure {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) random: Arc<dyn Random>,
    pub(super) store: Store,
    pub(super) key_store: Arc<dyn KeyStore>,
    pub(super) secret: HmacSecret,
    pub(super) limits: LimitBackend,
    pub(super) limiter: Arc<dyn Limiter>,
}

impl Infrastructure {
    /// Opens the database and Redis that the options name.
    ///
    /// # Errors
    /// Either can't be opened.
    pub(super) async fn open(
        options: &KeyOptions,
        connections: u32,
        metrics: &Arc<Metrics>,
    ) -> Result<Self> {
        let deployment = Deployment::of(options)?;
        let store = storage::open(&options.database, deployment, connections).await?;
        let opened = Self::on(options, metrics, store.clone()).await;
        storage::closed_on_error(&store, opened).await
    }

    async fn on(options: &KeyOptions, metrics: &Arc<Metrics>, store: Store) -> Result<Self> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let random: Arc<dyn Random> = Arc::new(SystemRandom);
        let key_store: Arc<dyn KeyStore> = Arc::new(store.clone());
        let secret = hmac_secret(options, &store, random.as_ref()).await?;
        let limits = LimitBackend::of(&options.replicas, &key_store, &clock, metrics)?;
        Ok(Self {
            clock,
            random,
            store,
            key_store,
            secret,
            limiter: limits.limiter(),
            limits,
        })
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

    pub(super) fn gatekeeper(&self, journal: &Arc<dyn UsageJournal>) -> Result<GatekeeperService> {
        Ok(GatekeeperService::new(
            Arc::clone(&self.key_store),
            Arc::clone(&self.limiter),
            Arc::clone(journal),
            Arc::clone(&self.clock),
            Arc::clone(&self.random),
            hasher(&self.secret)?,
        ))
    }

    /// The task that follows changes of keys.
    pub(super) async fn change_feed(&self) -> Result<ChangeFeed, StoreError> {
        let keys = Arc::clone(&self.key_store);
        ChangeFeed::start(keys, Arc::clone(&self.limiter), Arc::clone(&self.clock)).await
    }

    pub(super) fn retirement(&self) -> Retirement {
        Retirement::new(
            Arc::clone(&self.key_store),
            Arc::clone(&self.limiter),
            Arc::clone(&self.clock),
            Arc::clone(&self.random),
        )
    }

    /// The task that restores what a shared limiter may have lost.
    pub(super) fn reconciliation(&self) -> Option<Reconciliation> {
        let limiter = self.limits.fallback_limiter()?;
        Some(Reconciliation::new(limiter, Arc::clone(&self.key_store)))
    }

    pub(super) fn health(
        &self,
        change_feed: &Arc<ChangeFeed>,
        journal: Arc<dyn UsageJournal>,
    ) -> HealthService {
        let store = Arc::clone(change_feed);
        match &self.limits {
            LimitBackend::InProcess { limiter, .. } => {
                HealthService::new(store, journal, Arc::clone(limiter))
            }
            LimitBackend::Shared { limiter, .. } => {
                HealthService::with_fallback(store, journal, Arc::clone(limiter))
            }
        }
    }
}
