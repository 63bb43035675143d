//! Fingerprints of secrets.

use async_trait::async_trait;
use domain::key::{HashGeneration, SecretFingerprint};
use ports::outbound::{SecretCheck, SecretFingerprints};

use super::{MemoryStore, Result};

#[async_trait]
impl SecretFingerprints for MemoryStore {
    async fn recognise(
        &self,
        secrets: &[(HashGeneration, SecretFingerprint)],
    ) -> Result<SecretCheck> {
        let mut tables = self.call("recognise").await?;
        for (generation, mark) in secrets {
            let known = tables.secrets.get(generation);
            if known.is_some_and(|known| known != mark) {
                return Ok(SecretCheck::Other(*generation));
            }
        }
        tables.secrets.extend(secrets.iter().copied());
        Ok(SecretCheck::Same)
    }
}
