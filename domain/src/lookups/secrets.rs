//! Encryption keys of stored lookups and batches.

use std::fmt;

use hkdf::Hkdf;
use sha2::Sha256;
use uuid::Uuid;
use zeroize::Zeroize;

use super::LookupId;
use crate::batches::BatchId;
use crate::keys::{HashGeneration, KeyHasher, SecretError};
use crate::people::customer::CustomerId;
use crate::proofs::archive::ContentKey;
use crate::variants::named_enum;

named_enum! {
    /// Part of a lookup with its own encryption key.
    pub enum Part {
        /// The request's fields and the caller's metadata.
        Question,
        /// The delivered proof.
        Proof,
        /// The bank's last answer without a proof.
        Finding,
    }
}

named_enum! {
    /// Part of a batch with its own encryption key.
    pub enum BatchPart {
        /// The name and the options.
        Content,
        /// The rows, in chunks.
        Rows,
    }
}

/// The operator's secrets for lookups and batches, by generation. New ones are encrypted with the first
/// secret and decrypted with that of their generation.
pub struct LookupSecrets(KeyHasher);

impl LookupSecrets {
    /// Takes the secrets in configuration order.
    ///
    /// # Errors
    /// See [`SecretError`].
    pub fn new(secrets: Vec<(HashGeneration, Vec<u8>)>) -> Result<Self, SecretError> {
        KeyHasher::new(secrets).map(Self)
    }

    /// The generation with which new lookups are encrypted.
    pub fn newest(&self) -> HashGeneration {
        self.0.first_generation()
    }

    /// The encryption key of a part of a lookup; `None` if the generation's secret is no longer listed.
    pub fn key(&self, generation: HashGeneration, id: LookupId, part: Part) -> Option<ContentKey> {
        self.derive(generation, b"cep-gateway: a lookup, 1", id.0, part.name())
    }

    /// The encryption key of a part of a batch; `None` if the generation's secret is no longer listed.
    pub fn batch_key(
        &self,
        generation: HashGeneration,
        id: BatchId,
        part: BatchPart,
    ) -> Option<ContentKey> {
        self.derive(generation, b"cep-gateway: a batch, 1", id.0, part.name())
    }

    /// The encryption key of a customer's own accounts; `None` if the generation's secret is no longer listed.
    pub fn own_accounts_key(
        &self,
        generation: HashGeneration,
        CustomerId(customer): CustomerId,
    ) -> Option<ContentKey> {
        self.derive(
            generation,
            b"cep-gateway: own accounts, 1",
            customer,
            "accounts",
        )
    }

    fn derive(
        &self,
        generation: HashGeneration,
        label: &[u8],
        id: Uuid,
        part: &str,
    ) -> Option<ContentKey> {
        let secret = self.0.secret_of(generation)?;
        let info = [label, id.as_bytes(), part.as_bytes()];
        let mut bytes = [0; 32];
        Hkdf::<Sha256>::new(None, secret)
            .expand_multi_info(&info, &mut bytes)
            .expect("32 bytes are less than HKDF's limit of 8,160");
        let key = ContentKey::new(bytes);
        bytes.zeroize();
        Some(key)
    }
}

impl fmt::Debug for LookupSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LookupSecrets(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fixture, hex};

    const ID: LookupId = LookupId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0001));

    fn secrets(generations: &[u8]) -> LookupSecrets {
        LookupSecrets::new(fixture::secrets(generations)).unwrap()
    }

    // Computed with Python's hmac module: HKDF-SHA256 without salt.
    const GOLDEN: &str = "f8e6fc1dc0d3abddb6ab9feae6666cd293fc9882d74f74f4bdf3bc70d4911164";

    #[test]
    fn a_key_never_changes_and_no_secret_is_shown() {
        let secrets = secrets(&[7]);
        let key = secrets.key(HashGeneration(7), ID, Part::Question);
        assert_eq!(hex::encode(key.unwrap().reveal()), GOLDEN);
        assert_eq!(format!("{secrets:?}"), "LookupSecrets(redacted)");
    }

    #[test]
    fn lookups_parts_and_generations_have_keys_of_their_own() {
        let both = secrets(&[2, 1]);
        let key = |generation, id, part| both.key(HashGeneration(generation), id, part);
        let other = LookupId(Uuid::from_u128(1));
        let keys = [
            key(1, ID, Part::Question),
            key(1, ID, Part::Proof),
            key(1, ID, Part::Finding),
            key(1, other, Part::Question),
            key(2, ID, Part::Question),
        ];
        for (place, key) in keys.iter().enumerate() {
            assert!(key.is_some());
            assert!(!keys[..place].contains(key), "{place}");
        }
        assert_eq!(key(3, ID, Part::Question), None);
        assert_eq!(both.newest(), HashGeneration(2));
    }
}
