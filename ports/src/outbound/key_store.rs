//! Where keys are kept.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::AuditContext;
use domain::customer::CustomerId;
use domain::key::{
    ApiKey, Credential, KeyId, KeyName, KeyOverview, KeyPrefix, KeyQuery, RevokedKeys,
};
use domain::limits::{Limits, LimitsChange, MonthlyUse};
use domain::month::Month;
use domain::page::Page;

use crate::StoreError;

/// Keeps keys and what is known of their use. Every method is one atomic step; what changes a key
/// leaves an entry in the audit log within that step, and one that changes nothing leaves none.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Adds a key of a customer that exists, unless the customer has `most_active` keys already
    /// that aren't revoked.
    ///
    /// # Errors
    /// MUST return [`InsertError::PrefixTaken`] when another key has the prefix.
    async fn insert(
        &self,
        record: KeyRecord,
        most_active: u64,
        act: &AuditContext,
    ) -> Result<(), InsertError>;

    /// What is needed to check a key with this prefix, revoked or not; `None` when no key has it.
    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>, StoreError>;

    /// What is needed to check the keys that aren't revoked, the newest `most` of them.
    async fn credentials(&self, most: u64) -> Result<Vec<(KeyPrefix, Credential)>, StoreError>;

    /// A key's state and what it has used in `month`; `None` when no key has the id.
    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>, StoreError>;

    /// As [`KeyStore::snapshot`], of some hundred keys in one reading, in any order; ids that no key
    /// has are left out.
    async fn snapshots(
        &self,
        ids: &[KeyId],
        month: Month,
    ) -> Result<Vec<(KeyId, Snapshot)>, StoreError>;

    /// Charges one request of `at` to a key's month, and returns what the month has used then.
    /// Durable once it returns. Charges nothing and returns `None` when the key is revoked, when its
    /// quota of the month is used up, or when no key has the id.
    async fn charge(
        &self,
        id: KeyId,
        month: Month,
        at: DateTime<Utc>,
    ) -> Result<Option<MonthlyUse>, StoreError>;

    /// Whether there is any key.
    async fn is_empty(&self) -> Result<bool, StoreError>;

    /// Keys within a scope, one page, with what they used of `month`.
    async fn list(
        &self,
        scope: Scope,
        month: Month,
        ask: &KeyQuery,
    ) -> Result<Page<KeyOverview>, ListError>;

    /// All keys of one customer, newest first.
    async fn of_customer(
        &self,
        customer: CustomerId,
        revoked: RevokedKeys,
    ) -> Result<Vec<ApiKey>, StoreError>;

    /// One key within a scope; `None` when there is none.
    async fn find(
        &self,
        scope: Scope,
        id: KeyId,
        month: Month,
    ) -> Result<Option<KeyOverview>, StoreError>;

    /// Changes one key within a scope, and returns it as it is then. Revoking a revoked key changes
    /// nothing, `revoked_at` included; a limit that isn't given isn't touched, whoever changes it at
    /// the same time.
    async fn change(
        &self,
        scope: Scope,
        id: KeyId,
        change: &KeyChange,
        act: &AuditContext,
    ) -> Result<ApiKey, UpdateError>;

    /// Adds a successor with the name and the limits of a key within a scope, and has the key
    /// retire: revoked at once when `retires_at` isn't after the act, otherwise by
    /// [`KeyStore::due`] and [`KeyStore::change`]. Leaves an entry for each of the two.
    async fn rotate(
        &self,
        scope: Scope,
        id: KeyId,
        successor: &Successor,
        retires_at: DateTime<Utc>,
        act: &AuditContext,
    ) -> Result<Rotation, RotateError>;

    /// Keys that have retired by `now` and aren't revoked yet, at most 100.
    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<KeyId>, StoreError>;

    /// The changes after `after`, in order, at most 1,000 of them. Changes made by other processes
    /// are among them. A key's state is all that counts: another name is no change here.
    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>, StoreError>;

    /// The number of the newest change; zero when there was none. MUST fail instead of returning a
    /// lower one than before: the store was set back to an older state, and what follows from the
    /// changes in between is unknown.
    async fn newest_change(&self) -> Result<ChangeNumber, StoreError>;
}

/// Whose rows a question reaches: there is no way to ask without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One customer's.
    Of(CustomerId),
    /// Everybody's.
    Everybody,
}

/// A change of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// Another name.
    Rename(KeyName),
    /// No way back.
    Revoke,
    /// Other limits.
    SetLimits(LimitsChange),
}

/// A key that takes another one's place.
#[derive(Clone, Debug)]
pub struct Successor {
    /// Its public part, of the same environment.
    pub prefix: KeyPrefix,
    /// What checks it; the customer is the old key's.
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

/// Why a key wasn't added.
#[derive(Clone, Debug, thiserror::Error)]
pub enum InsertError {
    /// Another key has the prefix.
    #[error("another key has this prefix")]
    PrefixTaken,
    /// The customer has as many active keys as it may have.
    #[error("the customer has as many active keys as it may have")]
    TooManyKeys,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a key wasn't changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum UpdateError {
    /// Nothing within the scope has the id.
    #[error("nothing has this id")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a key wasn't rotated.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RotateError {
    /// No key within the scope has the id.
    #[error("no key has this id")]
    NotFound,
    /// It is revoked.
    #[error("the key is revoked")]
    Revoked,
    /// It has a successor already.
    #[error("the key was rotated already")]
    AlreadyRotated,
    /// Another key has the successor's prefix.
    #[error("another key has this prefix")]
    PrefixTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a list can't be read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ListError {
    /// The cursor belongs to another list.
    #[error("the cursor belongs to another list")]
    Cursor(#[from] domain::page::CursorError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
