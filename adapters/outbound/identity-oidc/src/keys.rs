//! The keys that the provider signs with (RFC 7517), each bound to the algorithms that it is for.

use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse,
};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

use crate::fault::Fault;
use crate::wire::LARGEST_ANSWER;

/// What errors call them.
pub(crate) const WHAT: &str = "the key set";

/// What an RSA key may be used with that doesn't say it.
const RSA: [Algorithm; 6] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
];

/// The keys of a provider. At least one.
#[derive(Debug)]
pub(crate) struct KeySet(Vec<VerificationKey>);

/// A public key.
#[derive(Debug)]
pub(crate) struct VerificationKey {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    pub(crate) key: DecodingKey,
}

/// Which keys may have signed a token.
#[derive(Debug)]
pub(crate) enum Candidates<'a> {
    /// These; several only when keys share an id.
    Keys(Vec<&'a VerificationKey>),
    /// There is no key with the token's id. There may be one by now.
    Unknown,
    /// The token names no key, and there are several.
    Ambiguous,
    /// The token's key isn't for the token's algorithm.
    OtherAlgorithm,
}

impl KeySet {
    /// Which keys may have signed a token with this header.
    pub(crate) fn candidates(&self, id: Option<&str>, algorithm: Algorithm) -> Candidates<'_> {
        let named: Vec<_> = match (id, self.0.as_slice()) {
            (None, [only]) => vec![only],
            (None, _) => return Candidates::Ambiguous,
            (Some(id), keys) => {
                let has_id = |key: &&VerificationKey| key.id.as_deref() == Some(id);
                keys.iter().filter(has_id).collect()
            }
        };
        if named.is_empty() {
            return Candidates::Unknown;
        }
        let mut fitting = named;
        fitting.retain(|key| key.algorithms.contains(&algorithm));
        if fitting.is_empty() {
            return Candidates::OtherAlgorithm;
        }
        Candidates::Keys(fitting)
    }

    /// Reads a JWK set, whoever it comes from. What isn't a public key for signatures that we can
    /// check is left out.
    pub(crate) fn read(document: &str) -> Result<Self, Fault> {
        if document.len() > LARGEST_ANSWER {
            let problem = format!("more than {LARGEST_ANSWER} bytes");
            return Err(Fault::unusable(WHAT, problem));
        }
        let document: Document = serde_json::from_str(document)
            .map_err(|error| Fault::unusable(WHAT, format!("not a JWK set: {error}")))?;
        let keys: Vec<_> = document
            .keys
            .into_iter()
            .filter_map(|key| VerificationKey::read(&serde_json::from_value(key).ok()?))
            .collect();
        if keys.is_empty() {
            let problem = "no key in it is an RSA, P-256, P-384 or Ed25519 key for signatures";
            return Err(Fault::unusable(WHAT, problem));
        }
        Ok(Self(keys))
    }
}

/// A JWK set (RFC 7517, 5), whose keys are read one by one.
#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

impl VerificationKey {
    fn read(jwk: &Jwk) -> Option<Self> {
        if !is_for_signatures(jwk) {
            return None;
        }
        let mut algorithms = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => RSA.to_vec(),
            AlgorithmParameters::EllipticCurve(key) => match key.curve {
                EllipticCurve::P256 => vec![Algorithm::ES256],
                EllipticCurve::P384 => vec![Algorithm::ES384],
                _ => return None,
            },
            AlgorithmParameters::OctetKeyPair(key) => match key.curve {
                EllipticCurve::Ed25519 => vec![Algorithm::EdDSA],
                _ => return None,
            },
            // A symmetric key in a public set is no secret; the rest is nothing we can check.
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
