//! Creates the service of proof requests, and that of stored lookups.

use std::sync::Arc;

use anyhow::Result;
use application::{
    ProofRequestService, ProofService, SealService, SecondOpinions, SharedCatalogue,
    ValidatorBySide,
};
use ports::outbound::UsageJournal;
use tokio_util::task::TaskTracker;

use super::infrastructure::Infrastructure;
use super::lookups::{Lookups, StoredLookups};
use super::seals::FileThreads;
use super::tasks::spawning_in;

pub(super) struct RequestServices {
    pub(super) requests: ProofRequestService,
    pub(super) lookups: Lookups,
}

impl Infrastructure {
    /// Creates the services, which know the existing keys. `tasks` tracks their tasks.
    ///
    /// # Errors
    /// The database fails.
    pub(super) async fn proof_requests(
        &self,
        (proofs, validators, stored): (ProofService, ValidatorBySide, &StoredLookups),
        (seals, participants): (&Arc<SealService>, &Arc<SharedCatalogue>),
        journal: &Arc<dyn UsageJournal>,
        (tasks, threads): (&TaskTracker, &FileThreads),
    ) -> Result<RequestServices> {
        let gatekeeper = self.gatekeeper(journal)?;
        gatekeeper.warm_up().await?;
        let gatekeeper = Arc::new(gatekeeper);
        let (proofs, history) = (Arc::new(proofs), Arc::new(self.delivery_history(journal)?));
        let lookups = Arc::new(stored.service(self, &gatekeeper, (seals, participants)));
        let idempotency = Arc::new(stored.idempotency(self)?);
        let batches = stored.batches(
            self,
            (&gatekeeper, &idempotency),
            (&lookups, &history),
            threads.imports(&self.clock),
            tasks,
        )?;
        let worker = stored.worker(self, &gatekeeper, (&proofs, &history), tasks);
        let requests = ProofRequestService {
            gatekeeper,
            proofs,
            files: threads.checks(seals, participants, &self.clock),
            second_opinions: SecondOpinions::new(validators, Arc::clone(&self.clock)),
            receipts: threads.receipts(participants, &self.clock),
            history,
            lookups: Arc::clone(&lookups),
            idempotency,
            clock: Arc::clone(&self.clock),
            spawn: spawning_in(tasks),
        };
        let lookups = Lookups {
            service: lookups,
            worker,
            listener: stored.listener(self),
            encryption: Arc::clone(&stored.encryption),
            batches,
        };
        Ok(RequestServices { requests, lookups })
    }
}
