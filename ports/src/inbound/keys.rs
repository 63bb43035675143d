//! Managing keys.

use async_trait::async_trait;
use domain::key::{ApiKey, Environment, FullKey, KeyId, KeyName, Owner};
use domain::limits::{Limits, LimitsChange};

use crate::Cause;

/// Makes, lists, changes and revokes keys.
#[async_trait]
pub trait KeyAdministration: Send + Sync {
    /// Makes a key. Its secret is in the answer, and nowhere else ever after.
    async fn create(&self, order: KeyOrder) -> Result<CreatedKey, KeyAdministrationError>;

    /// All keys, newest first.
    async fn list(&self) -> Result<Vec<ApiKey>, KeyAdministrationError>;

    /// Revokes a key; revoking it again changes nothing.
    async fn revoke(&self, id: KeyId) -> Result<ApiKey, KeyAdministrationError>;

    /// Changes a key's limits.
    async fn set_limits(
        &self,
        id: KeyId,
        change: LimitsChange,
    ) -> Result<ApiKey, KeyAdministrationError>;
}

/// A key that is to be made.
#[derive(Clone, Debug)]
pub struct KeyOrder {
    /// Whose it will be.
    pub owner: Owner,
    /// Its label.
    pub name: KeyName,
    /// Which bank it asks.
    pub environment: Environment,
    /// Its limits.
    pub limits: Limits,
}

/// A key that was just made.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    /// The key.
    pub key: ApiKey,
    /// Its complete text.
    pub secret: FullKey,
}

/// Why a key can't be managed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeyAdministrationError {
    /// No key has this id.
    #[error("no key has the id {0}")]
    NotFound(KeyId),
    /// The store failed.
    #[error("the key store failed: {0}")]
    Store(Cause),
}
