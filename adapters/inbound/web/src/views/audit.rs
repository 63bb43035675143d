//! The audit log.

use async_graphql::{Enum, SimpleObject};
use domain::audit;
use serde::Serialize;
use utoipa::ToSchema;

use super::people::Owner;
use super::scalars::{DateTime, Id};

/// Kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::audit::Action")]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
    /// A key was made.
    KeyCreated,
    /// A key got another name.
    KeyRenamed,
    /// A key was revoked, by a person or because its time of grace was over.
    KeyRevoked,
    /// A key was given a successor, and will revoke itself.
    KeyRotated,
    /// A key's limits were set.
    LimitsSet,
    /// An account's plan was set.
    PlanSet,
    /// A webhook was added.
    WebhookAdded,
    /// A webhook was changed by its owner.
    WebhookChanged,
    /// A webhook was given a new secret.
    WebhookSecretRotated,
    /// A webhook was removed.
    WebhookRemoved,
    /// An own account was added.
    OwnAccountAdded,
    /// An own account was removed.
    OwnAccountRemoved,
}

/// One entry of the audit log: a change, its author and what it changed.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct AuditEntry {
    /// Id of the entry.
    id: Id,
    /// Time of the change.
    at: DateTime,
    /// Author.
    actor: Owner,
    /// The request in which it was done.
    request_id: String,
    /// Kind of the change.
    action: AuditAction,
    /// The account whose key, webhook or plan it was.
    account_id: Id,
    /// The key; null for an account's plan and for webhooks.
    #[schema(required)]
    key_id: Option<Id>,
    /// Changed fields.
    changes: Vec<FieldChange>,
}

/// One field that was changed.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct FieldChange {
    /// The field.
    field: String,
    /// Its value before; null when there was none.
    #[schema(required)]
    before: Option<String>,
    /// Its value after; null when there is none.
    #[schema(required)]
    after: Option<String>,
}

impl From<audit::AuditEntry> for AuditEntry {
    fn from(entry: audit::AuditEntry) -> Self {
        let change = |change: audit::FieldChange| FieldChange {
            field: change.field,
            before: change.before,
            after: change.after,
        };
        Self {
            id: entry.act.id.into(),
            at: DateTime(entry.act.at),
            actor: (&entry.act.actor).into(),
            request_id: entry.act.request_id.to_string(),
            action: entry.action.into(),
            account_id: entry.customer.into(),
            key_id: entry.key.map(Id::from),
            changes: entry.changes.into_iter().map(change).collect(),
        }
    }
}
