//! What the audit log says: who did what to which key or customer, and what it changed.

use chrono::{DateTime, SecondsFormat, Utc};
use uuid::Uuid;

use crate::customer::{Customer, CustomerId};
use crate::key::{ApiKey, KeyId, Owner};
use crate::page::Page;
use crate::request::RequestId;

/// Who acts, when, and in which request. Every step that changes something takes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditContext {
    /// The id of the entry that the act leaves.
    pub id: Uuid,
    /// When.
    pub at: DateTime<Utc>,
    /// Who.
    pub actor: Owner,
    /// In which request.
    pub request_id: RequestId,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
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
    /// A customer's plan was set.
    PlanSet,
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 6] = [
        Self::KeyCreated,
        Self::KeyRenamed,
        Self::KeyRevoked,
        Self::KeyRotated,
        Self::LimitsSet,
        Self::PlanSet,
    ];

    /// The word that is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::KeyCreated => "key_created",
            Self::KeyRenamed => "key_renamed",
            Self::KeyRevoked => "key_revoked",
            Self::KeyRotated => "key_rotated",
            Self::LimitsSet => "limits_set",
            Self::PlanSet => "plan_set",
        }
    }

    /// Reads the word that is stored.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }
}

/// One field that an act changed; `None` where there was, or is, nothing.
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
    /// Who, when, in which request.
    pub act: AuditContext,
    /// What.
    pub action: Action,
    /// Whose key or plan it was.
    pub customer: CustomerId,
    /// The key; `None` for a customer's plan.
    pub key: Option<KeyId>,
    /// What it changed.
    pub changes: Vec<FieldChange>,
}

/// What the audit log is searched for; each condition narrows the list.
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

/// What making this key wrote.
pub fn creation(key: &ApiKey) -> Vec<FieldChange> {
    changed(&[], &facts(key))
}

/// What differs between a key before and after an act.
pub fn difference(before: &ApiKey, after: &ApiKey) -> Vec<FieldChange> {
    changed(&facts(before), &facts(after))
}

/// What differs between a customer before and after an act.
pub fn customer_difference(before: &Customer, after: &Customer) -> Vec<FieldChange> {
    let facts = |customer: &Customer| [("plan", Some(customer.plan.name().to_owned()))];
    changed(&facts(before), &facts(after))
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
    fn a_new_key_had_nothing_before_and_tells_no_secret() {
        let changes = creation(&key());
        assert!(changes.iter().all(|change| change.before.is_none()));
        let fields: Vec<_> = changes.iter().map(|change| change.field.as_str()).collect();
        assert_eq!(fields, ["name", "prefix", "per_minute", "monthly_quota"]);
    }

    #[test]
    fn an_action_is_read_by_its_name() {
        for action in Action::ALL {
            assert_eq!(Action::from_name(action.name()), Some(action));
        }
        assert_eq!(Action::from_name("key_deleted"), None);
    }
}
