//! Port: fingerprints of the secrets that a database was written with.

use async_trait::async_trait;
use domain::key::{HashGeneration, SecretFingerprint};

use super::StoreError;

/// Port: fingerprints of a database's secrets. They let a process with another secret fail with a
/// clear message instead of refusing every key, or leaving unreadable what is stored.
#[async_trait]
pub trait SecretFingerprints: Send + Sync {
    /// Compares each generation's fingerprint with the stored one. The first fingerprint of a
    /// generation is stored, for good; none is stored when another generation's is wrong. One
    /// atomic step: of two concurrent calls, one is the first.
    async fn recognise(
        &self,
        secret: DatabaseSecret,
        secrets: &[(HashGeneration, SecretFingerprint)],
    ) -> Result<SecretCheck, StoreError>;

    /// Returns `true` if the database has a fingerprint of such a secret.
    async fn is_known(&self, secret: DatabaseSecret) -> Result<bool, StoreError>;
}

/// Secrets without which what a database holds is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DatabaseSecret {
    /// API keys are hashed with it.
    Keys,
    /// Lookups, batches, webhooks' secrets and archived proofs are encrypted with it.
    Content,
}

/// Result of comparing secrets with those of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretCheck {
    /// Each is the same, or the first.
    Same,
    /// This generation's secret is another one.
    Other(HashGeneration),
}
