//! The catalogue of participants in use.

use std::sync::Arc;

use async_trait::async_trait;
use domain::participant::{Catalogue, DamagedList, Renewal};

use crate::{Cause, StoreError};

/// Port: the catalogue of participants that requests go by.
pub trait Participants: Send + Sync {
    /// The catalogue in use. It may be replaced at any time, so a request takes it once.
    fn catalogue(&self) -> Arc<Catalogue>;
}

/// A catalogue that is never replaced.
impl Participants for Catalogue {
    fn catalogue(&self) -> Arc<Self> {
        Arc::new(self.clone())
    }
}

/// Port: administration of the catalogue of all processes.
#[async_trait]
pub trait CatalogueAdministration: Send + Sync {
    /// Renews the catalogue with the central bank's list of today, now.
    ///
    /// # Errors
    /// See [`RenewalError`]. The catalogue stays as it is.
    async fn renew(&self) -> Result<Renewal, RenewalError>;

    /// Makes the renewal due, so that a serving process does it.
    ///
    /// # Errors
    /// The store failed.
    async fn request_renewal(&self) -> Result<(), StoreError>;

    /// Replaces the catalogue.
    ///
    /// # Errors
    /// [`RenewalError::Store`] or [`RenewalError::Concurrent`].
    async fn import(&self, catalogue: Catalogue) -> Result<(), RenewalError>;
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
