//! Port: the store of API keys.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::AuditContext;
use domain::keys::{
    ApiKey, BoundReached, CountedKey, Credential, KeyBounds, KeyId, KeyName, KeyOverview,
    KeyPrefix, KeyQuery, RevokedKeys,
};
use domain::limits::{Limits, LimitsChange, MonthlyUse};
use domain::month::Month;
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerId;

use crate::StoreError;

/// Port: the store of keys and their use. Every method is one atomic step. A change of a key writes its audit
/// entry in the same step; a call that changes nothing writes none.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Adds a key of an existing customer, within these bounds. MUST count and add in one step, so that
    /// concurrent calls of this and of [`KeyStore::rotate`] can't exceed the bounds.
    ///
    /// # Errors
    /// MUST return [`InsertError::PrefixTaken`] if another key has the prefix.
    async fn insert(
        &self,
        record: KeyRecord,
        bounds: KeyBounds,
        context: &AuditContext,
    ) -> Result<(), InsertError>;

    /// The data to verify a key with this prefix, even if it is revoked; `None` if no key has the prefix.
    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>, StoreError>;

    /// The data to verify keys that aren't revoked: the newest `most` of them.
    async fn credentials(&self, most: u64) -> Result<Vec<(KeyPrefix, Credential)>, StoreError>;

    /// A key's state, and its counters' use of `month`: that of the key, its predecessors and its successors
    /// together. `None` if no key has the id.
    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>, StoreError>;

    /// Same as [`KeyStore::snapshot`], for several hundred keys in one query, in any order; unknown ids are
    /// left out.
    async fn snapshots(
        &self,
        ids: &[KeyId],
        month: Month,
    ) -> Result<Vec<(KeyId, Snapshot)>, StoreError>;

    /// Charges one request of time `at` to the month of a key's counters, and returns the month's use
    /// afterwards. Durable once it returns. Charges nothing and returns `None` if the key is revoked, its
    /// monthly quota is used up, or no key has the id.
    async fn charge(
        &self,
        key: CountedKey,
        month: Month,
        at: DateTime<Utc>,
    ) -> Result<Option<MonthlyUse>, StoreError>;

    /// Returns `true` if no key is stored.
    async fn is_empty(&self) -> Result<bool, StoreError>;

    /// One page of keys within a scope, with their use of `month`.
    async fn list(
        &self,
        scope: Scope,
        month: Month,
        query: &KeyQuery,
    ) -> Result<Page<KeyOverview>, ListError>;

    /// A customer's keys, newest first: one page, without a total.
    async fn of_customer(
        &self,
        customer: CustomerId,
        revoked: RevokedKeys,
        page: &PageRequest,
    ) -> Result<Page<ApiKey>, ListError>;

    /// A key within a scope, with its use of `month`; `None` if there is none.
    async fn find(
        &self,
        scope: Scope,
        id: KeyId,
        month: Month,
    ) -> Result<Option<KeyOverview>, StoreError>;

    /// Changes a key within a scope, and returns the changed key. Revoking a revoked key changes nothing, not
    /// even `revoked_at`. Limits that aren't given keep their values, including those of a concurrent change.
    async fn change(
        &self,
        scope: Scope,
        id: KeyId,
        change: &KeyChange,
        context: &AuditContext,
    ) -> Result<ApiKey, UpdateError>;

    /// Adds a successor with the name, limits and counters of a key within a scope, and sets the key's time
    /// of revocation: at once if `retires_at` isn't after the time in `context`, otherwise later, by
    /// [`KeyStore::due`] and [`KeyStore::change`]. Writes an audit entry for each of the two keys. The bounds
    /// are those of [`KeyStore::insert`]; a key that is revoked at once doesn't count.
    async fn rotate(
        &self,
        scope: Scope,
        id: KeyId,
        successor: &Successor,
        retires_at: DateTime<Utc>,
        bounds: KeyBounds,
        context: &AuditContext,
    ) -> Result<Rotation, RotateError>;

    /// Keys whose grace period has ended at `now` and that aren't revoked yet, at most 100.
    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<CountedKey>, StoreError>;

    /// Changes after `after`, in order, at most 1,000, including those of other processes. Lists new keys
    /// (also successors) and changes of a key's state; a changed name isn't listed.
    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>, StoreError>;

    /// Number of the newest change; zero if there is none. MUST fail if it is lower than an earlier one: the
    /// store was restored to an older state, and the effect of the changes in between is unknown.
    async fn newest_change(&self) -> Result<ChangeNumber, StoreError>;
}

/// Scope of a query: one customer's data or all. Every query has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Data of one customer.
    Of(CustomerId),
    /// Data of all customers.
    Everybody,
}

/// A change of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// Renames the key.
    Rename(KeyName),
    /// Revokes the key permanently.
    Revoke,
    /// Sets one or both limits.
    SetLimits(LimitsChange),
}

/// The new key that replaces a rotated one.
#[derive(Clone, Debug)]
pub struct Successor {
    /// Public prefix; its environment is that of the old key.
    pub prefix: KeyPrefix,
    /// Data to verify the new key; customer and counters are those of the old key.
    pub credential: Credential,
}

/// Result of [`KeyStore::rotate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The rotated key, after the change.
    pub old: ApiKey,
    /// The new key.
    pub new: ApiKey,
}

/// A new key to store.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    /// Public attributes of the key.
    pub key: ApiKey,
    /// Data to verify the key.
    pub credential: Credential,
}

/// A key's state that a limiter needs besides its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyState {
    /// `true` if the key is revoked, which is permanent.
    pub revoked: bool,
    /// Limits per minute and per month.
    pub limits: Limits,
    /// Incremented with every change of the key; a state never replaces one with a higher version.
    pub version: u64,
}

/// A key's state and use, as read from the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// State as of the reading.
    pub state: KeyState,
    /// The month that `used` counts.
    pub month: Month,
    /// Requests of the month, of all keys that share the key's counters.
    pub used: MonthlyUse,
}

/// Sequence number of a change among the changes of all keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangeNumber(pub u64);

/// An entry of the change feed: a new key, or a change of a key's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Sequence number.
    pub number: ChangeNumber,
    /// The key's public prefix.
    pub prefix: KeyPrefix,
    /// Data to verify the key.
    pub credential: Credential,
    /// State as of the reading, which may be newer than the change.
    pub state: KeyState,
}

/// Error of [`KeyStore::insert`].
#[derive(Clone, Debug, thiserror::Error)]
pub enum InsertError {
    /// Another key has the prefix.
    #[error("another key has this prefix")]
    PrefixTaken,
    /// The customer has reached the maximum number of keys.
    #[error(transparent)]
    Bound(#[from] BoundReached),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Error of changing a key or a customer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum UpdateError {
    /// The scope has no key or customer with this id.
    #[error("nothing has this id")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Error of [`KeyStore::rotate`].
#[derive(Clone, Debug, thiserror::Error)]
pub enum RotateError {
    /// The scope has no key with this id.
    #[error("no key has this id")]
    NotFound,
    /// The key is revoked.
    #[error("the key is revoked")]
    Revoked,
    /// The key has a successor already.
    #[error("the key was rotated already")]
    AlreadyRotated,
    /// The customer has reached the maximum number of keys.
    #[error(transparent)]
    Bound(#[from] BoundReached),
    /// Another key has the successor's prefix.
    #[error("another key has this prefix")]
    PrefixTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Error of reading a page of a list.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ListError {
    /// The cursor belongs to another list.
    #[error("the cursor belongs to another list")]
    Cursor(#[from] domain::page::CursorError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
