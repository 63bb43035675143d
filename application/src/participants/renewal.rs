//! Renewal of the catalogue from the central bank's list: once a day, by one process.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::calendar;
use domain::participants::{Catalogue, DamagedList, Renewal};
use ports::Cause;
use ports::outbound::{
    CatalogueStore, CatalogueVersion, Clock, ParticipantSource, RenewalClaim, StoreError,
};

use super::catalogue::SharedCatalogue;

/// Time between a renewal and the next one.
const INTERVAL: TimeDelta = TimeDelta::days(1);
/// Time between a failed renewal and the next attempt, and between a database's first start and the first
/// renewal, so that short trials of the gateway don't query the central bank.
const RETRY_INTERVAL: TimeDelta = TimeDelta::hours(1);

/// Renews the stored catalogue.
pub struct CatalogueRenewal {
    store: Arc<dyn CatalogueStore>,
    source: Arc<dyn ParticipantSource>,
    catalogue: Arc<SharedCatalogue>,
    clock: Arc<dyn Clock>,
    patience: Duration,
}

/// Result of [`CatalogueRenewal::round`].
#[derive(Debug)]
pub enum RenewalRound {
    /// The renewal isn't due, or another process claimed it.
    NotDue,
    /// The catalogue was renewed.
    Renewed(Renewal),
}

impl CatalogueRenewal {
    /// Creates a renewal of `catalogue` and the stored one with the lists of `source`; a query may take
    /// `patience`.
    pub fn new(
        store: Arc<dyn CatalogueStore>,
        source: Arc<dyn ParticipantSource>,
        catalogue: Arc<SharedCatalogue>,
        clock: Arc<dyn Clock>,
        patience: Duration,
    ) -> Self {
        Self {
            store,
            source,
            catalogue,
            clock,
            patience,
        }
    }

    /// Renews the catalogue if the renewal is due and no other process claimed it. A failed renewal is due
    /// again after an hour, for any process.
    ///
    /// # Errors
    /// See [`RenewalError`]. The catalogue in use is kept.
    pub async fn round(&self) -> Result<RenewalRound, RenewalError> {
        let now = self.clock.now();
        let claim = self.store.claim_renewal(now, now + RETRY_INTERVAL).await?;
        match claim {
            RenewalClaim::NotDue => Ok(RenewalRound::NotDue),
            RenewalClaim::Granted => self.renew().await.map(RenewalRound::Renewed),
        }
    }

    /// The stored version, and the catalogue in use, which is at least as new.
    async fn current(&self) -> Result<(CatalogueVersion, Arc<Catalogue>), StoreError> {
        let version = self.store.catalogue_version().await?;
        self.catalogue.follow().await?;
        Ok((version, self.catalogue.catalogue()))
    }

    async fn replace(
        &self,
        version: CatalogueVersion,
        catalogue: &Catalogue,
    ) -> Result<(), RenewalError> {
        let replaced = self.store.replace_catalogue(version, catalogue).await?;
        replaced.ok_or(RenewalError::Concurrent)?;
        self.store
            .schedule_renewal(self.clock.now() + INTERVAL)
            .await?;
        self.catalogue.follow().await?;
        Ok(())
    }
}

impl CatalogueRenewal {
    /// Renews the catalogue with the central bank's list of today, even if the renewal isn't due.
    ///
    /// # Errors
    /// See [`RenewalError`]. The catalogue in use is kept.
    pub async fn renew(&self) -> Result<Renewal, RenewalError> {
        let today = calendar::today(self.clock.now());
        let (version, catalogue) = self.current().await?;
        let list = self.source.participants(today, self.patience).await;
        let list = list.map_err(|error| RenewalError::Bank {
            cause: Arc::new(error),
        })?;
        let renewal = catalogue.renewed(&list, today)?;
        self.replace(version, &renewal.catalogue).await?;
        Ok(renewal)
    }

    /// Makes the renewal due now, so that a running server performs it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn request_renewal(&self) -> Result<(), StoreError> {
        self.store.schedule_renewal(self.clock.now()).await
    }

    /// Replaces the stored catalogue by this one.
    ///
    /// # Errors
    /// [`RenewalError::Store`] or [`RenewalError::Concurrent`].
    pub async fn import(&self, catalogue: Catalogue) -> Result<(), RenewalError> {
        let version = self.store.catalogue_version().await?;
        self.replace(version, &catalogue).await
    }
}

/// Error of renewing the catalogue.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RenewalError {
    /// The central bank's list couldn't be fetched.
    #[error("the central bank gave no list of participants: {cause}")]
    Bank {
        /// Error of the query, to be logged.
        cause: Cause,
    },
    /// The list fails the plausibility checks.
    #[error("the central bank's list of participants is damaged: {0}")]
    Damaged(#[from] DamagedList),
    /// Another process replaced the catalogue in the meantime.
    #[error("another process replaced the catalogue meanwhile; try again")]
    Concurrent,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
