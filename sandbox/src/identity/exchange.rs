//! `/token`: exchange of a code for tokens (RFC 6749, 4.1.3; RFC 7636, 4.6).

use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use serde_json::json;

use super::answers::{OAuthError, tokens_json};
use super::client::ClientAuthError;
use super::codes::Grant;
use super::parameters::{Parameters, RepeatedParameter};
use super::{Provider, keys, tokens};

pub(crate) async fn token(
    State(provider): State<Arc<Provider>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, OAuthError> {
    let form = Parameters::parse(&body);
    provider.client.authenticate(&headers, &form)?;
    let grant = redeem(&provider, &form)?;
    let issued = tokens::issue(&provider, &grant);
    Ok(tokens_json(&json!({
        "access_token": issued.access,
        "token_type": "Bearer",
        "expires_in": keys::TOKEN_LIFE.num_seconds(),
        "id_token": issued.id,
        "scope": grant.scope,
    })))
}

/// Redeems a code. The code becomes invalid even if the other parameters are wrong, so that they can't
/// be guessed.
fn redeem(provider: &Provider, form: &Parameters) -> Result<Grant, OAuthError> {
    match form.get("grant_type")? {
        Some("authorization_code") => {}
        Some(_) => return Err(OAuthError::UnsupportedGrantType),
        None => return Err(OAuthError::InvalidRequest("grant_type is missing")),
    }
    let code = form.get("code")?;
    let code = code.ok_or(OAuthError::InvalidRequest("code is missing"))?;
    let grant = provider.codes.take(code, provider.now());
    let grant = grant.ok_or(OAuthError::InvalidGrant(
        "the code is unknown, was used before, or is older than a minute",
    ))?;
    if form.get("redirect_uri")? != Some(&grant.redirect_uri) {
        return Err(OAuthError::InvalidGrant(
            "redirect_uri is not the one that the code was sent to",
        ));
    }
    let verifier = form.get("code_verifier")?;
    let verifier = verifier.ok_or(OAuthError::InvalidGrant("code_verifier is missing"))?;
    let hash = digest(&SHA256, verifier.as_bytes());
    if URL_SAFE_NO_PAD.encode(hash) != grant.challenge {
        return Err(OAuthError::InvalidGrant(
            "code_verifier doesn't match the code_challenge",
        ));
    }
    Ok(grant)
}

impl From<RepeatedParameter> for OAuthError {
    fn from(_: RepeatedParameter) -> Self {
        Self::InvalidRequest("a parameter is there twice")
    }
}

impl From<ClientAuthError> for OAuthError {
    fn from(reason: ClientAuthError) -> Self {
        match reason {
            ClientAuthError::Malformed => Self::InvalidRequest(
                "the client must say who it is in one way: HTTP Basic or the form",
            ),
            ClientAuthError::Unauthenticated => Self::InvalidClient,
        }
    }
}
