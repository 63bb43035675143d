//! Encryption of webhooks' signing secrets.

use std::sync::Arc;

use domain::keys::HashGeneration;
use domain::people::customer::CustomerId;
use domain::webhooks::{EndpointId, EndpointSecret, WebhookSecrets};
use ports::Cause;
use ports::outbound::{Cipher, CipherError, EncryptedSecret, StoredEndpoint};

use crate::encryption::Sealing;

/// Encrypts and decrypts signing secrets. A ciphertext is bound to its webhook and customer, and can't be
/// decrypted for another one.
pub struct WebhookEncryption {
    cipher: Arc<dyn Cipher>,
    secrets: WebhookSecrets,
}

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
        let sealing = self.sealing(generation, customer, id);
        let content = sealing.encrypt(&*self.cipher, secret.reveal())?;
        Ok(EncryptedSecret {
            generation,
            content,
        })
    }

    pub(super) fn decrypt(
        &self,
        endpoint: &StoredEndpoint,
        secret: &EncryptedSecret,
    ) -> Result<EndpointSecret, Cause> {
        let sealing = self.sealing(secret.generation, endpoint.customer, endpoint.id);
        let plain = sealing.decrypt(&*self.cipher, &secret.content)?;
        EndpointSecret::from_slice(&plain).ok_or_else(|| Arc::new(CipherError) as Cause)
    }

    /// A ciphertext is bound to the webhook and its owner.
    fn sealing(
        &self,
        generation: HashGeneration,
        CustomerId(customer): CustomerId,
        id: EndpointId,
    ) -> Sealing {
        Sealing {
            key: self.secrets.key(generation, id),
            generation,
            context: [&id.0.as_bytes()[..], customer.as_bytes()].concat(),
        }
    }
}
