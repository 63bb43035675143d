//! Check that the configured secrets are those of the database.

use domain::key::{HashGeneration, SecretFingerprint};
use ports::outbound::{DatabaseSecret, SecretCheck, SecretFingerprints, StoreError};

/// Reason why these secrets must not be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// The database was written with another secret of a generation: keys would be refused, content be unreadable.
    #[error("the secret of generation {} is another one than this database was written with", .0.0)]
    Other(HashGeneration),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Checks each generation's secret against its fingerprint in the database, and stores those of new
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
