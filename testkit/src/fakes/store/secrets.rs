//! Fingerprints of secrets.

use async_trait::async_trait;
use domain::keys::{HashGeneration, SecretFingerprint};
use ports::outbound::{DatabaseSecret, SecretCheck, SecretFingerprints};

use super::{MemoryStore, Result};

#[async_trait]
impl SecretFingerprints for MemoryStore {
    async fn recognise(
        &self,
        secret: DatabaseSecret,
        secrets: &[(HashGeneration, SecretFingerprint)],
    ) -> Result<SecretCheck> {
        let mut tables = self.call("recognise").await?;
        for (generation, mark) in secrets {
            let known = tables.secrets.get(&(secret, *generation));
            if known.is_some_and(|known| known != mark) {
                return Ok(SecretCheck::Other(*generation));
            }
        }
        let added = secrets
            .iter()
            .map(|(generation, mark)| ((secret, *generation), *mark));
        tables.secrets.extend(added);
        Ok(SecretCheck::Same)
    }

    async fn is_known(&self, secret: DatabaseSecret) -> Result<bool> {
        let tables = self.call("is_known").await?;
        Ok(tables.secrets.keys().any(|(known, _)| *known == secret))
    }
}
