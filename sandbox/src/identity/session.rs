//! User info, token revocation (RFC 7009) and sign-out (OpenID Connect RP-Initiated Logout 1.0).

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use serde_json::{Value, json};
use url::Url;

use crate::pages::fill;
use crate::proof::escape;

use super::Provider;
use super::answers::{OAuthError, page, redirect, tokens_json};
use super::keys::TOKEN_LIFE;
use super::parameters::Parameters;
use super::people::person;

const SIGNED_OUT: &str = include_str!("signed-out.html");
const REFUSED: &str = include_str!("refused.html");

/// Maximum number of stored revocations, which take about 1 MB.
const MAX_ENTRIES: u64 = 10_000;

/// The `jti` claims of revoked tokens, kept for the lifetime of a token.
pub(crate) struct Revocations(Cache<String, ()>);

impl Revocations {
    pub(crate) fn new() -> Self {
        let revoked = Cache::builder()
            .max_capacity(MAX_ENTRIES)
            .time_to_live(TOKEN_LIFE.to_std().expect("an hour is positive"))
            .eviction_policy(EvictionPolicy::lru());
        Self(revoked.build())
    }
}

/// Revokes a token. An invalid token gets the same response (RFC 7009, 2.2).
pub(crate) async fn revoke(
    State(provider): State<Arc<Provider>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, OAuthError> {
    let form = Parameters::parse(&body);
    provider.client.authenticate(&headers, &form)?;
    let token = form.get("token")?;
    let token = token.ok_or(OAuthError::InvalidRequest("token is missing"))?;
    let claims = provider.keys.open(token, provider.now());
    if let Some(id) = claims.as_ref().and_then(|claims| claims["jti"].as_str()) {
        provider.revocations.0.insert(id.to_owned(), ());
    }
    Ok(StatusCode::OK)
}

/// Returns the user info of an access token (OpenID Connect Core 1.0, 5.3).
pub(crate) async fn user_info(
    State(provider): State<Arc<Provider>>,
    headers: HeaderMap,
) -> Response {
    let Some(claims) = bearer(&headers).and_then(|token| valid_claims(&provider, token)) else {
        let challenge = [(WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"")];
        return (StatusCode::UNAUTHORIZED, challenge).into_response();
    };
    let Some(person) = claims["sub"].as_str().and_then(person) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    tokens_json(&json!({
        "sub": person.subject,
        "name": person.name,
        "preferred_username": person.username,
        "roles": person.roles,
    }))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// Returns the claims of a valid access token. ID tokens are refused because they have no `jti`.
fn valid_claims(provider: &Provider, token: &str) -> Option<Value> {
    let now = provider.now();
    let claims = provider.keys.open(token, now)?;
    let id = claims["jti"].as_str()?;
    let is_valid =
        now.timestamp() < claims["exp"].as_i64()? && !provider.revocations.0.contains_key(id);
    is_valid.then_some(claims)
}

/// Signs out. The provider stores no session, so it only redirects.
pub(crate) async fn end(
    State(provider): State<Arc<Provider>>,
    RawQuery(query): RawQuery,
) -> Response {
    match post_logout_redirect(
        &provider,
        &Parameters::parse(query.unwrap_or_default().as_bytes()),
    ) {
        Ok(Some(back)) => redirect(&back),
        Ok(None) => page(StatusCode::OK, SIGNED_OUT.to_owned(), None),
        Err(reason) => {
            let html = fill(REFUSED, |_| escape(reason));
            page(StatusCode::BAD_REQUEST, html, None)
        }
    }
}

/// Returns the redirect URI after sign-out; `None` if none was given, an error if it isn't registered.
fn post_logout_redirect(
    provider: &Provider,
    parameters: &Parameters,
) -> Result<Option<Url>, &'static str> {
    let get = |name| {
        parameters
            .get(name)
            .map_err(|_| "a parameter is there twice")
    };
    let Some(given) = get("post_logout_redirect_uri")? else {
        return Ok(None);
    };
    let hint = get("id_token_hint")?.and_then(|token| provider.keys.open(token, provider.now()));
    let hinted = hint.as_ref().and_then(|claims| claims["aud"].as_str());
    if get("client_id")?.or(hinted) != Some(&provider.client.id) {
        return Err("client_id is missing or not registered");
    }
    let registered = &provider.client.post_logout_redirect_uris;
    if !registered.iter().any(|known| known == given) {
        return Err("this post_logout_redirect_uri is not registered");
    }
    let mut back = Url::parse(given).map_err(|_| "the registered address is not a URL")?;
    if let Some(state) = get("state")? {
        back.query_pairs_mut().append_pair("state", state);
    }
    Ok(Some(back))
}
