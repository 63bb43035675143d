//! Batches: their service, and the feeder that creates lookups of their rows.

use std::sync::Arc;

use anyhow::Result;
use application::{
    BatchEncryption, BatchFeeder, BatchPlaces, BatchService, BatchSources, DeliveryHistory,
    FeederParts, GatekeeperService, IdempotencyService, ImportedFiles, LookupService,
};
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use ports::outbound::KeyStore;
use store_seaorm::Store;
use tokio_util::task::TaskTracker;

use super::infrastructure::Infrastructure;
use super::lookups::{Batches, StoredLookups, unusable};
use super::tasks::spawning_in;
use crate::system::SystemTimer;

impl StoredLookups {
    /// Creates the parts of batches, whose work `tasks` tracks.
    ///
    /// # Errors
    /// The secret can't be used.
    pub(super) fn batches(
        &self,
        base: &Infrastructure,
        (gatekeeper, idempotency): (&Arc<GatekeeperService>, &Arc<IdempotencyService>),
        (lookups, history): (&Arc<LookupService>, &Arc<DeliveryHistory>),
        files: ImportedFiles,
        tasks: &TaskTracker,
    ) -> Result<Batches> {
        let secrets = self.secret.lookups();
        let secrets = secrets.map_err(|problem| unusable(&problem))?;
        let encryption = Arc::new(BatchEncryption::new(Arc::new(AesCipher), secrets));
        let places = Arc::<BatchPlaces>::default();
        let files = Arc::new(files);
        let over = |store: &Store, keys: Arc<dyn KeyStore>| {
            let account_keys = base.account_keys(store, keys);
            let sources = BatchSources {
                store: Arc::new(store.clone()),
                account_keys: Arc::new(account_keys),
                lookups: Arc::clone(lookups),
                gatekeeper: Arc::clone(gatekeeper),
                idempotency: Arc::clone(idempotency),
                webhooks: Arc::clone(&self.webhooks),
                timer: Arc::new(SystemTimer),
                places: Arc::clone(&places),
                files: Arc::clone(&files),
                history: Arc::clone(history),
            };
            Arc::new(BatchService::new(
                sources,
                Arc::clone(&encryption),
                (Arc::clone(&base.clock), Arc::clone(&base.random)),
                self.pacing,
                TimeDelta::days(self.options.lookup_retention.into()),
            ))
        };
        let service = over(&base.store, Arc::clone(&base.key_store));
        let of_people = self.pool_of_people.as_ref();
        let of_people = of_people.map(|pool| over(pool, Arc::new(pool.clone())));
        let parts = FeederParts {
            store: Arc::new(base.store.clone()),
            encryption: Arc::clone(&encryption),
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
            service,
            of_people,
            feeder,
        })
    }
}
