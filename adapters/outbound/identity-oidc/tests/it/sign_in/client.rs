//! Who we say we are, and how.

use super::*;

#[rstest]
#[case::said_nothing(None, true)]
#[case::either(Some(json!(["client_secret_post", "client_secret_basic"])), true)]
#[case::in_the_form(Some(json!(["client_secret_post", "private_key_jwt"])), false)]
#[tokio::test]
async fn the_secret_goes_the_way_that_the_provider_takes(
    #[case] methods: Option<Value>,
    #[case] is_basic: bool,
) {
    let provider = TestProvider::start().await;
    let mut document = provider.document();
    if let Some(methods) = methods {
        document["token_endpoint_auth_methods_supported"] = methods;
    }
    provider.says(DISCOVERY, document);
    provider.says(TOKEN, tokens(&provider.draft(), &provider.id_draft(NONCE)));
    provider.says(REVOCATION, json!({}));
    let config = OidcConfig {
        client_secret: Some(ClientSecret::new(SECRET.to_owned())),
        ..provider.config()
    };
    let oidc = adapter(config, &TestClock::new());
    let signed_in = oidc.redeem(&grant("a-code")).await.unwrap();
    oidc.revoke(&signed_in.token).await.unwrap();
    let [redeemed, revoked] = [TOKEN, REVOCATION].map(|path| provider.asked(path).remove(0));
    assert_eq!(redeemed.method, "POST");
    for asked in [redeemed, revoked] {
        assert_eq!(asked.headers.contains_key("authorization"), is_basic);
        assert_eq!(
            asked.body.contains("client_secret="),
            !is_basic,
            "{}",
            asked.body
        );
    }
}

#[tokio::test]
async fn a_provider_that_takes_no_secret_of_ours_says_so() {
    let provider = TestProvider::start().await;
    let mut document = provider.document();
    document["token_endpoint_auth_methods_supported"] = json!(["private_key_jwt"]);
    provider.says(DISCOVERY, document);
    let config = OidcConfig {
        client_secret: Some(ClientSecret::new(SECRET.to_owned())),
        ..provider.config()
    };
    let oidc = adapter(config, &TestClock::new());
    let text = unusable(oidc.redeem(&grant("a-code")).await);
    assert!(text.contains("client_secret_basic"), "{text}");
    assert!(provider.asked(TOKEN).is_empty());
}

#[rstest]
#[case(|config: &mut OidcConfig| config.client_id.clear(), "the client id must not be empty")]
#[case(|config: &mut OidcConfig| config.audience.clear(), "the audience must not be empty")]
#[case(|config: &mut OidcConfig| config.scopes.clear(), "the scopes must contain `openid`")]
#[tokio::test]
async fn a_configuration_that_can_never_work_is_refused(
    #[case] spoil: fn(&mut OidcConfig),
    #[case] fault: &str,
) {
    let provider = TestProvider::start().await;
    let mut config = provider.config();
    spoil(&mut config);
    let clock = TestClock::new().shared();
    let alone = Arc::new(MemoryProviderKeys::new(Arc::clone(&clock)));
    let Err(error) = Oidc::new(config, alone, clock) else {
        panic!("accepted");
    };
    assert_eq!(error.to_string(), fault);
}
