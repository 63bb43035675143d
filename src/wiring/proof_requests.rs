//! The service of proof requests.

use std::sync::Arc;

use anyhow::Result;
use application::{ProofRequestService, ProofService, SealService, SharedCatalogue};
use ports::outbound::UsageJournal;
use tokio_util::task::TaskTracker;

use super::infrastructure::Infrastructure;
use super::seals::file_checks;
use super::spawning_in;

impl Infrastructure {
    /// The service, which knows the existing keys. Its tasks are tracked.
    ///
    /// # Errors
    /// The database fails.
    pub(super) async fn proof_requests(
        &self,
        proofs: ProofService,
        (seals, participants): (&Arc<SealService>, &Arc<SharedCatalogue>),
        journal: &Arc<dyn UsageJournal>,
        tasks: &TaskTracker,
    ) -> Result<ProofRequestService> {
        let gatekeeper = self.gatekeeper(journal)?;
        gatekeeper.warm_up().await?;
        Ok(ProofRequestService::new(
            Arc::new(gatekeeper),
            Arc::new(proofs),
            file_checks(seals, participants, &self.clock),
            self.delivery_history(journal)?,
            Arc::clone(&self.clock),
            spawning_in(tasks),
        ))
    }
}
