//! Port: fingerprints of a database's secrets.

use async_trait::async_trait;
use domain::keys::{HashGeneration, SecretFingerprint};

use super::StoreError;

/// Port: fingerprints of the secrets that a database was written with. A process with a wrong secret can then
/// fail with a clear message, instead of refusing every key or being unable to decrypt stored data.
#[async_trait]
pub trait SecretFingerprints: Send + Sync {
    /// Compares the fingerprint of each generation with the stored one. The first fingerprint of a generation
    /// is stored permanently; none is stored if that of another generation is wrong. One atomic step: of two
    /// concurrent calls, one is the first.
    async fn recognise(
        &self,
        secret: DatabaseSecret,
        secrets: &[(HashGeneration, SecretFingerprint)],
    ) -> Result<SecretCheck, StoreError>;

    /// Returns `true` if the database has a fingerprint of this kind of secret.
    async fn is_known(&self, secret: DatabaseSecret) -> Result<bool, StoreError>;
}

/// Kinds of secrets that are needed to use a database's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DatabaseSecret {
    /// Secret for hashing API keys.
    Keys,
    /// Secret for encrypting lookups, batches, webhooks' secrets and archived proofs.
    Content,
}

/// Result of [`SecretFingerprints::recognise`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretCheck {
    /// All secrets are the stored ones, or new.
    Same,
    /// The secret of this generation differs from the stored one.
    Other(HashGeneration),
}
