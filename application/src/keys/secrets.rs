//! Check that the configured secrets are those of the database.

use domain::key::{HashGeneration, KeyHasher};
use ports::outbound::{SecretCheck, SecretFingerprints, StoreError};

/// Reason why these secrets must not be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// The keys of a generation were hashed with another secret: all of them would be refused.
    #[error(
        "the secret of generation {} is another one than this database's keys were hashed with",
        .0.0
    )]
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
    hasher: &KeyHasher,
) -> Result<(), SecretsError> {
    let secrets: Vec<_> = hasher.fingerprints().collect();
    match fingerprints.recognise(&secrets).await? {
        SecretCheck::Same => Ok(()),
        SecretCheck::Other(generation) => Err(SecretsError::Other(generation)),
    }
}
