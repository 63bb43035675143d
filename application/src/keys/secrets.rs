//! Check that the configured secrets match the database.

use domain::keys::{HashGeneration, SecretFingerprint};
use ports::outbound::{DatabaseSecret, SecretCheck, SecretFingerprints, StoreError};

/// Reason why the configured secrets can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// The database was written with another secret of this generation: with this one, keys would be refused
    /// and content couldn't be decrypted.
    #[error("the secret of generation {} is another one than this database was written with", .0.0)]
    Other(HashGeneration),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Compares each generation's secret with its fingerprint in the database, and stores the fingerprints of new
/// generations.
///
/// # Errors
/// See [`SecretsError`].
pub async fn recognise_secrets(
    fingerprints: &dyn SecretFingerprints,
    secret: DatabaseSecret,
    secrets: &[(HashGeneration, SecretFingerprint)],
) -> Result<(), SecretsError> {
    match fingerprints.recognise(secret, secrets).await? {
        SecretCheck::Same => Ok(()),
        SecretCheck::Other(generation) => Err(SecretsError::Other(generation)),
    }
}
