//! Selection of the verification key in a key set: by id, use and algorithm.

use std::sync::Arc;

use identity_oidc::Oidc;
use ports::outbound::IdentityProvider as _;
use rstest::rstest;
use serde_json::{Value, json};

use crate::conditions::is_invalid;
use crate::test_provider::{TestProvider, all_keys};
use crate::token_builder::{FOREIGN_RSA, Signature, rsa_jwk};

async fn adapter_with(keys: &[Value]) -> (TestProvider, Arc<Oidc>) {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    provider.publish(keys);
    (provider, oidc)
}

#[tokio::test]
async fn a_token_without_a_key_id_is_verified_by_an_only_key() {
    let mut anonymous = all_keys()[0].clone();
    anonymous.as_object_mut().unwrap().remove("kid");
    for key in [anonymous, all_keys()[0].clone()] {
        let (provider, oidc) = adapter_with(&[key]).await;
        let token = provider.access_token().header("kid", Value::Null).sign();
        oidc.verify(&token).await.unwrap();
    }
}

#[tokio::test]
async fn an_only_key_that_was_replaced_is_fetched() {
    let (provider, oidc) = adapter_with(&[rsa_jwk(&FOREIGN_RSA, "old")]).await;
    let token = provider.access_token().header("kid", Value::Null);
    let old = token.clone().signed_by(Signature::Foreign);
    oidc.verify(&old.sign()).await.unwrap();
    provider.publish(&all_keys()[..1]);
    oidc.verify(&token.sign()).await.unwrap();
    assert_eq!(provider.fetches(), 2);
}

#[rstest]
#[case::for_encryption("use", json!("enc"))]
#[case::for_signing_only("key_ops", json!(["sign"]))]
#[case::for_another_algorithm("alg", json!("RS512"))]
#[case::for_hmac("alg", json!("HS256"))]
#[case::for_an_unknown_algorithm("alg", json!("XX1"))]
#[case::unreadable("n", json!("*"))]
#[case::of_another_type("kty", json!("EC"))]
#[tokio::test]
async fn a_key_for_another_use_is_not_used(#[case] field: &str, #[case] value: Value) {
    let mut keys = all_keys();
    keys[0][field] = value;
    let (provider, oidc) = adapter_with(&keys).await;
    let token = provider.access_token();
    assert!(is_invalid(&oidc.verify(&token.sign()).await));
    // The other keys of the set are used.
    let other = token
        .header("kid", json!("p256"))
        .header("alg", json!("ES256"));
    let other = other.signed_by(Signature::Es256).sign();
    oidc.verify(&other).await.unwrap();
}

#[rstest]
#[case("alg", json!("RS256"))]
#[case("key_ops", json!(["verify"]))]
#[case("x5c", json!(["unreadable"]))]
#[tokio::test]
async fn a_key_with_a_matching_use_is_used(#[case] field: &str, #[case] value: Value) {
    let mut keys = all_keys();
    keys[0][field] = value;
    let (provider, oidc) = adapter_with(&keys).await;
    oidc.verify(&provider.access_token().sign()).await.unwrap();
}

#[tokio::test]
async fn of_two_keys_with_one_id_the_right_one_is_found() {
    let keys = [rsa_jwk(&FOREIGN_RSA, "rsa"), all_keys()[0].clone()];
    let (provider, oidc) = adapter_with(&keys).await;
    for signature in [Signature::Rs256, Signature::Foreign] {
        let token = provider.access_token().signed_by(signature);
        oidc.verify(&token.sign()).await.unwrap();
    }
}
