//! Sign-in: the state that a browser keeps while the user is at the identity provider, and fingerprints
//! of values that must not be used twice.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::hex;
use crate::keys::{MIN_SECRET_BYTES, SecretError};

/// Longest duration of a sign-in: the longest lifetime of an authorization code (RFC 6749, 4.1.2).
pub const LIFETIME: TimeDelta = TimeDelta::minutes(10);
/// Random bytes of a state, a nonce or a verifier. In hexadecimal they are 64 characters; a verifier
/// needs at least 43 (RFC 7636, 4.1).
const RANDOM_BYTES: usize = 32;
/// Longest return path of a sign-in in bytes, because it is stored in a cookie.
pub const MAX_PATH_BYTES: usize = 1_024;
/// Return path of a sign-in without a valid one.
const HOME: &str = "/dashboard";
/// Context of the key derivation, because the secret may have other uses.
const PURPOSE: &[u8] = b"cep-gateway: sign-in tickets, 1";

/// A local path to return to after sign-in: it begins with exactly one `/`, so that no browser
/// takes it for another host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnPath(String);

impl ReturnPath {
    /// Parses a path of at most [`MAX_PATH_BYTES`] printable ASCII characters without `\` and
    /// blanks, and without `//` before its query; any other text yields `/dashboard`.
    pub fn parse_or_home(text: &str) -> Self {
        let path = text.split(['?', '#']).next().unwrap_or_default();
        let is_ours = path.starts_with('/')
            && text.len() <= MAX_PATH_BYTES
            && !path.contains("//")
            && text.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
        Self(if is_ours { text } else { HOME }.to_owned())
    }

    /// The path, beginning with `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A sign-in in progress. Its secrets are wiped from memory when it is dropped.
#[derive(Clone, PartialEq, Eq, ZeroizeOnDrop)]
pub struct PendingSignIn {
    state: String,
    nonce: String,
    verifier: String,
    #[zeroize(skip)]
    return_to: ReturnPath,
    #[zeroize(skip)]
    expires_at: DateTime<Utc>,
}

impl PendingSignIn {
    /// Begins a sign-in; `fill` must fill its buffer from a cryptographic source.
    pub fn new(return_to: ReturnPath, now: DateTime<Utc>, fill: &mut dyn FnMut(&mut [u8])) -> Self {
        Self {
            state: draw(fill),
            nonce: draw(fill),
            verifier: draw(fill),
            return_to,
            expires_at: now + LIFETIME,
        }
    }

    /// The `state` parameter, returned with the code.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// The nonce, returned in the ID token.
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// The PKCE verifier, sent with the code.
    pub fn verifier(&self) -> &str {
        &self.verifier
    }

    /// The local path to redirect to after the sign-in.
    pub fn return_to(&self) -> &ReturnPath {
        &self.return_to
    }

    /// Returns `true` if `state` belongs to this sign-in, compared in constant time.
    pub fn is_answered_by(&self, state: &str) -> bool {
        self.state.as_bytes().ct_eq(state.as_bytes()).into()
    }
}

impl fmt::Debug for PendingSignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket")
            .field("return_to", &self.return_to)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// Authenticates pending sign-ins that browsers store: `seal` signs them, `open` accepts only those
/// that it signed.
#[derive(ZeroizeOnDrop)]
pub struct PendingSignInSeal([u8; 32]);

impl PendingSignInSeal {
    /// Derives the signing key from a secret, which may have other uses.
    ///
    /// # Errors
    /// [`SecretError::TooShort`].
    pub fn new(secret: &[u8]) -> Result<Self, SecretError> {
        if secret.len() < MIN_SECRET_BYTES {
            return Err(SecretError::TooShort {
                length: secret.len(),
            });
        }
        Ok(Self(mac(secret, PURPOSE).finalize().into_bytes().into()))
    }

    /// Serialises and signs a sign-in, using only characters allowed in a cookie (RFC 6265, 4.1.1).
    pub fn seal(&self, sign_in: &PendingSignIn) -> String {
        let PendingSignIn {
            state,
            nonce,
            verifier,
            return_to,
            expires_at,
        } = sign_in;
        let path = hex::encode(return_to.0.as_bytes());
        let millis = expires_at.timestamp_millis();
        let mut text = format!("{millis}.{state}.{nonce}.{verifier}.{path}");
        let seal = mac(&self.0, text.as_bytes()).finalize().into_bytes();
        text.push('.');
        text.push_str(&hex::encode(&seal));
        text
    }

    /// Parses a sign-in that this key signed and that hasn't expired by `now`. The signature is
    /// compared in constant time before anything else is parsed.
    pub fn open(&self, text: &str, now: DateTime<Utc>) -> Option<PendingSignIn> {
        let (text, seal) = text.rsplit_once('.')?;
        let seal = hex::decode(seal)?;
        mac(&self.0, text.as_bytes()).verify_slice(&seal).ok()?;
        let [millis, state, nonce, verifier, path] =
            <[&str; 5]>::try_from(text.split('.').collect::<Vec<_>>()).ok()?;
        let expires_at = DateTime::from_timestamp_millis(millis.parse().ok()?)?;
        let path = String::from_utf8(hex::decode(path)?).ok()?;
        (now < expires_at).then(|| PendingSignIn {
            state: state.to_owned(),
            nonce: nonce.to_owned(),
            verifier: verifier.to_owned(),
            return_to: ReturnPath::parse_or_home(&path),
            expires_at,
        })
    }
}

impl fmt::Debug for PendingSignInSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PendingSignInSeal(redacted)")
    }
}

/// SHA-256 of a text that must not be stored, in 64 hexadecimal digits.
pub fn fingerprint(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes()))
}

/// Fingerprint of the signed part of a token (RFC 7515, 5.1). The signature is excluded: anybody can
/// turn an ECDSA signature into another valid one, so a signed-out token would look new.
pub fn token_fingerprint(token: &str) -> String {
    let signed = token.rsplit_once('.').map_or(token, |(signed, _)| signed);
    fingerprint(signed)
}

fn mac(key: &[u8], text: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(text);
    mac
}

fn draw(fill: &mut dyn FnMut(&mut [u8])) -> String {
    let mut bytes = [0; RANDOM_BYTES];
    fill(&mut bytes);
    let text = hex::encode(&bytes);
    bytes.zeroize();
    text
}

#[cfg(test)]
mod tests;
