//! Batches: their service, and the feeder that makes lookups of their rows.

use std::sync::Arc;

use anyhow::Result;
use application::{
    BatchEncryption, BatchFeeder, BatchService, BatchSources, FeederParts, GatekeeperService,
    IdempotencyService, LookupService,
};
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use tokio_util::task::TaskTracker;

use super::infrastructure::Infrastructure;
use super::lookups::{Batches, StoredLookups, unusable};
use super::spawning_in;
use crate::system::SystemTimer;

impl StoredLookups {
    /// Batches, the work on which `tasks` tracks.
    ///
    /// # Errors
    /// The secret can't be used.
    pub(super) fn batches(
        &self,
        base: &Infrastructure,
        (gatekeeper, idempotency): (&Arc<GatekeeperService>, &Arc<IdempotencyService>),
        lookups: &Arc<LookupService>,
        tasks: &TaskTracker,
    ) -> Result<Batches> {
        let secrets = self.secret.lookups();
        let secrets = secrets.map_err(|problem| unusable(&problem))?;
        let encryption = Arc::new(BatchEncryption::new(Arc::new(AesCipher), secrets));
        let sources = BatchSources {
            store: Arc::new(base.store.clone()),
            keys: Arc::clone(&base.key_store),
            customers: Arc::new(base.store.clone()),
            lookups: Arc::clone(lookups),
            gatekeeper: Arc::clone(gatekeeper),
            idempotency: Arc::clone(idempotency),
        };
        let service = BatchService::new(
            sources,
            Arc::clone(&encryption),
            (Arc::clone(&base.clock), Arc::clone(&base.random)),
            self.pacing,
            TimeDelta::days(self.options.lookup_retention.into()),
        );
        let parts = FeederParts {
            store: Arc::new(base.store.clone()),
            encryption,
            lookups: Arc::clone(lookups),
            gatekeeper: Arc::clone(gatekeeper),
            signals: Arc::clone(&self.signals),
            clock: Arc::clone(&base.clock),
            timer: Arc::new(SystemTimer),
            random: Arc::clone(&base.random),
            spawn: spawning_in(tasks),
            pacing: self.pacing,
            webhooks: Arc::clone(&self.webhooks),
        };
        let feeder = (self.options.workers > 0).then(|| Arc::new(BatchFeeder::new(parts)));
        Ok(Batches {
            service: Arc::new(service),
            feeder,
        })
    }
}
