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
    let methods = &document["code_challenge_methods_supported"];
    assert_eq!(*methods, json!(["S256"]));
}

#[tokio::test]
async fn keys_are_published_without_their_private_part() {
    let [mut key] = published(&Provider::start().await)
        .await
        .try_into()
        .unwrap();
    for name in ["kid", "x", "y"] {
        assert!(key[name].take().is_string(), "{name}");
    }
    let expected = json!({
        "alg": "ES256", "crv": "P-256", "kid": null, "kty": "EC", "use": "sig", "x": null, "y": null,
    });
    assert_eq!(key, expected);
}

#[tokio::test]
async fn a_published_key_has_signed_both_tokens_and_that_of_no_other_provider() {
    let (one, other) = (Provider::start().await, Provider::start().await);
    let tokens = one.tokens("demo-member").await;
    for token in ["access_token", "id_token"] {
        assert!(is_signed(&one, &tokens[token]).await);
        assert!(!is_signed(&other, &tokens[token]).await);
    }
}

#[tokio::test]
async fn old_tokens_stay_valid_after_a_rotation() {
    let provider = Provider::start().await;
    let old = provider.access_token().await;
    provider.server.handle.rotate();
    let new = provider.access_token().await;
    assert_ne!(part(&old, 0)["kid"], part(&new, 0)["kid"]);
    assert!(is_signed(&provider, &new).await);
    for (minutes, is_valid) in [(0, true), (59, true), (1, false)] {
        provider.advance(TimeDelta::minutes(minutes));
        assert_eq!(is_signed(&provider, &old).await, is_valid);
    }
    assert_eq!(published(&provider).await.len(), 1);
}

#[tokio::test]
async fn keys_are_rotated_by_a_request_too() {
    let provider = Provider::start().await;
    let before = published(&provider).await;
    assert_eq!(provider.get("/rotate").await.status(), 405);
    let rotated = provider.post("/rotate").send().await.unwrap();
    assert_eq!(rotated.status(), 204);
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
