//! Managing keys and plans.

use async_trait::async_trait;
use domain::customer::{Customer, CustomerId, ExistingKeys};
use domain::key::{
    ApiKey, Environment, FullKey, Grace, KeyId, KeyName, KeyOverview, KeyQuery, RevokedKeys,
};
use domain::limits::{Limits, LimitsChange, Plan};
use domain::page::Page;

use super::Caller;
use crate::{Cause, StoreError};

/// Makes, lists, changes and revokes keys. Everything that changes something leaves an entry in the
/// audit log, in the same step.
#[async_trait]
pub trait KeyAdministration: Send + Sync {
    /// Makes a key of the caller's. Its secret is in the answer, and nowhere else ever after.
    async fn create(&self, caller: &Caller, order: NewKey) -> Result<CreatedKey, KeyError>;

    /// Keys, one page.
    async fn list(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &KeyQuery,
    ) -> Result<Page<KeyOverview>, KeyError>;

    /// All keys of the caller's, newest first.
    async fn own(&self, caller: &Caller, revoked: RevokedKeys) -> Result<Vec<ApiKey>, KeyError>;

    /// One key.
    async fn find(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError>;

    /// Gives a key another name.
    async fn rename(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
        name: KeyName,
    ) -> Result<KeyOverview, KeyError>;

    /// Revokes a key; revoking it again changes nothing. When this returns, no request is admitted
    /// with it any more.
    async fn revoke(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError>;

    /// Gives a key of the caller's a successor with the same name, environment and limits. The old
    /// one revokes itself when `grace` is over; at once when there is none.
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

/// Whose keys, requests or use a question reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedScope {
    /// The caller's own. Anything else doesn't exist.
    Own,
    /// Everybody's. Admins only.
    All,
    /// One customer's. Admins only.
    Of(CustomerId),
}

/// A key that is to be made.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Its label.
    pub name: KeyName,
    /// Which bank it asks.
    pub environment: Environment,
    /// Its limits; the plan's when not given. Admins only.
    pub limits: Option<Limits>,
}

/// A key that was just made.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    /// The key.
    pub key: KeyOverview,
    /// Its complete text.
    pub secret: FullKey,
}

/// A key that was given a successor.
#[derive(Clone, Debug)]
pub struct RotatedKey {
    /// The old key.
    pub old: KeyOverview,
    /// The new one.
    pub new: CreatedKey,
}

/// Why keys or plans can't be managed, or read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeyError {
    /// It doesn't exist, or not within the caller's reach.
    #[error("it doesn't exist")]
    NotFound,
    /// Only admins may.
    #[error("only admins may do this")]
    Forbidden,
    /// The key is revoked, and has to be active for this.
    #[error("the key is revoked")]
    Revoked,
    /// The key has a successor already.
    #[error("the key was rotated already")]
    AlreadyRotated,
    /// The customer has as many active keys as it may have.
    #[error("a customer has at most {most} active keys")]
    TooManyKeys {
        /// How many it may have.
        most: u64,
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
