//! Customers: the owners of keys. (In this code the word *account* means a beneficiary's bank
//! account; the APIs call a customer an account.)

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::limits::{MonthlyUse, Plan};
use crate::month::Month;
use crate::variants::named_enum;

/// The identity of a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CustomerId(pub Uuid);

impl std::fmt::Display for CustomerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Owner of a key: a subject of an identity provider.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The provider that vouches for the subject.
    pub issuer: String,
    /// The subject, unique at its issuer.
    pub subject: String,
}

impl Owner {
    /// The owner of keys created on the command line.
    pub fn operator() -> Self {
        Self {
            issuer: "cli".to_owned(),
            subject: "operator".to_owned(),
        }
    }

    /// The actor that revokes a key at the end of its grace period.
    pub fn gateway() -> Self {
        Self {
            issuer: "gateway".to_owned(),
            subject: "retirement".to_owned(),
        }
    }
}

/// A customer: one subject of one identity provider, or the machine's operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customer {
    /// Its identity.
    pub id: CustomerId,
    /// The identity at its provider.
    pub owner: Owner,
    /// The plan; new keys start with its limits.
    pub plan: Plan,
    /// Time of the first sign-in.
    pub created_at: DateTime<Utc>,
}

/// A customer with its keys and their use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerOverview {
    /// The customer.
    pub customer: Customer,
    /// Its keys that aren't revoked.
    pub active_keys: u64,
    /// The month of `used`.
    pub month: Month,
    /// Use of the month by its keys.
    pub used: MonthlyUse,
}

/// Permissions of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Manage its own keys.
    Member,
    /// Also manage everybody's keys, limits and plans.
    Admin,
}

impl Role {
    /// `member` or `admin`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

named_enum! {
    /// Effect of a new plan on a customer's existing keys.
    #[derive(Default)]
    pub enum ExistingKeys {
        /// They keep their limits.
        #[default]
        Keep,
        /// They take the plan's limits, unless revoked.
        Follow,
    }
}
