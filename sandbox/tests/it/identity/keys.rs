//! Discovery document and signing keys.

use chrono::TimeDelta;
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde_json::{Value, json};

use crate::identity::support::{Provider, part};

/// Returns whether a published key has signed the token.
async fn is_signed(provider: &Provider, token: &Value) -> bool {
    let keys: JwkSet = serde_json::from_value(provider.json("/jwks").await).unwrap();
    let id = part(token, 0)["kid"].as_str().unwrap().to_owned();
    let Some(key) = keys.find(&id) else {
        return false;
    };
    let mut validation = Validation::new(Algorithm::ES256);
    validation.validate_exp = false;
    validation.validate_aud = false;
    let key = DecodingKey::from_jwk(key).unwrap();
    jsonwebtoken::decode::<Value>(token.as_str().unwrap(), &key, &validation).is_ok()
}

async fn published(provider: &Provider) -> Vec<Value> {
    let set = provider.json("/jwks").await;
    set["keys"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_discovery_document_lists_the_endpoints() {
    let provider = Provider::start().await;
    let document = provider.json("/.well-known/openid-configuration").await;
    assert_eq!(document["issuer"], provider.issuer());
    for (name, path) in [
        ("authorization_endpoint", "/authorize"),
        ("token_endpoint", "/token"),
        ("jwks_uri", "/jwks"),
        ("userinfo_endpoint", "/userinfo"),
        ("revocation_endpoint", "/revoke"),
        ("end_session_endpoint", "/end-session"),
    ] {
        assert_eq!(document[name], format!("{}{path}", provider.issuer()));
        assert_ne!(provider.get(path).await.status(), 404, "{path}");
    }
    assert_eq!(
        document["code_challenge_methods_supported"],
        json!(["S256"])
    );
}

#[tokio::test]
async fn keys_are_published_without_their_private_part() {
    let provider = Provider::start().await;
    let [key] = published(&provider).await.try_into().unwrap();
    let mut fields: Vec<_> = key
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    fields.sort_unstable();
    assert_eq!(fields, ["alg", "crv", "kid", "kty", "use", "x", "y"]);
    assert_eq!(key["use"], "sig");
    assert_eq!(key["alg"], "ES256");
}

#[tokio::test]
async fn a_published_key_has_signed_both_tokens() {
    let provider = Provider::start().await;
    let tokens = provider.tokens("demo-member").await;
    assert!(is_signed(&provider, &tokens["access_token"]).await);
    assert!(is_signed(&provider, &tokens["id_token"]).await);
}

#[tokio::test]
async fn old_tokens_stay_valid_after_a_rotation() {
    let provider = Provider::start().await;
    let old = provider.tokens("demo-member").await["access_token"].clone();
    provider.server.handle.rotate();
    let new = provider.tokens("demo-member").await["access_token"].clone();
    assert_ne!(part(&old, 0)["kid"], part(&new, 0)["kid"]);
    assert!(is_signed(&provider, &old).await);
    assert!(is_signed(&provider, &new).await);
    provider.advance(TimeDelta::minutes(59));
    assert!(is_signed(&provider, &old).await);
    provider.advance(TimeDelta::minutes(1));
    assert!(!is_signed(&provider, &old).await);
    assert_eq!(published(&provider).await.len(), 1);
}

#[tokio::test]
async fn keys_are_rotated_by_a_request_too() {
    let provider = Provider::start().await;
    let before = published(&provider).await;
    let address = format!("{}/rotate", provider.issuer());
    assert_eq!(
        provider.client.get(&address).send().await.unwrap().status(),
        405
    );
    assert_eq!(
        provider
            .client
            .post(&address)
            .send()
            .await
            .unwrap()
            .status(),
        204
    );
    let after = published(&provider).await;
    assert_eq!(after.len(), 2);
    assert_eq!(after[1], before[0]);
}

#[tokio::test]
async fn the_number_of_keys_is_bounded() {
    let provider = Provider::start().await;
    for _ in 0..200 {
        provider.server.handle.rotate();
    }
    assert_eq!(published(&provider).await.len(), 64);
}

#[tokio::test]
async fn two_providers_have_two_keys() {
    let (one, other) = (Provider::start().await, Provider::start().await);
    let token = one.tokens("demo-member").await["access_token"].clone();
    assert!(!is_signed(&other, &token).await);
}
