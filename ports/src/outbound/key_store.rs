//! Port: the store of keys.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::AuditContext;
use domain::customer::CustomerId;
use domain::key::{
    ApiKey, BoundReached, CountedKey, Credential, KeyBounds, KeyId, KeyName, KeyOverview,
    KeyPrefix, KeyQuery, RevokedKeys,
};
use domain::limits::{Limits, LimitsChange, MonthlyUse};
use domain::month::Month;
use domain::page::{Page, PageRequest};

use crate::StoreError;

/// Port: the store of keys and their use. Every method is one atomic step; a change of a key writes
/// its audit entry within that step, and a call that changes nothing writes none.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Adds a key of an existing customer, within these bounds: MUST count and add in one step, so
    /// that of concurrent calls (of [`KeyStore::rotate`], too) no more succeed than the bounds allow.
    ///
    /// # Errors
    /// MUST return [`InsertError::PrefixTaken`] when another key has the prefix.
    async fn insert(
        &self,
        record: KeyRecord,
        bounds: KeyBounds,
        context: &AuditContext,
    ) -> Result<(), InsertError>;

    /// Data to verify a key with this prefix, revoked or not; `None` when no key has it.
    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>, StoreError>;

    /// Data to verify active keys, the newest `most` of them.
    async fn credentials(&self, most: u64) -> Result<Vec<(KeyPrefix, Credential)>, StoreError>;

    /// A key's state and the use of `month` that its counters have: its own, its predecessors' and
    /// its successors' together. `None` when no key has the id.
    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>, StoreError>;

    /// As [`KeyStore::snapshot`], for some hundred keys in one query, in any order; ids of no key
    /// are left out.
    async fn snapshots(
        &self,
        ids: &[KeyId],
        month: Month,
    ) -> Result<Vec<(KeyId, Snapshot)>, StoreError>;

    /// Charges one request of `at` to the month of a key's counters, and returns the month's use
    /// after it. Durable once it returns. Charges nothing and returns `None` when the key is
    /// revoked, when its monthly quota is used up, or when no key has the id.
    async fn charge(
        &self,
        key: CountedKey,
        month: Month,
        at: DateTime<Utc>,
    ) -> Result<Option<MonthlyUse>, StoreError>;

    /// Returns `true` if there is no key at all.
    async fn is_empty(&self) -> Result<bool, StoreError>;

    /// Keys within a scope, one page, with their use of `month`.
    async fn list(
        &self,
        scope: Scope,
        month: Month,
        query: &KeyQuery,
    ) -> Result<Page<KeyOverview>, ListError>;

    /// Keys of one customer, newest first, one page without a total.
    async fn of_customer(
        &self,
        customer: CustomerId,
        revoked: RevokedKeys,
        page: &PageRequest,
    ) -> Result<Page<ApiKey>, ListError>;

    /// One key within a scope; `None` when there is none.
    async fn find(
        &self,
        scope: Scope,
        id: KeyId,
        month: Month,
    ) -> Result<Option<KeyOverview>, StoreError>;

    /// Changes one key within a scope, and returns it after the change. Revoking a revoked key
    /// changes nothing, `revoked_at` included; a limit that isn't given isn't touched, even by a
    /// concurrent change.
    async fn change(
        &self,
        scope: Scope,
        id: KeyId,
        change: &KeyChange,
        context: &AuditContext,
    ) -> Result<ApiKey, UpdateError>;

    /// Adds a successor with the name, the limits and the counters of a key within a scope, and
    /// retires the key:
    /// revoked at once when `retires_at` isn't after the mutation's time, otherwise by
    /// [`KeyStore::due`] and [`KeyStore::change`]. Writes an audit entry for each of the two. The
    /// bounds are those of [`KeyStore::insert`]; a key that is revoked at once makes room for its
    /// successor.
    async fn rotate(
        &self,
        scope: Scope,
        id: KeyId,
        successor: &Successor,
        retires_at: DateTime<Utc>,
        bounds: KeyBounds,
        context: &AuditContext,
    ) -> Result<Rotation, RotateError>;

    /// Keys due for revocation at `now` that aren't revoked yet, at most 100.
    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<CountedKey>, StoreError>;

    /// Changes after `after`, in order, at most 1,000 of them, including those of other processes.
    /// New keys, successors included, and changes of a key's state count: a new name is no change
    /// here.
    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>, StoreError>;

    /// The number of the newest change; zero when there was none. MUST fail instead of returning a
    /// lower one than before: the store was set back to an older state, and the effect of the
    /// changes in between is unknown.
    async fn newest_change(&self) -> Result<ChangeNumber, StoreError>;
}

/// Scope of a query: no query runs without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One customer's.
    Of(CustomerId),
    /// Everybody's.
    Everybody,
}

/// A mutation of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// Renames the key.
    Rename(KeyName),
    /// Revokes the key, finally.
    Revoke,
    /// Sets its limits.
    SetLimits(LimitsChange),
}

/// The successor of a rotated key.
#[derive(Clone, Debug)]
pub struct Successor {
    /// The public prefix, of the same environment.
    pub prefix: KeyPrefix,
    /// Data to verify it; customer and counters are the old key's.
    pub credential: Credential,
}

/// A key and its successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The key.
    pub old: ApiKey,
    /// Its successor.
    pub new: ApiKey,
}

/// A key to be stored.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    /// The key.
    pub key: ApiKey,
    /// Data to verify it.
    pub credential: Credential,
}

/// State of a key that a limiter needs besides its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyState {
    /// `true` once revoked. Revocation is final.
    pub revoked: bool,
    /// Its limits.
    pub limits: Limits,
    /// Grows with every change of the key; an older state never replaces a newer one.
    pub version: u64,
}

/// A key's state and use according to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its state.
    pub state: KeyState,
    /// The month of `used`.
    pub month: Month,
    /// The use of the month that the key's counters have.
    pub used: MonthlyUse,
}

/// Position of a change in the order of all changes of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangeNumber(pub u64);

/// A new key, or a change of a key's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its position.
    pub number: ChangeNumber,
    /// The key's public prefix.
    pub prefix: KeyPrefix,
    /// Data to verify the key.
    pub credential: Credential,
    /// The key's state now (not at the time of the change).
    pub state: KeyState,
}

/// Error of adding a key.
#[derive(Clone, Debug, thiserror::Error)]
pub enum InsertError {
    /// Another key has the prefix.
    #[error("another key has this prefix")]
    PrefixTaken,
    /// The customer may not add it.
    #[error(transparent)]
    Bound(#[from] BoundReached),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Error of an update.
#[derive(Clone, Debug, thiserror::Error)]
pub enum UpdateError {
    /// Nothing within the scope has the id.
    #[error("nothing has this id")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Error of rotating a key.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RotateError {
    /// No key within the scope has the id.
    #[error("no key has this id")]
    NotFound,
    /// The key is revoked.
    #[error("the key is revoked")]
    Revoked,
    /// The key has a successor already.
    #[error("the key was rotated already")]
    AlreadyRotated,
    /// The customer may not add the successor.
    #[error(transparent)]
    Bound(#[from] BoundReached),
    /// Another key has the successor's prefix.
    #[error("another key has this prefix")]
    PrefixTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Error of reading a list.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ListError {
    /// The cursor belongs to another list.
    #[error("the cursor belongs to another list")]
    Cursor(#[from] domain::page::CursorError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
