//! Who keys belong to: an account of this service. (In this code the word *account* means a
//! beneficiary's bank account; the APIs call a customer an account.)

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::key::Owner;
use crate::limits::{MonthlyUse, Plan};
use crate::month::Month;

/// The identity of a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CustomerId(pub Uuid);

impl std::fmt::Display for CustomerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A customer: one subject of one identity provider, or the machine's operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customer {
    /// Its identity.
    pub id: CustomerId,
    /// Who it is.
    pub owner: Owner,
    /// What new keys start with.
    pub plan: Plan,
    /// When it was first seen.
    pub created_at: DateTime<Utc>,
}

/// A customer, and what it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerOverview {
    /// The customer.
    pub customer: Customer,
    /// Its keys that aren't revoked.
    pub active_keys: u64,
    /// The month.
    pub month: Month,
    /// What its keys used of it.
    pub used: MonthlyUse,
}

/// What a person may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Manage its own keys.
    Member,
    /// Manage everybody's keys, limits and plans besides.
    Admin,
}

impl Role {
    /// `member` or `admin`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }
}

/// Whether a key that exists takes the limits of its customer's new plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingKeys {
    /// It keeps the limits that it has.
    Keep,
    /// It takes the plan's limits, unless it is revoked.
    Follow,
}
