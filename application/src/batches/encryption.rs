//! Encryption of a batch's data.

use std::sync::Arc;

use bytes::Bytes;
use domain::keys::HashGeneration;
use domain::lookups::{BatchPart, LookupSecrets};
use ports::Cause;
use ports::outbound::{BatchFacts, Cipher, StoredBatch};

use super::content::{BatchContent, StoredRow, decode_rows, encode_rows};
use crate::encryption::Sealing;

/// Encrypts and decrypts options and chunks of batches. A ciphertext is bound to its batch, customer, part
/// and chunk number, and can't be decrypted as another one.
pub struct BatchEncryption {
    cipher: Arc<dyn Cipher>,
    secrets: LookupSecrets,
}

impl BatchEncryption {
    /// Creates the encryption with these secrets.
    pub fn new(cipher: Arc<dyn Cipher>, secrets: LookupSecrets) -> Self {
        Self { cipher, secrets }
    }

    /// Generation of the secret for new batches.
    pub(super) fn generation(&self) -> HashGeneration {
        self.secrets.newest()
    }

    pub(super) fn encrypt_content(
        &self,
        facts: &BatchFacts,
        content: &BatchContent,
    ) -> Result<Vec<u8>, Cause> {
        self.encrypt(facts, (BatchPart::Content, 0), &content.encode())
    }

    pub(super) fn content(&self, batch: &StoredBatch) -> Result<BatchContent, Cause> {
        let plain = self.decrypt(&batch.facts, (BatchPart::Content, 0), &batch.content)?;
        BatchContent::decode(plain).map_err(|error| Arc::new(error) as Cause)
    }

    pub(super) fn encrypt_chunk(
        &self,
        facts: &BatchFacts,
        number: u32,
        rows: &[StoredRow],
    ) -> Result<Vec<u8>, Cause> {
        self.encrypt(facts, (BatchPart::Rows, number), &encode_rows(rows))
    }

    pub(super) fn chunk(
        &self,
        facts: &BatchFacts,
        number: u32,
        encrypted: &[u8],
    ) -> Result<Vec<StoredRow>, Cause> {
        let plain = self.decrypt(facts, (BatchPart::Rows, number), encrypted)?;
        decode_rows(plain).map_err(|error| Arc::new(error) as Cause)
    }

    fn encrypt(
        &self,
        facts: &BatchFacts,
        (part, number): (BatchPart, u32),
        plain: &[u8],
    ) -> Result<Vec<u8>, Cause> {
        let sealing = self.sealing(facts, part, number);
        sealing.encrypt(&*self.cipher, plain)
    }

    fn decrypt(
        &self,
        facts: &BatchFacts,
        (part, number): (BatchPart, u32),
        encrypted: &[u8],
    ) -> Result<Bytes, Cause> {
        let sealing = self.sealing(facts, part, number);
        sealing.decrypt(&*self.cipher, encrypted).map(Bytes::from)
    }

    /// A ciphertext is bound to the batch, its owner, the part, and the number of the chunk.
    fn sealing(&self, facts: &BatchFacts, part: BatchPart, number: u32) -> Sealing {
        Sealing {
            key: self.secrets.batch_key(facts.generation, facts.id, part),
            generation: facts.generation,
            context: [
                &facts.id.0.as_bytes()[..],
                facts.customer.0.as_bytes(),
                part.name().as_bytes(),
                &number.to_be_bytes(),
            ]
            .concat(),
        }
    }
}
