//! Inbound port: management of keys and plans.

use std::time::Duration;

use async_trait::async_trait;
use domain::customer::{Customer, CustomerId, ExistingKeys};
use domain::key::{
    ApiKey, Environment, FullKey, Grace, KeyId, KeyName, KeyOverview, KeyQuery, MOST_NEW_KEYS,
    RevokedKeys,
};
use domain::limits::{Limits, LimitsChange, Plan};
use domain::page::{Page, PageRequest};

use super::Caller;
use crate::{Cause, StoreError};

/// Inbound port: creates, lists, changes and revokes keys. Every mutation writes its audit entry in
/// the same transaction.
#[async_trait]
pub trait KeyAdministration: Send + Sync {
    /// Creates a key of the caller's. Its secret is in the answer, and never available again.
    async fn create(&self, caller: &Caller, new: NewKey) -> Result<CreatedKey, KeyError>;

    /// Keys, one page.
    async fn list(
        &self,
        caller: &Caller,
        scope: RequestedScope,
        query: &KeyQuery,
    ) -> Result<Page<KeyOverview>, KeyError>;

    /// Keys of the caller's, newest first, one page without a total.
    async fn own(
        &self,
        caller: &Caller,
        revoked: RevokedKeys,
        page: &PageRequest,
    ) -> Result<Page<ApiKey>, KeyError>;

    /// One key.
    async fn find(
        &self,
        caller: &Caller,
        scope: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError>;

    /// Renames a key.
    async fn rename(
        &self,
        caller: &Caller,
        scope: RequestedScope,
        id: KeyId,
        name: KeyName,
    ) -> Result<KeyOverview, KeyError>;

    /// Revokes a key; revoking it again changes nothing. Once this returns, no request is admitted
    /// with it any more.
    async fn revoke(
        &self,
        caller: &Caller,
        scope: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError>;

    /// Gives a key of the caller's a successor with the same name, environment and limits. The old
    /// one is revoked at the end of `grace`; at once when that is zero.
    async fn rotate(
        &self,
        caller: &Caller,
        id: KeyId,
        grace: Grace,
    ) -> Result<RotatedKey, KeyError>;

    /// Changes any key's limits. Admins only.
    async fn set_limits(
        &self,
        caller: &Caller,
        id: KeyId,
        change: LimitsChange,
    ) -> Result<KeyOverview, KeyError>;

    /// Sets a customer's plan. Admins only.
    async fn set_plan(
        &self,
        caller: &Caller,
        customer: CustomerId,
        plan: Plan,
        existing: ExistingKeys,
    ) -> Result<Customer, KeyError>;
}

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
