//! Inbound port: management of keys and plans.

use std::time::Duration;

use domain::customer::CustomerId;
use domain::key::{Environment, FullKey, KeyName, KeyOverview, MOST_NEW_KEYS};
use domain::limits::Limits;

use ports::{Cause, StoreError};

/// Requested scope of keys, requests or use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedScope {
    /// The caller's own. Anything else doesn't exist.
    Own,
    /// Everybody's. Admins only.
    All,
    /// One customer's. Admins only.
    Of(CustomerId),
}

/// A key to be created.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Its label.
    pub name: KeyName,
    /// The bank that it queries.
    pub environment: Environment,
    /// Its limits; the plan's when not given. Admins only.
    pub limits: Option<Limits>,
}

/// A key just created.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    /// The key.
    pub key: KeyOverview,
    /// Its complete text, secret included.
    pub secret: FullKey,
}

/// A rotated key and its successor.
#[derive(Clone, Debug)]
pub struct RotatedKey {
    /// The old key.
    pub old: KeyOverview,
    /// The new one.
    pub new: CreatedKey,
}

/// Error of managing or reading keys, plans or use.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeyError {
    /// It doesn't exist, or is outside the caller's scope.
    #[error("it doesn't exist")]
    NotFound,
    /// Admins only.
    #[error("only admins may do this")]
    Forbidden,
    /// The key is revoked, and the operation needs an active one.
    #[error("the key is revoked")]
    Revoked,
    /// The key has a successor already.
    #[error("the key was rotated already")]
    AlreadyRotated,
    /// The customer has as many active keys as its plan allows.
    #[error("a customer of this plan has at most {most} active keys")]
    TooManyKeys {
        /// The limit.
        most: u64,
    },
    /// The customer created or rotated as many keys in an hour as allowed.
    #[error("a customer creates or rotates at most {MOST_NEW_KEYS} keys an hour")]
    TooManyNewKeys {
        /// Time until the next one is allowed.
        retry_after: Duration,
    },
    /// The cursor belongs to another list.
    #[error("the cursor belongs to another list")]
    Cursor,
    /// The store, or the limiter, failed.
    #[error("the key store failed: {0}")]
    Store(Cause),
}

impl From<StoreError> for KeyError {
    fn from(error: StoreError) -> Self {
        Self::Store(std::sync::Arc::new(error))
    }
}
