//! The catalogue of participants.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::participants::Catalogue;
use ports::outbound::{CatalogueStore, CatalogueVersion, RenewalClaim};

use super::{MemoryStore, Result};

#[async_trait]
impl CatalogueStore for MemoryStore {
    async fn catalogue_version(&self) -> Result<CatalogueVersion> {
        Ok(self.call("catalogue_version").await?.catalogue.0)
    }

    async fn catalogue(&self) -> Result<(CatalogueVersion, Option<Catalogue>)> {
        Ok(self.call("catalogue").await?.catalogue.clone())
    }

    async fn replace_catalogue(
        &self,
        replaced: CatalogueVersion,
        catalogue: &Catalogue,
    ) -> Result<Option<CatalogueVersion>> {
        let stored = &mut self.call("replace_catalogue").await?.catalogue;
        if stored.0 != replaced {
            return Ok(None);
        }
        let version = CatalogueVersion(replaced.0 + 1);
        *stored = (version, Some(catalogue.clone()));
        Ok(Some(version))
    }

    async fn claim_renewal(&self, now: DateTime<Utc>, next: DateTime<Utc>) -> Result<RenewalClaim> {
        let due = &mut self.call("claim_renewal").await?.renew_at;
        if due.is_some_and(|due| now < due) {
            return Ok(RenewalClaim::NotDue);
        }
        let was_scheduled = due.replace(next).is_some();
        Ok(if was_scheduled {
            RenewalClaim::Granted
        } else {
            RenewalClaim::NotDue
        })
    }

    async fn schedule_renewal(&self, at: DateTime<Utc>) -> Result<()> {
        self.called("schedule_renewal").await?;
        self.tables().renew_at = Some(at);
        Ok(())
    }
}
