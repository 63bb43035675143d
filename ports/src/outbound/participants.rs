//! Ports: store and source of the catalogue of participants.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain::participants::{Catalogue, ListedParticipant};

use super::{BankError, StoreError};

/// Port: the central bank's list of participants.
#[async_trait]
pub trait ParticipantSource: Send + Sync {
    /// Queries the list of `date`; fails with a timeout after `patience`. Uses one turn of the bank's budget,
    /// like a lookup.
    ///
    /// MUST return [`BankError::Protocol`] unless every entry of the answer is understood.
    async fn participants(
        &self,
        date: NaiveDate,
        patience: Duration,
    ) -> Result<Vec<ListedParticipant>, BankError>;
}

/// Version of the stored catalogue; 0 if none is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CatalogueVersion(pub u64);

/// Port: the catalogue that all processes of a database share, and the time of its next renewal.
#[async_trait]
pub trait CatalogueStore: Send + Sync {
    /// Version of the stored catalogue, for frequent polling.
    async fn catalogue_version(&self) -> Result<CatalogueVersion, StoreError>;

    /// The stored catalogue with its version; no catalogue if none is stored.
    async fn catalogue(&self) -> Result<(CatalogueVersion, Option<Catalogue>), StoreError>;

    /// Replaces version `replaced` by `catalogue`, and returns the new version. One atomic step: MUST change
    /// nothing and return `None` if another version is stored.
    async fn replace_catalogue(
        &self,
        replaced: CatalogueVersion,
        catalogue: &Catalogue,
    ) -> Result<Option<CatalogueVersion>, StoreError>;

    /// Claims the renewal if it is due at `now`, and makes the next one due at `next`. One atomic step: of
    /// many callers in many processes, MUST return [`RenewalClaim::Granted`] to only one. The first call for
    /// a database claims nothing, and makes the renewal due at `next`.
    async fn claim_renewal(
        &self,
        now: DateTime<Utc>,
        next: DateTime<Utc>,
    ) -> Result<RenewalClaim, StoreError>;

    /// Sets the time at which the renewal is due.
    async fn schedule_renewal(&self, at: DateTime<Utc>) -> Result<(), StoreError>;
}

/// Result of [`CatalogueStore::claim_renewal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenewalClaim {
    /// The caller has to renew the catalogue.
    Granted,
    /// The renewal isn't due, or another caller claimed it.
    NotDue,
}
