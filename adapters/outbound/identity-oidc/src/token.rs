//! Header and signature of a token (RFC 7515, RFC 8725). The header is untrusted: of it only `kid`,
//! the id of a published key, `alg`, which must be an algorithm of that key, `typ` and `crit` are read.
//! Keys and addresses of keys in it (`jku`, `jwk`, `x5u`, `x5c`) are ignored.

use jsonwebtoken::{Algorithm, Validation};
use serde_json::{Map, Value};

use crate::jwks::VerificationKey;

/// Maximum length of a token in bytes: a cookie holds 4,096, ID tokens with many groups are a few
/// times as long.
const MAX_TOKEN: usize = 32 * 1024;

/// Reason why a token isn't accepted. Holds nothing of the token but names of claims.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidToken {
    #[error("it isn't three base64url parts with a JSON header and a known algorithm")]
    NotAJwt,
    #[error("its algorithm is symmetric")]
    Symmetric,
    #[error("its header demands extensions that aren't supported (crit)")]
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
    #[error("it isn't valid yet; compare the clocks")]
    NotYetValid,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Access,
    Id,
}

/// Parts of a header that are used.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) algorithm: Algorithm,
    pub(crate) key_id: Option<String>,
    /// `typ` is `at+jwt`, so it can't be an ID token.
    pub(crate) is_marked_access: bool,
}

impl Header {
    /// Parses a header. Refuses tokens that no key could make valid.
    pub(crate) fn parse(token: &str, kind: Kind) -> Result<Self, InvalidToken> {
        if token.len() > MAX_TOKEN {
            return Err(InvalidToken::NotAJwt);
        }
        let header = jsonwebtoken::decode_header(token).map_err(|_| InvalidToken::NotAJwt)?;
        if matches!(
            header.alg,
            Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512
        ) {
            return Err(InvalidToken::Symmetric);
        }
        if header.crit.is_some() {
            return Err(InvalidToken::Critical);
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
            _ => return Err(InvalidToken::Type),
        };
        Ok(Self {
            algorithm: header.alg,
            key_id: header.kid,
            is_marked_access,
        })
    }

    /// Returns the claims if one of `keys` signed them.
    pub(crate) fn verify_signature(
        &self,
        token: &str,
        keys: &[&VerificationKey],
    ) -> Result<Map<String, Value>, InvalidToken> {
        // Only the signature is verified here: `claims` checks the rest, by the port's clock.
        let mut validation = Validation::new(self.algorithm);
        validation.validate_exp = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        let verified = keys
            .iter()
            .find_map(|key| jsonwebtoken::decode(token, &key.key, &validation).ok());
        verified
            .map(|token| token.claims)
            .ok_or(InvalidToken::Signature)
    }
}
