//! Entries of the audit log: actor, action, key or customer, and the fields that changed.

use chrono::{DateTime, SecondsFormat, Utc};
use uuid::Uuid;

use crate::customer::{Customer, CustomerId, Owner};
use crate::key::{ApiKey, KeyId};
use crate::page::Page;
use crate::request::RequestId;
use crate::variants::named_enum;
use crate::webhook::{EndpointId, EndpointState, EventTypes};

/// Actor, time and request of a mutation. Every mutation takes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditContext {
    /// The id of the audit entry.
    pub id: Uuid,
    /// Time of the mutation.
    pub at: DateTime<Utc>,
    /// The acting owner.
    pub actor: Owner,
    /// The request that caused it.
    pub request_id: RequestId,
}

named_enum! {
    /// Audited actions.
    pub enum Action {
        /// A key was created.
        KeyCreated,
        /// A key was renamed.
        KeyRenamed,
        /// A key was revoked, by a person or at the end of its grace period.
        KeyRevoked,
        /// A key was given a successor, and retires.
        KeyRotated,
        /// A key's limits were set.
        LimitsSet,
        /// A customer's plan was set.
        PlanSet,
        /// An endpoint of webhooks was added.
        WebhookAdded,
        /// An endpoint of webhooks was changed by its owner.
        WebhookChanged,
        /// An endpoint of webhooks was given a new secret.
        WebhookSecretRotated,
        /// An endpoint of webhooks was removed.
        WebhookRemoved,
    }
}

/// A field that changed; `None` where there was, or is, no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The field.
    pub field: String,
    /// Its value before.
    pub before: Option<String>,
    /// Its value after.
    pub after: Option<String>,
}

/// One entry of the log. Entries are added, never changed or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Actor, time and request.
    pub act: AuditContext,
    /// The action.
    pub action: Action,
    /// The owner of the key, plan or webhook.
    pub customer: CustomerId,
    /// The key; `None` for a customer's plan and webhooks.
    pub key: Option<KeyId>,
    /// The fields that changed.
    pub changes: Vec<FieldChange>,
}

/// Filter of the audit log; each condition narrows the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Entries about this customer.
    pub customer: Option<CustomerId>,
    /// Entries about this key.
    pub key: Option<KeyId>,
    /// At or after this.
    pub from: Option<DateTime<Utc>>,
    /// Before this.
    pub to: Option<DateTime<Utc>>,
}

/// The audit log's entries, newest first.
pub type AuditPage = Page<AuditEntry>;

/// Changes that the creation of a key records.
pub fn creation(key: &ApiKey) -> Vec<FieldChange> {
    changed(&[], &facts(key))
}

/// Fields that differ between a key before and after a mutation.
pub fn difference(before: &ApiKey, after: &ApiKey) -> Vec<FieldChange> {
    changed(&facts(before), &facts(after))
}

/// Fields that differ between a customer before and after a mutation.
pub fn customer_difference(before: &Customer, after: &Customer) -> Vec<FieldChange> {
    let facts = |customer: &Customer| [("plan", Some(customer.plan.name().to_owned()))];
    changed(&facts(before), &facts(after))
}

/// Facts of an endpoint of webhooks. Of its address the host alone: the rest may hold what is secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookFacts {
    /// The endpoint.
    pub id: EndpointId,
    /// The host of its address.
    pub host: String,
    /// The events that it is told.
    pub events: EventTypes,
    /// Its state.
    pub state: EndpointState,
}

impl WebhookFacts {
    fn facts(&self) -> Vec<Fact> {
        let names = self.events.list().iter().map(|kind| kind.name());
        let names: Vec<_> = names.collect();
        let state = match self.state {
            EndpointState::Enabled => "enabled".to_owned(),
            EndpointState::Disabled { reason, .. } => format!("disabled: {}", reason.name()),
        };
        vec![
            ("host", Some(self.host.clone())),
            ("events", Some(names.join(" "))),
            ("state", Some(state)),
        ]
    }

    /// The change that names the endpoint.
    fn named(&self) -> FieldChange {
        let id = Some(self.id.to_string());
        FieldChange {
            field: "webhook".to_owned(),
            before: id.clone(),
            after: id,
        }
    }
}

/// Changes that the addition of an endpoint records.
pub fn webhook_addition(webhook: &WebhookFacts) -> Vec<FieldChange> {
    let mut changes = changed(&[], &webhook.facts());
    let named = FieldChange {
        before: None,
        ..webhook.named()
    };
    changes.insert(0, named);
    changes
}

/// The endpoint, and the facts that differ before and after a mutation.
pub fn webhook_difference(before: &WebhookFacts, after: &WebhookFacts) -> Vec<FieldChange> {
    let mut changes = changed(&before.facts(), &after.facts());
    changes.insert(0, after.named());
    changes
}

/// Changes that the removal of an endpoint records.
pub fn webhook_removal(webhook: &WebhookFacts) -> Vec<FieldChange> {
    let gone = |change: FieldChange| FieldChange {
        before: change.after,
        after: None,
        ..change
    };
    webhook_addition(webhook).into_iter().map(gone).collect()
}

type Fact = (&'static str, Option<String>);

fn facts(key: &ApiKey) -> Vec<Fact> {
    let instant = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Millis, true);
    let quota = key.limits.monthly_quota();
    vec![
        ("name", Some(key.name.as_str().to_owned())),
        ("prefix", Some(key.prefix.as_str().to_owned())),
        ("per_minute", Some(key.limits.per_minute().to_string())),
        (
            "monthly_quota",
            Some(quota.map_or_else(|| "none".to_owned(), |quota| quota.to_string())),
        ),
        ("retires_at", key.retires_at.map(instant)),
        ("revoked_at", key.revoked_at.map(instant)),
    ]
}

fn changed(before: &[Fact], after: &[Fact]) -> Vec<FieldChange> {
    let old = |field: &str| {
        let fact = before.iter().find(|(name, _)| *name == field);
        fact.and_then(|(_, value)| value.clone())
    };
    let change = |(field, value): &Fact| {
        let before = old(field);
        (before != *value).then(|| FieldChange {
            field: (*field).to_owned(),
            before,
            after: value.clone(),
        })
    };
    after.iter().filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{KeyName, KeyPrefix};
    use crate::limits::Plan;

    fn key() -> ApiKey {
        ApiKey {
            id: KeyId(Uuid::nil()),
            counters: KeyId(Uuid::nil()).into(),
            customer: CustomerId(Uuid::nil()),
            owner: Owner::operator(),
            name: KeyName::parse("till 4").unwrap(),
            prefix: KeyPrefix::parse("cep_test_AbCd1234").unwrap(),
            limits: Plan::Startup.limits(),
            created_at: DateTime::UNIX_EPOCH,
            retires_at: None,
            revoked_at: None,
            last_used_at: None,
        }
    }

    #[test]
    fn a_change_names_what_changed_and_nothing_else() {
        let before = key();
        let after = ApiKey {
            limits: Plan::Enterprise.limits(),
            ..key()
        };
        let change = |field: &str, before: &str, after: &str| FieldChange {
            field: field.to_owned(),
            before: Some(before.to_owned()),
            after: Some(after.to_owned()),
        };
        let expected = [
            change("per_minute", "60", "600"),
            change("monthly_quota", "1000", "none"),
        ];
        assert_eq!(difference(&before, &after), expected);
        assert_eq!(difference(&before, &before), []);
    }

    #[test]
    fn the_creation_of_a_key_has_no_old_values_and_no_secret() {
        let changes = creation(&key());
        assert!(changes.iter().all(|change| change.before.is_none()));
        let fields: Vec<_> = changes.iter().map(|change| change.field.as_str()).collect();
        assert_eq!(fields, ["name", "prefix", "per_minute", "monthly_quota"]);
    }
}
