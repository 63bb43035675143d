//! Signing in: what a browser holds between leaving for the identity provider and coming back, and
//! the digests that stand for what must not come twice.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::hex;
use crate::key::{MIN_SECRET_BYTES, SecretError};

/// How long a sign-in may take: as long as a code may live at most (RFC 6749, 4.1.2).
pub const LIFETIME: TimeDelta = TimeDelta::minutes(10);
/// Random bytes of a state, a nonce, a verifier: 64 hexadecimal digits, and 43 of them are the
/// fewest that a verifier may have (RFC 7636, 4.1).
const RANDOM_BYTES: usize = 32;
/// Longest path that a sign-in returns to: it travels in a cookie.
pub const MAX_PATH_BYTES: usize = 1_024;
/// Where a sign-in ends that named no path of ours.
const HOME: &str = "/dashboard";
/// What the key of the seal is derived for: the secret may have other uses.
const PURPOSE: &[u8] = b"cep-gateway: sign-in tickets, 1";

/// A path of ours that a sign-in ends at: it begins with exactly one `/`, so that no browser takes
/// it for another host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnPath(String);

impl ReturnPath {
    /// Reads a path of at most [`MAX_PATH_BYTES`] printable ASCII characters without `\` and blanks,
    /// and without `//` before its query; any other text stands for `/dashboard`.
    pub fn or_home(text: &str) -> Self {
        let path = text.split(['?', '#']).next().unwrap_or_default();
        let is_ours = path.starts_with('/')
            && text.len() <= MAX_PATH_BYTES
            && !path.contains("//")
            && text.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
        Self(if is_ours { text } else { HOME }.to_owned())
    }

    /// The path.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A sign-in under way. Its secrets are wiped from memory when it is dropped.
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
    /// A sign-in that begins now; `fill` must fill its buffer from a cryptographic source.
    pub fn new(return_to: ReturnPath, now: DateTime<Utc>, fill: &mut dyn FnMut(&mut [u8])) -> Self {
        Self {
            state: draw(fill),
            nonce: draw(fill),
            verifier: draw(fill),
            return_to,
            expires_at: now + LIFETIME,
        }
    }

    /// What comes back with the code.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// What comes back in the ID token.
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// The secret that goes with the code.
    pub fn verifier(&self) -> &str {
        &self.verifier
    }

    /// Where it ends.
    pub fn return_to(&self) -> &ReturnPath {
        &self.return_to
    }

    /// Whether an answer with this state is the answer to it; in constant time.
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

/// Writes tickets so that nobody else can, and reads what it wrote. Browsers carry them.
#[derive(ZeroizeOnDrop)]
pub struct PendingSignInSeal([u8; 32]);

impl PendingSignInSeal {
    /// A seal made of a secret, which may be one that has other uses.
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

    /// The ticket as text, of characters that a cookie may have (RFC 6265, 4.1.1).
    pub fn seal(&self, ticket: &PendingSignIn) -> String {
        let PendingSignIn {
            state,
            nonce,
            verifier,
            return_to,
            expires_at,
        } = ticket;
        let path = hex::encode(return_to.0.as_bytes());
        let millis = expires_at.timestamp_millis();
        let mut text = format!("{millis}.{state}.{nonce}.{verifier}.{path}");
        let seal = mac(&self.0, text.as_bytes()).finalize().into_bytes();
        text.push('.');
        text.push_str(&hex::encode(&seal));
        text
    }

    /// Reads a ticket that this seal wrote, and that hasn't expired by `now`. The seal is compared
    /// in constant time, and before anything else is read.
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
            return_to: ReturnPath::or_home(&path),
            expires_at,
        })
    }
}

impl fmt::Debug for PendingSignInSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PendingSignInSeal(redacted)")
    }
}

/// What stands for a text that must not be kept: its SHA-256, in 64 hexadecimal digits.
pub fn fingerprint(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes()))
}

/// What stands for a token: the fingerprint of the part that its signature covers (RFC 7515, 5.1).
/// Not of the signature, because whoever has an ECDSA signature can make another good one of it,
/// and a token that was signed out would be a new one.
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
