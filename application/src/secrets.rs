//! Whether the secrets that we were given are those of the database.

use domain::key::{HashGeneration, KeyHasher};
use ports::outbound::{SecretCheck, SecretFingerprints, StoreError};

/// Why nothing may be done with these secrets.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// The keys of a generation were hashed with another one: all of them would be refused.
    #[error(
        "the secret of generation {} is another one than this database's keys were hashed with",
        .0.0
    )]
    Other(HashGeneration),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes sure that each generation's secret is the one that the database knows, and makes new
/// generations known to it.
///
/// # Errors
/// See [`SecretsError`].
pub async fn recognise_secrets(
    marks: &dyn SecretFingerprints,
    hasher: &KeyHasher,
) -> Result<(), SecretsError> {
    let secrets: Vec<_> = hasher.fingerprints().collect();
    match marks.recognise(&secrets).await? {
        SecretCheck::Same => Ok(()),
        SecretCheck::Other(generation) => Err(SecretsError::Other(generation)),
    }
}
