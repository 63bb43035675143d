//! Re-encryption of webhooks' signing secrets after a rotation of the store secret.

use std::sync::Arc;

use domain::webhooks::RotatedSecrets;
use ports::Cause;
use ports::outbound::{Clock, EncryptedSecret, StoreError, StoredEndpoint, WebhookStore};

use super::encryption::WebhookEncryption;

/// Number of webhooks that are read in one query.
const PER_STEP: u32 = 100;

/// Re-encrypts signing secrets with the newest store secret. They are kept as long as their webhooks, so an
/// older store secret would have to stay configured forever otherwise.
pub struct WebhookReencryption {
    store: Arc<dyn WebhookStore>,
    encryption: Arc<WebhookEncryption>,
    clock: Arc<dyn Clock>,
}

/// Result of a round: numbers of webhooks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reencrypted {
    /// Webhooks whose secrets were re-encrypted with the newest store secret.
    pub done: u64,
    /// Webhooks whose secrets can't be decrypted.
    pub unreadable: u64,
}

impl WebhookReencryption {
    /// Creates a re-encryption of the secrets in `store`.
    pub fn new(
        store: Arc<dyn WebhookStore>,
        encryption: Arc<WebhookEncryption>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            encryption,
            clock,
        }
    }

    /// Re-encrypts all secrets that are encrypted with an older store secret.
    ///
    /// # Errors
    /// The store failed; the next round continues.
    pub async fn round(&self) -> Result<Reencrypted, StoreError> {
        let newest = self.encryption.newest();
        let mut counted = Reencrypted::default();
        let mut after = None;
        loop {
            let found = self.store.endpoints_to_reencrypt(newest, after, PER_STEP);
            let found = found.await?;
            let Some(last) = found.last() else {
                return Ok(counted);
            };
            after = Some(last.id);
            for endpoint in &found {
                match self.anew(endpoint) {
                    // Not replaced if the webhook was changed in the meantime: it has a new secret, or
                    // another process replaced it.
                    Ok(secrets) => {
                        let replaced = self.store.reencrypt_endpoint(endpoint, &secrets).await?;
                        counted.done += u64::from(replaced);
                    }
                    Err(cause) => {
                        tracing::debug!(endpoint = %endpoint.id, %cause, "a webhook's secret can't be read");
                        counted.unreadable += 1;
                    }
                }
            }
        }
    }

    /// The re-encrypted secrets of a webhook, without a previous one that has expired.
    fn anew(&self, endpoint: &StoredEndpoint) -> Result<RotatedSecrets<EncryptedSecret>, Cause> {
        let RotatedSecrets { current, previous } = &endpoint.secrets;
        let now = self.clock.now();
        let previous = previous.as_ref().filter(|(_, until)| now < *until);
        let previous = match previous {
            Some((secret, until)) => Some((self.one(endpoint, secret)?, *until)),
            None => None,
        };
        Ok(RotatedSecrets {
            current: self.one(endpoint, current)?,
            previous,
        })
    }

    fn one(
        &self,
        endpoint: &StoredEndpoint,
        secret: &EncryptedSecret,
    ) -> Result<EncryptedSecret, Cause> {
        let plain = self.encryption.decrypt(endpoint, secret)?;
        let row = (endpoint.customer, endpoint.id);
        self.encryption.encrypt(row, &plain)
    }
}
