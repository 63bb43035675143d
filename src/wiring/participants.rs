//! The catalogue of participants, and its renewal.

use std::sync::Arc;

use anyhow::{Context, Result};
use application::{CatalogueRenewal, SharedCatalogue};
use ports::outbound::ParticipantSource;

use super::infrastructure::Infrastructure;
use crate::config::BankOptions;

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
