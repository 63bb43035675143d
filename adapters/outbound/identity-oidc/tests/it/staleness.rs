//! Cache of the provider's keys: their age, their withdrawal, and a provider that is down.

use std::time::Duration;

use ports::outbound::{IdentityError, IdentityProvider as _};
use rstest::rstest;
use serde_json::json;

use crate::conditions::{in_time, is_invalid, is_unavailable, wait_until};
use crate::rotation::COOL_DOWN;
use crate::sandbox_provider::authorization_request;
use crate::test_provider::{DISCOVERY, JWKS, TestProvider, all_keys, now};
use crate::token_builder::{FOREIGN_RSA, rsa_jwk};

#[tokio::test]
async fn keys_are_revalidated_in_the_background_after_ten_minutes() {
    let (provider, clock, oidc) = TestProvider::start_with_adapter().await;
    let token = provider.access_token().sign();
    oidc.verify(&token).await.unwrap();
    clock.advance(Duration::from_mins(10) - Duration::from_millis(1));
    oidc.verify(&token).await.unwrap();
    assert_eq!(provider.fetches(), 1);
    // Withdrawn: still valid now, and no longer once the fetch that this starts has ended.
    provider.publish(&[rsa_jwk(&FOREIGN_RSA, "another")]);
    clock.advance(Duration::from_millis(1));
    oidc.verify(&token).await.unwrap();
    wait_until(|| provider.fetches() == 2).await;
    let withdrawn = async {
        while oidc.verify(&token).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    in_time(withdrawn).await;
}

#[tokio::test]
async fn a_withdrawn_key_is_refused_after_an_idle_night() {
    let (provider, clock, oidc) = TestProvider::start_with_adapter().await;
    let expiry = json!(now() + 86_400);
    let token = provider.access_token().claim("exp", expiry).sign();
    oidc.verify(&token).await.unwrap();
    provider.publish(&[rsa_jwk(&FOREIGN_RSA, "another")]);
    clock.advance(Duration::from_hours(8));
    assert!(is_invalid(&oidc.verify(&token).await));
}

#[rstest]
#[case::failing(500, "")]
#[case::not_found(404, "")]
#[case::redirected(302, "")]
#[case::html(200, "<html>")]
#[case::another_document(200, r#"{"issuer":"x"}"#)]
#[case::an_empty_set(200, r#"{"keys":[]}"#)]
#[case::symmetric(200, r#"{"keys":[{"kty":"oct","kid":"rsa","k":"AAAA"}]}"#)]
#[tokio::test]
async fn an_unusable_key_set_does_not_replace_a_usable_one_for_a_day(
    #[case] status: u16,
    #[case] body: &'static str,
) {
    let (provider, clock, oidc) = TestProvider::start_with_adapter().await;
    let expiry = json!(now() + 864_000);
    let token = provider.access_token().claim("exp", expiry).sign();
    oidc.verify(&token).await.unwrap();
    provider.respond_status(JWKS, status, body);
    // After 11 minutes, after 8 hours, and a second before a day is over.
    for later in [660, 28_140, 57_599] {
        clock.advance(Duration::from_secs(later));
        oidc.verify(&token).await.unwrap();
        wait_until(|| provider.fetches() > 1).await;
    }
    clock.advance(Duration::from_secs(1));
    assert!(is_unavailable(&oidc.verify(&token).await));
    provider.publish(&all_keys());
    clock.advance(COOL_DOWN);
    oidc.verify(&token).await.unwrap();
}

#[tokio::test]
async fn an_unknown_key_is_unavailable_not_invalid_while_the_provider_is_down() {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    oidc.verify(&provider.access_token().sign()).await.unwrap();
    provider.respond_status(JWKS, 503, "");
    let unknown = provider.access_token().header("kid", json!("new")).sign();
    assert!(is_unavailable(&oidc.verify(&unknown).await));
    assert!(is_unavailable(&oidc.verify(&unknown).await));
    assert_eq!(provider.fetches(), 2);
    oidc.verify(&provider.access_token().sign()).await.unwrap();
}

#[tokio::test]
async fn a_process_that_starts_while_the_provider_is_down_verifies_once_it_is_back() {
    let (provider, clock, oidc) = TestProvider::start_with_adapter().await;
    provider.respond_status(DISCOVERY, 502, "");
    let token = provider.access_token().sign();
    for _ in 0..20 {
        assert!(is_unavailable(&oidc.verify(&token).await));
        let address = oidc.authorization_url(&authorization_request()).await;
        assert!(matches!(address, Err(IdentityError::Unavailable(_))));
    }
    assert_eq!(provider.requests(DISCOVERY).len(), 1);
    provider.respond_json(DISCOVERY, provider.document());
    clock.advance(Duration::from_secs(1));
    let address = oidc.authorization_url(&authorization_request()).await;
    address.unwrap();
    oidc.verify(&token).await.unwrap();
}
