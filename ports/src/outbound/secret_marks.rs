//! Which secrets a database's keys were hashed with.

use async_trait::async_trait;
use domain::key::{HashGeneration, SecretFingerprint};

use super::StoreError;

/// Remembers the secrets of a database by their marks, so that a process with another one is told
/// so, and doesn't refuse every key.
#[async_trait]
pub trait SecretFingerprints: Send + Sync {
    /// Whether each generation's secret is the one that the database knows. The first that is asked
    /// about becomes it, for good; none does when another generation's is wrong. One atomic step: of
    /// two at the same moment, one is the first.
    async fn recognise(
        &self,
        secrets: &[(HashGeneration, SecretFingerprint)],
    ) -> Result<SecretCheck, StoreError>;
}

/// How secrets stand to those that a database knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretCheck {
    /// Each is the same, or the first.
    Same,
    /// This generation's is another one.
    Other(HashGeneration),
}
