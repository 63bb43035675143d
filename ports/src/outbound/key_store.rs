//! Where keys are kept.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::key::{ApiKey, Credential, KeyId, KeyPrefix};
use domain::limits::{Limits, LimitsChange, MonthlyUse};
use domain::month::Month;

use crate::Cause;

/// Keeps keys and what is known of their use. Every method is one atomic step.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Adds a key.
    ///
    /// # Errors
    /// MUST return [`InsertError::PrefixTaken`] when another key has the prefix.
    async fn insert(&self, record: KeyRecord) -> Result<(), InsertError>;

    /// What is needed to check a key with this prefix, revoked or not; `None` when no key has it.
    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>, StoreError>;

    /// What is needed to check the keys that aren't revoked, the newest `most` of them.
    async fn credentials(&self, most: u64) -> Result<Vec<(KeyPrefix, Credential)>, StoreError>;

    /// A key's state and what it has used in `month`; `None` when no key has the id.
    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>, StoreError>;

    /// All keys, newest first.
    async fn list(&self) -> Result<Vec<ApiKey>, StoreError>;

    /// Revokes a key at `at`. Revoking again changes nothing, `revoked_at` included.
    async fn revoke(&self, id: KeyId, at: DateTime<Utc>) -> Result<ApiKey, UpdateError>;

    /// Changes a key's limits; MUST NOT touch the limit that isn't given, whoever changes it at the
    /// same time.
    async fn set_limits(&self, id: KeyId, change: LimitsChange) -> Result<ApiKey, UpdateError>;

    /// The changes after `after`, in order, at most 1,000 of them. Changes made by other processes
    /// are among them.
    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>, StoreError>;

    /// The number of the newest change; zero when there was none.
    async fn newest_change(&self) -> Result<ChangeNumber, StoreError>;
}

/// A key that is to be kept.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    /// The key.
    pub key: ApiKey,
    /// What checks it.
    pub credential: Credential,
}

/// What a limiter must know of a key besides its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyState {
    /// Whether it is revoked. There is no way back.
    pub revoked: bool,
    /// Its limits.
    pub limits: Limits,
    /// Grows with every change of the key; an older state never replaces a newer one.
    pub version: u64,
}

/// A key's state and use, as the store has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its state.
    pub state: KeyState,
    /// The month of `used`.
    pub month: Month,
    /// What it has used in the month.
    pub used: MonthlyUse,
}

/// The place of a change in the order of all changes of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangeNumber(pub u64);

/// A change of a key's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its place.
    pub number: ChangeNumber,
    /// The key.
    pub key: KeyId,
    /// The key's state now (not at the time of the change).
    pub state: KeyState,
}

/// The store failed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the store failed: {cause}")]
pub struct StoreError {
    /// For the log.
    pub cause: Cause,
}

/// Why a key wasn't added.
#[derive(Clone, Debug, thiserror::Error)]
pub enum InsertError {
    /// Another key has the prefix.
    #[error("another key has this prefix")]
    PrefixTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a key wasn't changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum UpdateError {
    /// No key has the id.
    #[error("no key has this id")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
