//! Hostile responses: false documents, endless and slow bodies, redirects.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Redirect, Response};
use futures::{StreamExt as _, stream};
use identity_oidc::OidcConfig;
use ports::outbound::{IdentityError, IdentityProvider as _, TokenError};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::clock::TestClock;
use crate::conditions::{is_unavailable, unusable};
use crate::sandbox_provider::{authorization_request, grant};
use crate::test_provider::{DISCOVERY, JWKS, TOKEN, TestProvider, adapter, all_keys};

#[rstest]
#[case::another_issuer("issuer", json!("https://login.example.com"), "must be equal to the letter")]
#[case::no_issuer("issuer", Value::Null, "missing field `issuer`")]
#[case::a_trailing_slash("issuer", json!("{issuer}/"), "must be equal to the letter")]
#[case::another_host("issuer", json!("http://localhost:9"), "must be equal to the letter")]
#[case::remote_keys_over_http("jwks_uri", json!("http://login.example.com/jwks"), "jwks_uri: plain http")]
#[case::keys_in_a_file("jwks_uri", json!("file:///etc/passwd"), "jwks_uri: not a URL such as")]
#[case::no_keys("jwks_uri", Value::Null, "missing field `jwks_uri`")]
#[case::remote_tokens_over_http("token_endpoint", json!("http://login.example.com/token"), "token_endpoint: plain http")]
#[case::tokens_with_a_password("token_endpoint", json!("https://a:b@login.example.com/"), "token_endpoint: leave user")]
#[case::a_script("authorization_endpoint", json!("javascript:alert(1)"), "authorization_endpoint: ")]
#[case::remote_revocation_over_http("revocation_endpoint", json!("http://10.0.0.1/"), "revocation_endpoint: plain http")]
#[case::remote_end_of_session_over_http("end_session_endpoint", json!("http://10.0.0.1/"), "end_session_endpoint: plain http")]
#[case::plain_pkce("code_challenge_methods_supported", json!(["plain"]), "PKCE with S256")]
#[tokio::test]
async fn a_false_discovery_document_is_refused(
    #[case] field: &str,
    #[case] value: Value,
    #[case] problem: &str,
) {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    let value = match value.as_str() {
        Some(text) => json!(text.replace("{issuer}", &provider.issuer())),
        None => value,
    };
    provider.set_metadata(field, value);
    let text = unusable(oidc.authorization_url(&authorization_request()).await);
    assert!(text.contains(problem), "{text}");
    let token = provider.access_token().sign();
    assert!(is_unavailable(&oidc.verify(&token).await));
    assert!(provider.requests(JWKS).is_empty());
}

/// Response with an endless body.
fn endless() -> Response {
    let chunk = Bytes::from(vec![b' '; 64 * 1024]);
    let stream = stream::repeat(chunk).map(Ok::<_, Infallible>);
    Body::from_stream(stream).into_response()
}

/// Response with one byte every 20 ms.
fn slow() -> Response {
    let stream = stream::repeat(()).then(|()| async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok::<_, Infallible>(Bytes::from_static(b" "))
    });
    Body::from_stream(stream).into_response()
}

#[rstest]
#[case(DISCOVERY)]
#[case(JWKS)]
#[case(TOKEN)]
#[tokio::test]
async fn an_endless_response_is_read_up_to_a_limit(#[case] path: &str) {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    provider.respond_with(path, || async { endless() });
    let started = Instant::now();
    let text = if path == JWKS {
        match oidc.verify(&provider.access_token().sign()).await {
            Err(TokenError::Unavailable(cause)) => cause.to_string(),
            _ => panic!("verified without keys"),
        }
    } else {
        unusable(oidc.redeem(&grant("a-code")).await)
    };
    assert!(text.ends_with("more than 262144 bytes"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[rstest]
#[case(DISCOVERY)]
#[case(JWKS)]
#[case(TOKEN)]
#[tokio::test]
async fn a_slow_response_is_cut_off_by_the_timeout(#[case] path: &str) {
    let provider = TestProvider::start().await;
    provider.respond_with(path, || async { slow() });
    let config = OidcConfig {
        timeout: Duration::from_millis(300),
        ..provider.config()
    };
    let oidc = adapter(config, &TestClock::new());
    if path == JWKS {
        let verified = oidc.verify(&provider.access_token().sign()).await;
        assert!(is_unavailable(&verified));
    } else {
        let redeemed = oidc.redeem(&grant("a-code")).await;
        assert!(matches!(redeemed, Err(IdentityError::Unavailable(_))));
    }
}

#[tokio::test]
async fn a_provider_that_never_answers_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let issuer = format!("http://{}", listener.local_addr().unwrap());
    let config = OidcConfig {
        timeout: Duration::from_millis(300),
        ..OidcConfig::new(identity_oidc::Issuer::parse(&issuer).unwrap(), "a", "b")
    };
    let oidc = adapter(config, &TestClock::new());
    let address = oidc.authorization_url(&authorization_request()).await;
    assert!(matches!(address, Err(IdentityError::Unavailable(_))));
    drop(listener);
}

#[rstest]
#[case(DISCOVERY)]
#[case(JWKS)]
#[case(TOKEN)]
#[tokio::test]
async fn a_redirect_is_not_followed(#[case] path: &str) {
    let (provider, elsewhere) = (TestProvider::start().await, TestProvider::start().await);
    let target = format!("{}{path}", elsewhere.issuer());
    elsewhere.respond_json(JWKS, json!({ "keys": all_keys() }));
    provider.respond_with(path, move || {
        let response = Redirect::temporary(&target).into_response();
        async { response }
    });
    let oidc = provider.adapter(&TestClock::new());
    assert!(oidc.redeem(&grant("a-code")).await.is_err());
    if path != TOKEN {
        assert!(oidc.verify(&provider.access_token().sign()).await.is_err());
    }
    assert!(elsewhere.requests(path).is_empty());
    assert!(!provider.requests(path).is_empty());
}
