//! Signing secrets of webhooks, and the keys that encrypt them in the database.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::EndpointId;
use crate::keys::{HashGeneration, KeyHasher, SecretError};
use crate::proofs::archive::ContentKey;

/// Length of a secret in bytes.
pub const SECRET_BYTES: usize = 32;
/// Prefix of a secret's text form (Standard Webhooks 1.0.0).
pub const SECRET_PREFIX: &str = "whsec_";
/// Time during which messages are also signed with the previous secret after a rotation.
pub const SECRETS_OVERLAP: TimeDelta = TimeDelta::hours(24);

/// Signing secret of a webhook. It is wiped from memory when dropped, and never shown by `Debug`.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct EndpointSecret([u8; SECRET_BYTES]);

impl EndpointSecret {
    /// Wraps random bytes as a secret.
    pub fn new(bytes: [u8; SECRET_BYTES]) -> Self {
        Self(bytes)
    }

    /// Restores a stored secret; `None` if the length is wrong.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.try_into().ok()?))
    }

    /// The bytes, for encryption or signing.
    pub fn reveal(&self) -> &[u8; SECRET_BYTES] {
        &self.0
    }

    /// The text form, which is shown to the owner once.
    pub fn text(&self) -> Zeroizing<String> {
        let mut text = String::from(SECRET_PREFIX);
        STANDARD.encode_string(self.0, &mut text);
        Zeroizing::new(text)
    }
}

impl fmt::Debug for EndpointSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EndpointSecret(redacted)")
    }
}

/// Secrets of a webhook: one, or two for a day after a rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RotatedSecrets<S> {
    /// The newest secret.
    pub current: S,
    /// The previous secret, and the time until which it signs; `None` before the first rotation.
    pub previous: Option<(S, DateTime<Utc>)>,
}

impl<S> RotatedSecrets<S> {
    /// The secrets to sign with at a time, newest first.
    pub fn signing(&self, now: DateTime<Utc>) -> impl Iterator<Item = &S> {
        let previous = self.previous.as_ref();
        let previous = previous.filter(|(_, until)| now < *until);
        [Some(&self.current), previous.map(|(secret, _)| secret)]
            .into_iter()
            .flatten()
    }

    /// Returns the secrets after a rotation to `new`.
    #[must_use]
    pub fn rotated(self, new: S, now: DateTime<Utc>) -> Self {
        Self {
            current: new,
            previous: Some((self.current, now + SECRETS_OVERLAP)),
        }
    }
}

/// The operator's secrets for webhooks, by generation. Webhook secrets are encrypted with the first one
/// and decrypted with that of their generation.
pub struct WebhookSecrets(KeyHasher);

impl WebhookSecrets {
    /// Takes the secrets in configuration order.
    ///
    /// # Errors
    /// See [`SecretError`].
    pub fn new(secrets: Vec<(HashGeneration, Vec<u8>)>) -> Result<Self, SecretError> {
        KeyHasher::new(secrets).map(Self)
    }

    /// The generation with which webhook secrets are encrypted.
    pub fn newest(&self) -> HashGeneration {
        self.0.first_generation()
    }

    /// The encryption key of a webhook's secrets; `None` if the generation's secret is no longer
    /// listed.
    pub fn key(&self, generation: HashGeneration, id: EndpointId) -> Option<ContentKey> {
        let secret = self.0.secret_of(generation)?;
        let info = [&b"cep-gateway: a webhook's secret, 1"[..], id.0.as_bytes()];
        let mut bytes = [0; 32];
        Hkdf::<Sha256>::new(None, secret)
            .expand_multi_info(&info, &mut bytes)
            .expect("32 bytes are less than HKDF's limit of 8,160");
        let key = ContentKey::new(bytes);
        bytes.zeroize();
        Some(key)
    }
}

impl fmt::Debug for WebhookSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecrets(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{fixture, hex};

    const ID: EndpointId = EndpointId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0001));

    fn secrets(generations: &[u8]) -> WebhookSecrets {
        WebhookSecrets::new(fixture::secrets(generations)).unwrap()
    }

    #[test]
    fn a_secret_is_written_as_the_standard_says_and_never_shown() {
        let secret = EndpointSecret::new([0xFB; 32]);
        let expected = "whsec_+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=";
        assert_eq!(*secret.text(), expected);
        let shown = format!("{secret:?} {:?}", secrets(&[1]));
        assert_eq!(shown, "EndpointSecret(redacted) WebhookSecrets(redacted)");
        assert_eq!(EndpointSecret::from_slice(&[0xFB; 32]), Some(secret));
        assert_eq!(EndpointSecret::from_slice(&[0xFB; 31]), None);
    }

    #[test]
    fn both_secrets_sign_for_a_day() {
        let now = DateTime::UNIX_EPOCH;
        let first = RotatedSecrets {
            current: 1,
            previous: None,
        };
        assert_eq!(first.signing(now).collect::<Vec<_>>(), [&1]);
        let second = first.rotated(2, now);
        let signing = |secrets: &RotatedSecrets<i32>, hours| {
            let at = now + TimeDelta::hours(hours);
            secrets.signing(at).copied().collect::<Vec<_>>()
        };
        assert_eq!(signing(&second, 23), [2, 1]);
        assert_eq!(signing(&second, 24), [2]);
        let third = second.rotated(3, now + TimeDelta::hours(1));
        assert_eq!(signing(&third, 2), [3, 2]);
    }

    #[test]
    fn endpoints_and_generations_have_keys_of_their_own_that_never_change() {
        let secrets = secrets(&[7, 2, 1]);
        let key = |generation, id| secrets.key(HashGeneration(generation), id);
        assert_eq!(hex::encode(key(7, ID).unwrap().reveal()), GOLDEN);
        let other = EndpointId(Uuid::from_u128(1));
        let keys = [key(1, ID), key(1, other), key(2, ID)];
        for (place, key) in keys.iter().enumerate() {
            assert!(key.is_some());
            assert!(!keys[..place].contains(key), "{place}");
        }
        assert_eq!(key(3, ID), None);
        assert_eq!(secrets.newest(), HashGeneration(7));
    }

    // Computed with Python's hmac module: HKDF-SHA256 without salt.
    const GOLDEN: &str = "2067d8f098d7adf8d0d5eedae0ec0ba638825a66e02d79fdb2ab748b8d6c790a";
}
