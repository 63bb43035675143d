//! A token's header and signature (RFC 7515, RFC 8725). The header is the sender's word: of it, only
//! the name of a key that we already have and an algorithm that this key is for are heeded. Addresses
//! and keys that it brings along (`jku`, `jwk`, `x5u`, `x5c`) are never looked at.

use jsonwebtoken::{Algorithm, Validation};
use serde_json::{Map, Value};

use crate::keys::VerificationKey;

/// Longest token that is looked at: a cookie holds 4,096 bytes, ID tokens with many groups are a few
/// times as long.
const LONGEST: usize = 32 * 1024;

/// Why a token isn't accepted. Nothing of the token is in here but names of claims.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Rejection {
    #[error("it isn't three base64url parts with a JSON header and a known algorithm")]
    NotAJwt,
    #[error("its algorithm is symmetric")]
    Symmetric,
    #[error("its header demands what we don't know (crit)")]
    Critical,
    #[error("its header's typ is of another kind of token")]
    Type,
    #[error("the provider has no key with its kid")]
    UnknownKey,
    #[error("it names no kid, and the provider has several keys")]
    NoKeyNamed,
    #[error("its algorithm isn't that of its key")]
    OtherAlgorithm,
    #[error("its signature is wrong")]
    Signature,
    #[error("its {0} is missing or malformed")]
    Claim(&'static str),
    #[error("its iss is another issuer")]
    Issuer,
    #[error(
        "its aud doesn't name {0:?}; set the audience to how the provider knows the gateway, or \
         have the provider issue access tokens for it"
    )]
    Audience(String),
    #[error("it has expired")]
    Expired,
    #[error("it isn't good yet; compare the clocks")]
    NotYet,
    #[error("it is an ID token")]
    IdToken,
    #[error(
        "it can't be told from an ID token: with the client as the audience, an access token must have scope, scp, client_id or the type at+jwt"
    )]
    Indistinct,
    #[error("it was issued to another client")]
    OtherClient,
    #[error("its nonce is of another sign-in")]
    Nonce,
    #[error("its at_hash is of another access token")]
    AccessTokenHash,
}

/// What kind of token it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Access,
    Id,
}

/// What a header says that is heeded.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) algorithm: Algorithm,
    pub(crate) key_id: Option<String>,
    /// `at+jwt`: it can't be an ID token.
    pub(crate) is_marked_access: bool,
}

impl Header {
    /// Reads a header, and refuses what no key could make good.
    pub(crate) fn read(token: &str, kind: Kind) -> Result<Self, Rejection> {
        if token.len() > LONGEST {
            return Err(Rejection::NotAJwt);
        }
        let header = jsonwebtoken::decode_header(token).map_err(|_| Rejection::NotAJwt)?;
        if matches!(
            header.alg,
            Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512
        ) {
            return Err(Rejection::Symmetric);
        }
        if header.crit.is_some() {
            return Err(Rejection::Critical);
        }
        let is_marked_access = match (header.typ.as_deref(), kind) {
            (None, _) => false,
            (Some(typ), _) if typ.eq_ignore_ascii_case("JWT") => false,
            (Some(typ), Kind::Access)
                if typ.eq_ignore_ascii_case("at+jwt")
                    || typ.eq_ignore_ascii_case("application/at+jwt") =>
            {
                true
            }
            _ => return Err(Rejection::Type),
        };
        Ok(Self {
            algorithm: header.alg,
            key_id: header.kid,
            is_marked_access,
        })
    }

    /// The claims, if one of `keys` signed them.
    pub(crate) fn open(
        &self,
        token: &str,
        keys: &[&VerificationKey],
    ) -> Result<Map<String, Value>, Rejection> {
        // Only the signature: claims are checked by our own clock, in `claims`.
        let mut validation = Validation::new(self.algorithm);
        validation.validate_exp = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        let opened = keys
            .iter()
            .find_map(|key| jsonwebtoken::decode(token, &key.key, &validation).ok());
        opened.map(|token| token.claims).ok_or(Rejection::Signature)
    }
}
