//! Encryption of webhooks' signing secrets.

use std::sync::Arc;

use domain::keys::HashGeneration;
use domain::people::customer::CustomerId;
use domain::proofs::archive::ContentKey;
use domain::webhooks::{EndpointId, EndpointSecret, WebhookSecrets};
use ports::Cause;
use ports::outbound::{Cipher, CipherError, EncryptedSecret, StoredEndpoint};

/// Encrypts and decrypts signing secrets. A ciphertext is bound to its webhook and customer, and can't be
/// decrypted for another one.
pub struct WebhookEncryption {
    cipher: Arc<dyn Cipher>,
    secrets: WebhookSecrets,
}

/// The store secret of this generation isn't configured any more.
#[derive(Debug, thiserror::Error)]
#[error("the store secret of generation {0} isn't listed any more: list it in CEP_STORE_SECRET")]
struct UnknownGeneration(u16);

impl WebhookEncryption {
    /// Creates the encryption with these secrets.
    pub fn new(cipher: Arc<dyn Cipher>, secrets: WebhookSecrets) -> Self {
        Self { cipher, secrets }
    }

    /// Generation of the store secret for new ciphertexts.
    pub(super) fn newest(&self) -> HashGeneration {
        self.secrets.newest()
    }

    pub(super) fn encrypt(
        &self,
        (customer, id): (CustomerId, EndpointId),
        secret: &EndpointSecret,
    ) -> Result<EncryptedSecret, Cause> {
        let generation = self.newest();
        let key = self.key(generation, id)?;
        let content = self
            .cipher
            .encrypt(&key, &context(customer, id), secret.reveal());
        Ok(EncryptedSecret {
            generation,
            content: content.map_err(|error| Arc::new(error) as Cause)?,
        })
    }

    pub(super) fn decrypt(
        &self,
        endpoint: &StoredEndpoint,
        secret: &EncryptedSecret,
    ) -> Result<EndpointSecret, Cause> {
        let key = self.key(secret.generation, endpoint.id)?;
        let context = context(endpoint.customer, endpoint.id);
        let plain = self.cipher.decrypt(&key, &context, &secret.content);
        let plain = plain.map_err(|error| Arc::new(error) as Cause)?;
        EndpointSecret::from_slice(&plain).ok_or_else(|| Arc::new(CipherError) as Cause)
    }

    fn key(&self, generation: HashGeneration, id: EndpointId) -> Result<ContentKey, Cause> {
        let key = self.secrets.key(generation, id);
        key.ok_or_else(|| Arc::new(UnknownGeneration(generation.0)) as Cause)
    }
}

/// Additional authenticated data: the webhook and its owner.
fn context(CustomerId(customer): CustomerId, EndpointId(id): EndpointId) -> Vec<u8> {
    [&id.as_bytes()[..], customer.as_bytes()].concat()
}
