//! Issues tokens and builds their claims.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::Provider;
use super::codes::{Grant, random_text};
use super::keys::{TOKEN_LIFE, TokenType};

/// The signed tokens of one sign-in.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) id: String,
}

/// Issues the tokens of a grant.
pub(crate) fn issue(provider: &Provider, grant: &Grant) -> Tokens {
    let now = provider.now();
    let claims = access_claims(provider, grant, now);
    let access = provider.keys.sign(TokenType::Access, &claims, now);
    let claims = id_claims(provider, grant, &access, now);
    let id = provider.keys.sign(TokenType::Id, &claims, now);
    Tokens { access, id }
}

/// Claims of an access token (RFC 9068, section 2.2).
fn access_claims(provider: &Provider, grant: &Grant, now: DateTime<Utc>) -> Value {
    json!({
        "iss": provider.issuer,
        "sub": grant.person.subject,
        "aud": provider.audience,
        "client_id": provider.client.id,
        "iat": now.timestamp(),
        "nbf": now.timestamp(),
        "exp": (now + TOKEN_LIFE).timestamp(),
        "jti": random_text(),
        "scope": grant.scope,
        "name": grant.person.name,
        "roles": grant.person.roles,
    })
}

/// Claims of an ID token (OpenID Connect Core 1.0, sections 2 and 3.1.3.6).
fn id_claims(provider: &Provider, grant: &Grant, access: &str, now: DateTime<Utc>) -> Value {
    let hash = digest(&SHA256, access.as_bytes());
    let mut claims = json!({
        "iss": provider.issuer,
        "sub": grant.person.subject,
        "aud": provider.client.id,
        "iat": now.timestamp(),
        "exp": (now + TOKEN_LIFE).timestamp(),
        "auth_time": grant.signed_in_at.timestamp(),
        "at_hash": URL_SAFE_NO_PAD.encode(&hash.as_ref()[..16]),
        "name": grant.person.name,
        "preferred_username": grant.person.username,
    });
    if let Some(nonce) = &grant.nonce {
        claims["nonce"] = json!(nonce);
    }
    claims
}
