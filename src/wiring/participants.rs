//! The catalogue of participants: its renewal by a server, and by a command.

use std::num::NonZeroU32;
use std::sync::Arc;

use anyhow::{Context, Result};
use application::{CatalogueRenewal, ReplicaCount, SharedCatalogue};
use ports::outbound::{ParticipantSource, new_id};

use super::infrastructure::Infrastructure;
use super::{Deployment, storage};
use crate::config::{BankOptions, KeyOptions};
use crate::traces::Traces;

impl Infrastructure {
    /// Loads the stored catalogue; returns it, and its renewal from `source`.
    ///
    /// # Errors
    /// The database fails.
    pub(super) async fn participants(
        &self,
        options: &BankOptions,
        source: Arc<dyn ParticipantSource>,
    ) -> Result<(Arc<SharedCatalogue>, CatalogueRenewal)> {
        let store = Arc::new(self.store.clone());
        let catalogue = Arc::new(SharedCatalogue::new(store.clone()));
        let read = catalogue.follow().await;
        read.context("reading the catalogue of participants")?;
        let renewal = CatalogueRenewal::new(
            store,
            source,
            Arc::clone(&catalogue),
            Arc::clone(&self.clock),
            options.bank_timeout,
        );
        Ok((catalogue, renewal))
    }
}

/// Process that may query the central bank within the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BudgetHolder {
    /// This command: no server runs, or the budget is in Redis.
    Command,
    /// The running server on the embedded database, which has the budget in its memory.
    Server,
}

/// Runs `work` with the catalogue and its renewal. The database is closed even if `work` fails.
///
/// # Errors
/// The database can't be opened, or `work` fails.
pub(crate) async fn with_participants<W>(
    options: &KeyOptions,
    bank: &BankOptions,
    work: W,
) -> Result<()>
where
    W: AsyncFnOnce(&SharedCatalogue, &CatalogueRenewal, BudgetHolder) -> Result<()>,
{
    // Locked before the database is opened, and until it is closed.
    let (_alone, holder) = budget_holder(options)?;
    let base = Infrastructure::open(options, storage::FEW).await?;
    let worked = async {
        // A command doesn't count as a replica: while Redis fails it uses the smallest share, a
        // turn a minute.
        let sharing = Arc::new(ReplicaCount::new(NonZeroU32::MAX));
        let process = new_id(base.clock.as_ref(), base.random.as_ref());
        let pacing = base
            .limits
            .pacing(bank.bank_budget, &sharing, process, &base.clock);
        let portal = super::banks::portal(bank, pacing.pacer, &Traces::off())?;
        let (catalogue, renewal) = base.participants(bank, Arc::new(portal)).await?;
        work(&catalogue, &renewal, holder).await
    };
    let worked = worked.await;
    storage::closed_after(base.store, worked).await
}

/// Takes the lock of the serving process, so that no server starts meanwhile.
fn budget_holder(
    options: &KeyOptions,
) -> Result<(Option<store_seaorm::ServingLock>, BudgetHolder)> {
    match storage::lock(&options.database, Deployment::of(options)?) {
        Ok(alone) => Ok((alone, BudgetHolder::Command)),
        Err(error) if storage::is_taken(&error) => Ok((None, BudgetHolder::Server)),
        Err(error) => Err(error),
    }
}
