//! Ports: the catalogue of participants, where it is kept and where it comes from.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain::participant::{Catalogue, ListedParticipant};

use super::{BankError, StoreError};

/// Port: the central bank's list of participants.
#[async_trait]
pub trait ParticipantSource: Send + Sync {
    /// Queries the list of `date`, and gives up when `patience` is over. It takes one turn of the
    /// bank's budget, as a lookup does.
    ///
    /// MUST return [`BankError::Protocol`] unless each entry of the answer is understood.
    async fn participants(
        &self,
        date: NaiveDate,
        patience: Duration,
    ) -> Result<Vec<ListedParticipant>, BankError>;
}

/// Version of the stored catalogue; 0 until one is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CatalogueVersion(pub u64);

/// Port: the catalogue that all processes of a database share, and the time of its next renewal.
#[async_trait]
pub trait CatalogueStore: Send + Sync {
    /// The version that [`Self::catalogue`] would return, for frequent polling.
    async fn catalogue_version(&self) -> Result<CatalogueVersion, StoreError>;

    /// The stored catalogue with its version; no catalogue until one is stored.
    async fn catalogue(&self) -> Result<(CatalogueVersion, Option<Catalogue>), StoreError>;

    /// Stores `catalogue` in place of version `replaced`, and returns its version. One atomic step:
    /// MUST change nothing and return `None` when another version is stored.
    async fn replace_catalogue(
        &self,
        replaced: CatalogueVersion,
        catalogue: &Catalogue,
    ) -> Result<Option<CatalogueVersion>, StoreError>;

    /// Claims the renewal that is due at `now`, which is due at `next` from then on. One atomic step:
    /// of many callers, in many processes, MUST return [`RenewalClaim::Granted`] to one. The first
    /// call for a database claims nothing, and makes the renewal due at `next`.
    async fn claim_renewal(
        &self,
        now: DateTime<Utc>,
        next: DateTime<Utc>,
    ) -> Result<RenewalClaim, StoreError>;

    /// Makes the renewal due at `at`.
    async fn schedule_renewal(&self, at: DateTime<Utc>) -> Result<(), StoreError>;
}

/// Result of claiming a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenewalClaim {
    /// The caller is to renew the catalogue.
    Granted,
    /// It isn't due, or another caller renews it.
    NotDue,
}
