//! Entries of the audit log: actor, action, key or customer, and the fields that changed.

use chrono::{DateTime, SecondsFormat, Utc};
use uuid::Uuid;

use crate::keys::{ApiKey, KeyId};
use crate::own_accounts::OwnAccount;
use crate::page::Page;
use crate::people::customer::{Customer, CustomerId, Owner};
use crate::request::RequestId;
use crate::variants::named_enum;
use crate::webhooks::{EndpointId, EndpointState, EventTypes};

/// Actor, time and request of a mutation. Every mutation requires one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditContext {
    /// Id of the audit entry.
    pub id: Uuid,
    /// Time of the mutation.
    pub at: DateTime<Utc>,
    /// The person who acted.
    pub actor: Owner,
    /// Id of the request that caused the mutation.
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
        /// A key was given a successor and is revoked after a grace period.
        KeyRotated,
        /// A key's limits were changed.
        LimitsSet,
        /// A customer's plan was changed.
        PlanSet,
        /// A webhook was added.
        WebhookAdded,
        /// A webhook was changed by its owner.
        WebhookChanged,
        /// A webhook's secret was replaced.
        WebhookSecretRotated,
        /// A webhook was removed.
        WebhookRemoved,
        /// An own account was added.
        OwnAccountAdded,
        /// An own account was removed.
        OwnAccountRemoved,
    }
}

/// A field that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// Name of the field.
    pub field: String,
    /// Value before the mutation; `None` if it had none.
    pub before: Option<String>,
    /// Value after the mutation; `None` if it has none.
    pub after: Option<String>,
}

/// One entry of the log. Entries are added, never changed or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Actor, time and request of the mutation.
    pub act: AuditContext,
    /// Kind of the mutation.
    pub action: Action,
    /// The customer that owns the key, plan, webhook or own account.
    pub customer: CustomerId,
    /// The affected key; `None` for anything else.
    pub key: Option<KeyId>,
    /// The fields that changed.
    pub changes: Vec<FieldChange>,
}

/// Filter of the audit log; each condition narrows the list, `None` means no condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Entries about this customer.
    pub customer: Option<CustomerId>,
    /// Entries about this key.
    pub key: Option<KeyId>,
    /// Entries at or after this time.
    pub from: Option<DateTime<Utc>>,
    /// Entries before this time.
    pub to: Option<DateTime<Utc>>,
}

/// A page of the audit log, newest entries first.
pub type AuditPage = Page<AuditEntry>;

/// The initial values of a new key, as changes.
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

/// Audited facts of a webhook. Of its URL only the host is kept, because the rest may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookFacts {
    /// Id of the webhook.
    pub id: EndpointId,
    /// Host of the target URL.
    pub host: String,
    /// Event types that it is subscribed to.
    pub events: EventTypes,
    /// Enabled, or disabled for a reason.
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

    /// An entry that identifies the webhook.
    fn named(&self) -> FieldChange {
        let id = Some(self.id.to_string());
        FieldChange {
            field: "webhook".to_owned(),
            before: id.clone(),
            after: id,
        }
    }
}

/// The initial values of a new webhook, as changes.
pub fn webhook_addition(webhook: &WebhookFacts) -> Vec<FieldChange> {
    let mut changes = changed(&[], &webhook.facts());
    let named = FieldChange {
        before: None,
        ..webhook.named()
    };
    changes.insert(0, named);
    changes
}

/// The webhook's id, and the facts that differ before and after a mutation.
pub fn webhook_difference(before: &WebhookFacts, after: &WebhookFacts) -> Vec<FieldChange> {
    let mut changes = changed(&before.facts(), &after.facts());
    changes.insert(0, after.named());
    changes
}

/// The last values of a removed webhook, as changes.
pub fn webhook_removal(webhook: &WebhookFacts) -> Vec<FieldChange> {
    let gone = |change: FieldChange| FieldChange {
        before: change.after,
        after: None,
        ..change
    };
    webhook_addition(webhook).into_iter().map(gone).collect()
}

/// An own account that was added or removed, as changes: of its digits the last four alone.
pub fn own_account_change(action: Action, own: &OwnAccount) -> Vec<FieldChange> {
    let digits = own.account.as_str();
    let facts = [
        ("own_account", own.id.to_string()),
        ("name", own.name.as_str().to_owned()),
        ("account", format!("****{}", &digits[digits.len() - 4..])),
        ("bank", own.bank.to_string()),
    ];
    let changes = facts.into_iter().map(|(field, value)| {
        let (before, after) = match action {
            Action::OwnAccountRemoved => (Some(value), None),
            _ => (None, Some(value)),
        };
        FieldChange {
            field: field.to_owned(),
            before,
            after,
        }
    });
    changes.collect()
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
    use crate::keys::{KeyName, KeyPrefix};
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
