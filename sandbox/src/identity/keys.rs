//! P-256 signing keys, generated at startup and on each rotation, never stored.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde_json::{Value, json};

/// Lifetime of tokens. A public key is published until the last token that it signed expires.
pub(crate) const TOKEN_LIFE: TimeDelta = TimeDelta::hours(1);
/// Maximum number of published keys, to limit memory. It is far more than the usual rotations during a
/// token's lifetime.
const MAX_ENTRIES: usize = 64;

/// The signing keys, newest first.
pub(crate) struct SigningKeys(Mutex<VecDeque<Key>>);

struct Key {
    made_at: DateTime<Utc>,
    private: EncodingKey,
    public: Jwk,
}

/// The type of a token, in its header.
#[derive(Clone, Copy)]
pub(crate) enum TokenType {
    /// Access token (RFC 9068).
    Access,
    /// ID token (OpenID Connect Core 1.0, section 2).
    Id,
}

impl TokenType {
    fn name(self) -> &'static str {
        match self {
            Self::Access => "at+jwt",
            Self::Id => "JWT",
        }
    }
}

impl Key {
    fn make(now: DateTime<Utc>) -> Self {
        let pair =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
                .expect("the operating system has randomness");
        let private = EncodingKey::from_ec_der(pair.as_ref());
        let mut public =
            Jwk::from_encoding_key(&private, Algorithm::ES256).expect("it was made for ES256");
        let id = public.thumbprint(ThumbprintHash::SHA256);
        public.common.key_id = Some(id.expect("a P-256 key has a thumbprint"));
        public.common.public_key_use = Some(PublicKeyUse::Signature);
        Self {
            made_at: now,
            private,
            public,
        }
    }
}

impl SigningKeys {
    pub(crate) fn new(now: DateTime<Utc>) -> Self {
        Self(Mutex::new(VecDeque::from([Key::make(now)])))
    }

    /// Generates a new signing key; the old ones stay published.
    pub(crate) fn rotate(&self, now: DateTime<Utc>) {
        let new = Key::make(now);
        let mut keys = self.keys(now);
        keys.push_front(new);
        keys.truncate(MAX_ENTRIES);
    }

    /// Returns the JWK set (RFC 7517).
    pub(crate) fn published(&self, now: DateTime<Utc>) -> Value {
        let keys = self.keys(now);
        let published: Vec<_> = keys.iter().map(|key| &key.public).collect();
        json!({ "keys": published })
    }

    /// Signs claims with the newest key.
    pub(crate) fn sign(&self, kind: TokenType, claims: &Value, now: DateTime<Utc>) -> String {
        let keys = self.keys(now);
        let key = keys.front().expect("there is always a newest key");
        let header = Header {
            typ: Some(kind.name().to_owned()),
            kid: key.public.common.key_id.clone(),
            ..Header::new(Algorithm::ES256)
        };
        jsonwebtoken::encode(&header, claims, &key.private).expect("a P-256 key signs any claims")
    }

    /// Returns the claims of a token if one of the keys signed it. The claims aren't validated.
    pub(crate) fn open(&self, token: &str, now: DateTime<Utc>) -> Option<Value> {
        let header = jsonwebtoken::decode_header(token).ok()?;
        let keys = self.keys(now);
        let key = keys
            .iter()
            .find(|key| key.public.common.key_id == header.kid)?;
        let key = DecodingKey::from_jwk(&key.public).ok()?;
        let mut signature_only = Validation::new(Algorithm::ES256);
        signature_only.validate_exp = false;
        signature_only.validate_aud = false;
        signature_only.required_spec_claims.clear();
        let opened = jsonwebtoken::decode::<Value>(token, &key, &signature_only);
        opened.ok().map(|token| token.claims)
    }

    /// Returns the keys after dropping those without valid tokens. A key stops signing when it has a
    /// successor, so its last token has expired once the successor is as old as the lifetime of tokens.
    fn keys(&self, now: DateTime<Utc>) -> std::sync::MutexGuard<'_, VecDeque<Key>> {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = keys.iter().take_while(|key| now < key.made_at + TOKEN_LIFE);
        let needed = fresh.count() + 1;
        keys.truncate(needed);
        keys
    }
}
