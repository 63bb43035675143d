//! Authentication of the client.

use std::sync::Arc;

use super::*;

/// A provider that supports these methods, and an adapter with a secret.
async fn confidential_client(methods: Option<Value>) -> (TestProvider, Arc<Oidc>) {
    let provider = TestProvider::start().await;
    let methods = methods.unwrap_or_default();
    provider.set_metadata("token_endpoint_auth_methods_supported", methods);
    let config = OidcConfig {
        client_secret: Some(ClientSecret::new(SECRET.to_owned())),
        ..provider.config()
    };
    let oidc = adapter(config, &TestClock::new());
    (provider, oidc)
}

#[rstest]
#[case::no_list(None, true)]
#[case::both(Some(json!(["client_secret_post", "client_secret_basic"])), true)]
#[case::post_only(Some(json!(["client_secret_post", "private_key_jwt"])), false)]
#[tokio::test]
async fn the_secret_is_sent_by_a_method_that_the_provider_supports(
    #[case] methods: Option<Value>,
    #[case] is_basic: bool,
) {
    let (provider, oidc) = confidential_client(methods).await;
    let response = token_response(&provider.access_token(), &provider.id_token(NONCE));
    provider.respond_json(TOKEN, response);
    provider.respond_json(REVOCATION, json!({}));
    let signed_in = oidc.redeem(&grant("a-code")).await.unwrap();
    oidc.revoke(&signed_in.token).await.unwrap();
    let [redeemed, revoked] = [TOKEN, REVOCATION].map(|path| provider.requests(path).remove(0));
    assert_eq!(redeemed.method, "POST");
    for request in [redeemed, revoked] {
        assert_eq!(request.headers.contains_key("authorization"), is_basic);
        let in_body = request.body.contains("client_secret=");
        assert_eq!(in_body, !is_basic, "{}", request.body);
    }
}

#[tokio::test]
async fn a_provider_without_a_supported_method_is_reported() {
    let (provider, oidc) = confidential_client(Some(json!(["private_key_jwt"]))).await;
    let text = unusable(oidc.redeem(&grant("a-code")).await);
    assert!(text.contains("client_secret_basic"), "{text}");
    assert!(provider.requests(TOKEN).is_empty());
}

#[rstest]
#[case(|config: &mut OidcConfig| config.client_id.clear(), "the client id must not be empty")]
#[case(|config: &mut OidcConfig| config.audience.clear(), "the audience must not be empty")]
#[case(|config: &mut OidcConfig| config.scopes.clear(), "the scopes must contain `openid`")]
#[tokio::test]
async fn an_invalid_configuration_is_refused(
    #[case] change: fn(&mut OidcConfig),
    #[case] problem: &str,
) {
    let provider = TestProvider::start().await;
    let mut config = provider.config();
    change(&mut config);
    let Err(error) = Oidc::new(config, TestClock::new().shared()) else {
        panic!("accepted");
    };
    assert_eq!(error.to_string(), problem);
}
