//! The keyed hash of API keys, and the server-side secrets used for it.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{Credential, FullKey};

/// Minimum length of a secret in bytes: that of the hash (RFC 2104, section 3).
pub const MIN_SECRET_BYTES: usize = 32;

/// HMAC-SHA256 of the full text of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHash(pub [u8; 32]);

/// Identifies a secret. It reveals neither the secret nor whether a key is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretFingerprint(pub [u8; 32]);

/// Message whose HMAC-SHA256 is the fingerprint. No API key has this text.
const FINGERPRINT_MESSAGE: &[u8] = b"cep-gateway: the mark of a secret";

/// Number that the operator gives to a secret; stored with each hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HashGeneration(pub u16);

/// Error of building a hasher from secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// No secret was given.
    #[error("at least one secret is needed")]
    None,
    /// A secret has fewer than [`MIN_SECRET_BYTES`] bytes.
    #[error("a secret needs at least {MIN_SECRET_BYTES} bytes, this one has {length}")]
    TooShort {
        /// Length of the secret in bytes.
        length: usize,
    },
    /// Two secrets have the same generation.
    #[error("two secrets have the generation {}", .0.0)]
    Repeated(HashGeneration),
}

/// Hashes and verifies keys. New keys are hashed with the first secret; existing keys work as long as
/// their secret is listed.
///
/// The first, not the newest: replicas get a new secret one after another, and none may use it for new
/// keys before all of them have it.
pub struct KeyHasher {
    /// In configuration order.
    secrets: Vec<(HashGeneration, Secret)>,
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Secret(Vec<u8>);

impl KeyHasher {
    /// Builds a hasher; the first secret hashes new keys.
    ///
    /// # Errors
    /// See [`SecretError`].
    pub fn new(secrets: Vec<(HashGeneration, Vec<u8>)>) -> Result<Self, SecretError> {
        let secrets: Vec<_> = secrets
            .into_iter()
            .map(|(generation, secret)| (generation, Secret(secret)))
            .collect();
        if secrets.is_empty() {
            return Err(SecretError::None);
        }
        if let Some((_, short)) = secrets
            .iter()
            .find(|(_, secret)| secret.0.len() < MIN_SECRET_BYTES)
        {
            return Err(SecretError::TooShort {
                length: short.0.len(),
            });
        }
        for (place, (generation, _)) in secrets.iter().enumerate() {
            if secrets[..place]
                .iter()
                .any(|(other, _)| other == generation)
            {
                return Err(SecretError::Repeated(*generation));
            }
        }
        Ok(Self { secrets })
    }

    /// Returns a new key's hash and its generation.
    pub fn hash(&self, key: &FullKey) -> (KeyHash, HashGeneration) {
        let (generation, secret) = &self.secrets[0];
        (
            KeyHash(
                mac(secret, key.reveal().as_bytes())
                    .finalize()
                    .into_bytes()
                    .into(),
            ),
            *generation,
        )
    }

    /// Generation and fingerprint of each secret.
    pub fn fingerprints(&self) -> impl Iterator<Item = (HashGeneration, SecretFingerprint)> + '_ {
        self.secrets.iter().map(|(generation, secret)| {
            let fingerprint = mac(secret, FINGERPRINT_MESSAGE)
                .finalize()
                .into_bytes()
                .into();
            (*generation, SecretFingerprint(fingerprint))
        })
    }

    /// HMAC-SHA256 of a message with each secret, in configuration order. The message must not be the
    /// text of an API key or of [`FINGERPRINT_MESSAGE`].
    pub(crate) fn macs(&self, message: &[u8]) -> impl Iterator<Item = [u8; 32]> {
        let macs = self
            .secrets
            .iter()
            .map(move |(_, secret)| mac(secret, message));
        macs.map(|mac| mac.finalize().into_bytes().into())
    }

    /// Generation of the first secret.
    pub(crate) fn first_generation(&self) -> HashGeneration {
        self.secrets[0].0
    }

    /// The secret of a generation, for key derivation; `None` if it isn't listed.
    pub(crate) fn secret_of(&self, generation: HashGeneration) -> Option<&[u8]> {
        let mut secrets = self.secrets.iter();
        let (_, secret) = secrets.find(|(listed, _)| *listed == generation)?;
        Some(&secret.0)
    }

    /// Returns `true` if `credential` belongs to `key`. The comparison takes constant time, and the
    /// same work is done without a credential.
    pub fn verify(&self, key: &FullKey, credential: Option<&Credential>) -> bool {
        let generation = credential.map_or(self.secrets[0].0, |credential| credential.generation);
        let listed = self
            .secrets
            .iter()
            .find(|(listed, _)| *listed == generation);
        let (_, secret) = listed.unwrap_or(&self.secrets[0]);
        let expected = credential.map_or([0; 32], |credential| credential.hash.0);
        let computed: [u8; 32] = mac(secret, key.reveal().as_bytes())
            .finalize()
            .into_bytes()
            .into();
        let equal = bool::from(computed.ct_eq(&expected));
        equal && credential.is_some() && listed.is_some()
    }
}

fn mac(secret: &Secret, text: &[u8]) -> Hmac<Sha256> {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(&secret.0).expect("HMAC takes a key of any length");
    mac.update(text);
    mac
}

impl fmt::Debug for KeyHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyHasher({} secrets, redacted)", self.secrets.len())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::fixture;
    use crate::keys::KeyId;
    use crate::people::customer::CustomerId;

    fn key(secret: char) -> FullKey {
        let secret = String::from(secret).repeat(24);
        FullKey::parse(&format!("cep_test_AbCd1234.{secret}")).unwrap()
    }

    fn hasher(secrets: &[(u16, u8)]) -> KeyHasher {
        let secrets = secrets
            .iter()
            .map(|(generation, byte)| (HashGeneration(*generation), vec![*byte; 32]));
        KeyHasher::new(secrets.collect()).unwrap()
    }

    fn credential(hasher: &KeyHasher, key: &FullKey) -> Credential {
        let (hash, generation) = hasher.hash(key);
        Credential {
            id: KeyId(uuid::Uuid::nil()),
            counters: KeyId(uuid::Uuid::nil()).into(),
            customer: CustomerId(uuid::Uuid::nil()),
            hash,
            generation,
        }
    }

    #[test]
    fn a_key_passes_its_own_credential_alone() {
        let hasher = hasher(&[(1, 7)]);
        let stored = credential(&hasher, &key('a'));
        assert!(hasher.verify(&key('a'), Some(&stored)));
        assert!(!hasher.verify(&key('b'), Some(&stored)));
        assert!(!hasher.verify(&key('a'), None));
    }

    /// The shortest of many rounds: whatever else runs on the machine only makes some longer.
    fn shortest(mut verify: impl FnMut() -> bool) -> Duration {
        let rounds = (0..200).map(|_| {
            let begun = Instant::now();
            for _ in 0..20 {
                std::hint::black_box(verify());
            }
            begun.elapsed()
        });
        rounds.min().unwrap()
    }

    #[test]
    fn an_unknown_key_costs_the_time_of_a_wrong_one() {
        let hasher = hasher(&[(1, 7), (2, 9)]);
        let stored = credential(&hasher, &key('a'));
        let wrong = shortest(|| hasher.verify(&key('b'), Some(&stored)));
        let good = shortest(|| hasher.verify(&key('a'), Some(&stored)));
        let unlisted = Credential {
            generation: HashGeneration(3),
            ..stored.clone()
        };
        let unlisted = shortest(|| hasher.verify(&key('a'), Some(&unlisted)));
        let unknown = shortest(|| hasher.verify(&key('b'), None));
        for (name, other) in [("good", good), ("unlisted", unlisted), ("unknown", unknown)] {
            let is_alike = other < wrong * 3 / 2 && wrong < other * 3 / 2;
            assert!(is_alike, "{name}: {other:?}, wrong: {wrong:?}");
        }
    }

    #[test]
    fn a_stolen_hash_checks_nothing_without_the_secret() {
        let stored = credential(&hasher(&[(1, 7)]), &key('a'));
        assert!(!hasher(&[(1, 8)]).verify(&key('a'), Some(&stored)));
    }

    #[test]
    fn a_rotated_secret_leaves_older_keys_working_until_it_is_unlisted() {
        let stored = credential(&hasher(&[(1, 7)]), &key('a'));
        let announced = hasher(&[(1, 7), (2, 9)]);
        assert_eq!(announced.hash(&key('a')).1, HashGeneration(1));
        let rotated = hasher(&[(2, 9), (1, 7)]);
        assert!(rotated.verify(&key('a'), Some(&stored)));
        assert_eq!(rotated.hash(&key('a')).1, HashGeneration(2));
        let new = credential(&rotated, &key('b'));
        // It is told, but not in use yet.
        assert!(announced.verify(&key('b'), Some(&new)));
        assert!(!hasher(&[(2, 9)]).verify(&key('a'), Some(&stored)));
    }

    #[test]
    fn a_fingerprint_belongs_to_its_secret_alone() {
        let fingerprints =
            |secrets: &[(u16, u8)]| hasher(secrets).fingerprints().collect::<Vec<_>>();
        let both = fingerprints(&[(2, 9), (1, 7)]);
        let each = [fingerprints(&[(2, 9)]), fingerprints(&[(1, 7)])];
        assert_eq!(both, each.concat());
        assert_ne!(both[0].1, both[1].1);
    }

    #[test]
    fn secrets_are_long_and_of_different_generations() {
        let make = |secrets| KeyHasher::new(secrets).unwrap_err();
        assert_eq!(make(vec![]), SecretError::None);
        let short = make(vec![(HashGeneration(1), vec![0; 31])]);
        assert_eq!(short, SecretError::TooShort { length: 31 });
        let twice = make(fixture::secrets(&[1, 2, 1]));
        assert_eq!(twice, SecretError::Repeated(HashGeneration(1)));
    }
}
