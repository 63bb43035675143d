//! JSON Web Key Set (RFC 7517): the keys that the provider signs with, each bound to the algorithms
//! that it is for.

use std::sync::Arc;
use std::time::Duration;

use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse,
};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

use crate::cache::{Cache, Source};
use crate::discovery::Discovery;
use crate::error::ProviderError;
use crate::http::HttpClient;

/// Algorithms of an RSA key without `alg`.
const RSA_ALGORITHMS: [Algorithm; 6] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
];

/// Fetches the key set from where the discovery document says it is.
pub(crate) struct Jwks {
    pub(crate) http: HttpClient,
    pub(crate) discovery: Arc<Cache<Discovery>>,
}

impl Source for Jwks {
    type Document = KeySet;

    const NAME: &'static str = "the key set";

    /// Providers publish a new key minutes to days before they sign with it, and withdraw a leaked
    /// one at once. A key that signs right away is fetched when the first token names it.
    const MAX_AGE: Duration = Duration::from_mins(10);

    async fn fetch(&self) -> Result<KeySet, ProviderError> {
        let endpoints = self.discovery.get().await;
        let endpoints = endpoints.map_err(ProviderError::Discovery)?;
        let document = self.http.get_json(Self::NAME, &endpoints.jwks).await?;
        KeySet::parse(&document)
    }
}

/// Keys of a provider, at least one.
#[derive(Debug)]
pub(crate) struct KeySet(Vec<VerificationKey>);

/// Public key and the algorithms that it verifies.
#[derive(Debug)]
pub(crate) struct VerificationKey {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    pub(crate) key: DecodingKey,
}

/// Keys that may have signed a token.
#[derive(Debug)]
pub(crate) enum Candidates<'a> {
    /// One or more: keys may share an id.
    Keys(Vec<&'a VerificationKey>),
    /// No key has the token's id. The provider may have published it since.
    Unknown,
    /// The token names no key, and the set has several.
    Ambiguous,
    /// The key with the token's id isn't for the token's algorithm.
    OtherAlgorithm,
}

impl KeySet {
    /// Returns the keys that may have signed a token with this `kid` and `alg`.
    pub(crate) fn candidates(&self, id: Option<&str>, algorithm: Algorithm) -> Candidates<'_> {
        let mut keys: Vec<_> = match (id, self.0.as_slice()) {
            (None, [only]) => vec![only],
            (None, _) => return Candidates::Ambiguous,
            (Some(id), keys) => {
                let has_id = |key: &&VerificationKey| key.id.as_deref() == Some(id);
                keys.iter().filter(has_id).collect()
            }
        };
        if keys.is_empty() {
            return Candidates::Unknown;
        }
        keys.retain(|key| key.algorithms.contains(&algorithm));
        if keys.is_empty() {
            return Candidates::OtherAlgorithm;
        }
        Candidates::Keys(keys)
    }

    /// Parses a JWK set. Leaves out entries that aren't public keys for supported signatures.
    fn parse(document: &[u8]) -> Result<Self, ProviderError> {
        let unusable = |problem| ProviderError::unusable(Jwks::NAME, problem);
        let document: Document = serde_json::from_slice(document)
            .map_err(|error| unusable(format!("not a JWK set: {error}")))?;
        let keys: Vec<_> = document
            .keys
            .into_iter()
            .filter_map(|key| VerificationKey::from_jwk(&serde_json::from_value(key).ok()?))
            .collect();
        if keys.is_empty() {
            let problem = "no key in it is an RSA, P-256, P-384 or Ed25519 key for signatures";
            return Err(unusable(problem.to_owned()));
        }
        Ok(Self(keys))
    }
}

/// JWK set (RFC 7517, section 5). Its keys are parsed one by one, so that an invalid key doesn't
/// affect the others.
#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

impl VerificationKey {
    fn from_jwk(jwk: &Jwk) -> Option<Self> {
        if !is_for_signatures(jwk) {
            return None;
        }
        let mut algorithms = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => RSA_ALGORITHMS.to_vec(),
            AlgorithmParameters::EllipticCurve(key) => match key.curve {
                EllipticCurve::P256 => vec![Algorithm::ES256],
                EllipticCurve::P384 => vec![Algorithm::ES384],
                _ => return None,
            },
            AlgorithmParameters::OctetKeyPair(key) => match key.curve {
                EllipticCurve::Ed25519 => vec![Algorithm::EdDSA],
                _ => return None,
            },
            // A symmetric key in a public set is no secret; other types aren't supported.
            _ => return None,
        };
        if let Some(named) = jwk.common.key_algorithm {
            algorithms.retain(|algorithm| KeyAlgorithm::from(*algorithm) == named);
        }
        if algorithms.is_empty() {
            return None;
        }
        Some(Self {
            id: jwk.common.key_id.clone(),
            algorithms,
            key: DecodingKey::from_jwk(jwk).ok()?,
        })
    }
}

fn is_for_signatures(jwk: &Jwk) -> bool {
    let common = &jwk.common;
    let uses = &common.public_key_use;
    let operations = &common.key_operations;
    matches!(uses, None | Some(PublicKeyUse::Signature))
        && operations
            .as_ref()
            .is_none_or(|operations| operations.contains(&KeyOperations::Verify))
}
