//! Encryption of stored data, with keys of the configured store secrets.

use std::sync::Arc;

use domain::keys::HashGeneration;
use domain::proofs::archive::ContentKey;
use ports::Cause;
use ports::outbound::Cipher;

/// Key and context of a ciphertext.
pub(crate) struct Sealing {
    /// Derived from the secret of `generation`; `None` if that isn't configured any more.
    pub(crate) key: Option<ContentKey>,
    pub(crate) generation: HashGeneration,
    /// Additional authenticated data, which binds the ciphertext to its owner and place.
    pub(crate) context: Vec<u8>,
}

/// The store secret of this generation isn't configured any more.
#[derive(Debug, thiserror::Error)]
#[error("the store secret of generation {0} isn't listed any more: list it in CEP_STORE_SECRET")]
struct UnknownGeneration(u16);

impl Sealing {
    pub(crate) fn encrypt(&self, cipher: &dyn Cipher, plain: &[u8]) -> Result<Vec<u8>, Cause> {
        let encrypted = cipher.encrypt(self.key()?, &self.context, plain);
        encrypted.map_err(|error| Arc::new(error) as Cause)
    }

    pub(crate) fn decrypt(&self, cipher: &dyn Cipher, content: &[u8]) -> Result<Vec<u8>, Cause> {
        let plain = cipher.decrypt(self.key()?, &self.context, content);
        plain.map_err(|error| Arc::new(error) as Cause)
    }

    fn key(&self) -> Result<&ContentKey, Cause> {
        let key = self.key.as_ref();
        key.ok_or_else(|| Arc::new(UnknownGeneration(self.generation.0)) as Cause)
    }
}
