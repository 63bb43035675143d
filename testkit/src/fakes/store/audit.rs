//! Audit log.

use async_trait::async_trait;
use domain::audit::{Action, AuditContext, AuditEntry, AuditFilter, AuditPage, FieldChange};
use domain::keys::KeyId;
use domain::page::PageRequest;
use domain::people::customer::CustomerId;
use ports::outbound::{AuditLog, ListError};
use uuid::Uuid;

use super::pages::newest_first;
use super::{MemoryStore, Result, Tables, broken, is_wanted};

impl Tables {
    /// # Errors
    /// Fails when an entry with the id of `act` exists: each mutation is logged once.
    pub(super) fn is_new(&self, act: &AuditContext) -> Result<()> {
        if self.audit.iter().any(|entry| entry.act.id == act.id) {
            return Err(broken("the audit log has an entry with this id"));
        }
        Ok(())
    }

    /// Appends an entry. The first of a mutation has its id, the others the next free ones.
    pub(super) fn append_entry(
        &mut self,
        act: &AuditContext,
        action: Action,
        customer: CustomerId,
        key: Option<KeyId>,
        changes: Vec<FieldChange>,
    ) {
        let mut act = act.clone();
        while self.is_new(&act).is_err() {
            act.id = Uuid::from_u128(act.id.as_u128().wrapping_add(1));
        }
        self.audit.push(AuditEntry {
            act,
            action,
            customer,
            key,
            changes,
        });
    }
}

fn matches_filter(filter: &AuditFilter, entry: &AuditEntry) -> bool {
    is_wanted(filter.customer, entry.customer)
        && filter.key.is_none_or(|wanted| Some(wanted) == entry.key)
        && filter.from.is_none_or(|from| from <= entry.act.at)
        && filter.to.is_none_or(|to| entry.act.at < to)
}

#[async_trait]
impl AuditLog for MemoryStore {
    async fn audit(
        &self,
        filter: &AuditFilter,
        request: &PageRequest,
    ) -> Result<AuditPage, ListError> {
        let tables = self.call("audit").await?;
        let entries = tables.audit.iter();
        let entries = entries.filter(|entry| matches_filter(filter, entry));
        let entries = newest_first(entries, request, |entry| (entry.act.at, entry.act.id))?;
        Ok(entries.map(AuditEntry::clone))
    }
}
