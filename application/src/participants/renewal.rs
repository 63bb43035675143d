//! Renewal of the catalogue from the central bank's list: once a day, by one of all processes.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::calendar;
use domain::participant::{Catalogue, DamagedList, Renewal};
use ports::Cause;
use ports::outbound::{
    CatalogueStore, CatalogueVersion, Clock, ParticipantSource, RenewalClaim, StoreError,
};

use super::catalogue::SharedCatalogue;

/// Time from a renewal to the next.
const INTERVAL: TimeDelta = TimeDelta::days(1);
/// Time from a failed renewal to the next attempt, and from a database's first start to the first:
/// a gateway that is merely tried out doesn't query the central bank.
const RETRY_INTERVAL: TimeDelta = TimeDelta::hours(1);

/// Renews the stored catalogue.
pub struct CatalogueRenewal {
    store: Arc<dyn CatalogueStore>,
    source: Arc<dyn ParticipantSource>,
    catalogue: Arc<SharedCatalogue>,
    clock: Arc<dyn Clock>,
    patience: Duration,
}

/// Result of a round.
#[derive(Debug)]
pub enum RenewalRound {
    /// The renewal isn't due, or another process does it.
    NotDue,
    /// The catalogue was renewed.
    Renewed(Renewal),
}

impl CatalogueRenewal {
    /// Renews `catalogue` and the stored one with the lists of `source`, which has `patience` for each.
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

    /// Renews the catalogue if it is due and no other process does it. A failed renewal is due again
    /// after an hour, in whatever process.
    ///
    /// # Errors
    /// See [`RenewalError`]. The catalogue stays as it is.
    pub async fn round(&self) -> Result<RenewalRound, RenewalError> {
        let now = self.clock.now();
        let claim = self.store.claim_renewal(now, now + RETRY_INTERVAL).await?;
        match claim {
            RenewalClaim::NotDue => Ok(RenewalRound::NotDue),
            RenewalClaim::Granted => self.renew().await.map(RenewalRound::Renewed),
        }
    }

    /// The stored version, with the catalogue in use, which is at least as new.
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
    /// Renews the catalogue with the central bank's list of today, now.
    ///
    /// # Errors
    /// See [`RenewalError`]. The catalogue stays as it is.
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

    /// Makes the renewal due, so that a serving process does it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn request_renewal(&self) -> Result<(), StoreError> {
        self.store.schedule_renewal(self.clock.now()).await
    }

    /// Replaces the catalogue.
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
    /// The bank gave no list.
    #[error("the central bank gave no list of participants: {cause}")]
    Bank {
        /// The bank's error.
        cause: Cause,
    },
    /// The list is damaged.
    #[error("the central bank's list of participants is damaged: {0}")]
    Damaged(#[from] DamagedList),
    /// Another process replaced the catalogue meanwhile.
    #[error("another process replaced the catalogue meanwhile; try again")]
    Concurrent,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
