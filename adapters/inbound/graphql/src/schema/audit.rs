//! The audit log.

use async_graphql::{ID, SimpleObject};
use domain::audit::AuditPage;
use domain::page::PageRequest;

use super::account::Owner;
use super::connection::{PageInfo, connection};
use super::enums::AuditAction;
use super::scalars::DateTime;

/// One entry of the audit log: who did what, and what it changed.
#[derive(SimpleObject)]
pub(crate) struct AuditEntry {
    /// Its identity.
    id: ID,
    /// Time of the change.
    at: DateTime,
    /// Author.
    actor: Owner,
    /// Kind of the change.
    action: AuditAction,
    /// The account whose key or plan it was.
    account_id: ID,
    /// The key; null for an account's plan.
    key_id: Option<ID>,
    /// Changed fields.
    changes: Vec<FieldChange>,
    /// The request in which it was done.
    request_id: String,
}

impl From<domain::audit::AuditEntry> for AuditEntry {
    fn from(entry: domain::audit::AuditEntry) -> Self {
        Self {
            id: entry.act.id.into(),
            at: entry.act.at.into(),
            actor: entry.act.actor.into(),
            action: entry.action.into(),
            account_id: entry.customer.into(),
            key_id: entry.key.map(ID::from),
            changes: entry.changes.into_iter().map(FieldChange::from).collect(),
            request_id: entry.act.request_id.to_string(),
        }
    }
}

/// One field that was changed.
#[derive(SimpleObject)]
pub(crate) struct FieldChange {
    /// The field.
    field: String,
    /// Its value before; null when there was none.
    before: Option<String>,
    /// Its value after; null when there is none.
    after: Option<String>,
}

impl From<domain::audit::FieldChange> for FieldChange {
    fn from(change: domain::audit::FieldChange) -> Self {
        Self {
            field: change.field,
            before: change.before,
            after: change.after,
        }
    }
}

connection! {
    /// One page of the audit log, newest first.
    AuditConnection,
    /// An entry and its place in the log.
    AuditEdge of AuditEntry
}

impl AuditConnection {
    pub(super) fn new(page: AuditPage, request: &PageRequest) -> Self {
        Self {
            page_info: PageInfo::new(&page, request),
            edges: AuditEdge::of(page.items, AuditEntry::from),
        }
    }
}
