//! Requests and results of managing keys and plans.

use std::time::Duration;

use domain::keys::{Environment, FullKey, KeyName, KeyOverview, MOST_NEW_KEYS};
use domain::limits::Limits;
use domain::people::customer::CustomerId;

use ports::{Cause, StoreError};

/// Requested scope of keys, recorded requests or usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedScope {
    /// The caller's own data; other data is reported as not found.
    Own,
    /// Data of all customers. For admins only.
    All,
    /// Data of one customer. For admins only.
    Of(CustomerId),
}

/// Attributes of a key to create.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Label for people.
    pub name: KeyName,
    /// The environment, which decides the bank to query.
    pub environment: Environment,
    /// Limits, for admins only; `None` for those of the plan.
    pub limits: Option<Limits>,
}

/// A key that was just created.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    /// The key, without usage.
    pub key: KeyOverview,
    /// Full text of the key, including the secret.
    pub secret: FullKey,
}

/// Result of rotating a key.
#[derive(Clone, Debug)]
pub struct RotatedKey {
    /// The old key, after the change.
    pub old: KeyOverview,
    /// The successor.
    pub new: CreatedKey,
}

/// Error of managing or reading keys, plans or usage.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeyError {
    /// The key or customer doesn't exist or is outside the caller's scope.
    #[error("it doesn't exist")]
    NotFound,
    /// The caller isn't an admin.
    #[error("only admins may do this")]
    Forbidden,
    /// The key is revoked, and the operation needs an active one.
    #[error("the key is revoked")]
    Revoked,
    /// The key has a successor already.
    #[error("the key was rotated already")]
    AlreadyRotated,
    /// The customer has reached the plan's maximum number of active keys.
    #[error("a customer of this plan has at most {most} active keys")]
    TooManyKeys {
        /// Maximum number of active keys.
        most: u64,
    },
    /// The customer has reached the maximum number of new keys per hour, including rotations.
    #[error("a customer creates or rotates at most {MOST_NEW_KEYS} keys an hour")]
    TooManyNewKeys {
        /// Time until the next one is allowed.
        retry_after: Duration,
    },
    /// The cursor belongs to another list.
    #[error("the cursor belongs to another list")]
    Cursor,
    /// The store or the limiter failed.
    #[error("the key store failed: {0}")]
    Store(Cause),
}

impl From<StoreError> for KeyError {
    fn from(error: StoreError) -> Self {
        Self::Store(std::sync::Arc::new(error))
    }
}
