//! Customers: the owners of keys. (In this code the word *account* means a beneficiary's bank
//! account; the APIs call a customer an account.)

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::limits::{MonthlyUse, Plan};
use crate::month::Month;
use crate::variants::named_enum;

/// Unique id of a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CustomerId(pub Uuid);

impl std::fmt::Display for CustomerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Identity of a key's owner: a subject of an identity provider.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Issuer URL of the identity provider; a fixed name for internal actors.
    pub issuer: String,
    /// The subject (`sub`), unique within the issuer.
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

/// A customer: a subject of an identity provider, or the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customer {
    /// Unique id.
    pub id: CustomerId,
    /// Identity at the identity provider.
    pub owner: Owner,
    /// The plan, which sets the initial limits of new keys.
    pub plan: Plan,
    /// Time of the first sign-in.
    pub created_at: DateTime<Utc>,
}

/// A customer with the number and usage of its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerOverview {
    /// The customer's data.
    pub customer: Customer,
    /// Number of keys that aren't revoked.
    pub active_keys: u64,
    /// The month that `used` covers.
    pub month: Month,
    /// Requests of all its keys in the month.
    pub used: MonthlyUse,
}

/// Permissions of a signed-in person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// May manage their own keys.
    Member,
    /// May also manage the keys, limits and plans of all customers.
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
        /// Existing keys keep their limits.
        #[default]
        Keep,
        /// Existing keys get the plan's limits, unless they are revoked.
        Follow,
    }
}
