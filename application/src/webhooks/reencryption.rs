//! Encryption anew of endpoints' secrets, after the operator's secret was rotated.

use std::sync::Arc;

use domain::webhook::RotatedSecrets;
use ports::Cause;
use ports::outbound::{Clock, EncryptedSecret, StoreError, StoredEndpoint, WebhookStore};

use super::encryption::WebhookEncryption;

/// Endpoints that are read in one step.
const PER_STEP: u32 = 100;

/// Encrypts the secrets of endpoints, which are kept for as long as these, with the newest of the operator's
/// secrets, so that an older one needn't be listed for ever.
pub struct WebhookReencryption {
    store: Arc<dyn WebhookStore>,
    encryption: Arc<WebhookEncryption>,
    clock: Arc<dyn Clock>,
}

/// Result of a round: numbers of endpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reencrypted {
    /// Their secrets are encrypted with the newest secret now.
    pub done: u64,
    /// Their secrets can't be decrypted.
    pub unreadable: u64,
}

impl WebhookReencryption {
    /// Encryption anew of this store's secrets.
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

    /// Encrypts whatever is encrypted with an older secret.
    ///
    /// # Errors
    /// The store failed; another round goes on.
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
                    // One that was changed meanwhile has a new secret, or is another process's work.
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

    /// The secrets of an endpoint, encrypted anew; without one that signs no more.
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
