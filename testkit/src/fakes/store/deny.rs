//! Deny list.

use std::collections::hash_map::Entry;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ports::outbound::{Denial, DenyList, Fingerprint};

use super::{MemoryStore, Result};

#[async_trait]
impl DenyList for MemoryStore {
    async fn deny(&self, fingerprint: &Fingerprint, until: DateTime<Utc>) -> Result<Denial> {
        self.called("deny").await?;
        Ok(match self.tables().denied.entry(fingerprint.clone()) {
            Entry::Occupied(_) => Denial::Repeated,
            Entry::Vacant(free) => {
                free.insert(until);
                Denial::New
            }
        })
    }

    async fn is_denied(&self, fingerprint: &Fingerprint) -> Result<bool> {
        let tables = self.call("is_denied").await?;
        Ok(tables.denied.contains_key(fingerprint))
    }

    async fn end_sessions(&self, at: DateTime<Utc>) -> Result<()> {
        let ended_at = &mut self.call("end_sessions").await?.sessions_ended_at;
        *ended_at = (*ended_at).max(Some(at));
        Ok(())
    }

    async fn sessions_ended_at(&self) -> Result<Option<DateTime<Utc>>> {
        Ok(self.call("sessions_ended_at").await?.sessions_ended_at)
    }
}
