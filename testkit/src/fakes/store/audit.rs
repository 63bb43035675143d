//! The audit log.

use async_trait::async_trait;
use domain::audit::{Action, AuditContext, AuditEntry, FieldChange};
use domain::customer::CustomerId;
use domain::key::KeyId;
use domain::page::{Cursor, Direction, PageRequest};
use ports::inbound::{AuditFilter, AuditPage};
use ports::outbound::{AuditLog, ListError, StoreError};
use uuid::Uuid;

use super::pages::{by_instant, page};
use super::{Books, MemoryStore, broken};

impl Books {
    /// # Errors
    /// When the act's entry is there already: each act is written down once.
    pub(super) fn is_new(&self, act: &AuditContext) -> Result<(), StoreError> {
        if self.audit.iter().any(|entry| entry.act.id == act.id) {
            return Err(broken("the audit log has an entry with this id"));
        }
        Ok(())
    }

    /// Adds an entry. The first of an act has the act's id, the others the next free ones.
    pub(super) fn write_down(
        &mut self,
        act: &AuditContext,
        action: Action,
        customer: CustomerId,
        key: Option<KeyId>,
        changes: Vec<FieldChange>,
    ) {
        let mut act = act.clone();
        while self.audit.iter().any(|entry| entry.act.id == act.id) {
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

fn passes(filter: &AuditFilter, entry: &AuditEntry) -> bool {
    filter
        .customer
        .is_none_or(|wanted| wanted == entry.customer)
        && filter.key.is_none_or(|wanted| Some(wanted) == entry.key)
        && filter.from.is_none_or(|from| from <= entry.act.at)
        && filter.to.is_none_or(|to| entry.act.at < to)
}

#[async_trait]
impl AuditLog for MemoryStore {
    async fn audit(&self, filter: &AuditFilter, ask: &PageRequest) -> Result<AuditPage, ListError> {
        let books = self.books();
        let entries = books.audit.iter().filter(|entry| passes(filter, entry));
        let cursor = |entry: &&AuditEntry| Cursor::at(entry.act.at, entry.act.id);
        let entries = page(entries, ask, Direction::Descending, cursor, by_instant)?;
        Ok(entries.map(AuditEntry::clone))
    }
}
