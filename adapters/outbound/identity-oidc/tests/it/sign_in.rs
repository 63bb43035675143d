//! Sign-in: authorization request, code, both tokens.

use std::time::Duration;

use domain::people::customer::Role;
use identity_oidc::{ClientSecret, Oidc, OidcConfig};
use ports::outbound::{
    AccessToken, AuthorizationRequest, CodeGrant, IdentityError, IdentityProvider as _,
};
use rstest::rstest;
use serde_json::{Value, json};
use url::Url;

use crate::clock::TestClock;
use crate::conditions::{is_invalid, unusable};
use crate::sandbox_provider::{
    NONCE, REDIRECT, SECRET, STATE, Sandbox, VERIFIER, authorization_request, choose_person, grant,
    sign_in,
};
use crate::test_provider::{AUDIENCE, CLIENT, REVOCATION, TOKEN, TestProvider, adapter, now};
use crate::token_builder::{Signature, TokenBuilder};

mod client;

#[rstest]
#[case(sandbox::identity::MEMBER, Role::Member, "Ana Demo")]
#[case(sandbox::identity::ADMIN, Role::Admin, "Admin Demo")]
#[tokio::test]
async fn one_click_signs_in_a_demo_person(
    #[case] person: &str,
    #[case] role: Role,
    #[case] name: &str,
) {
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    let signed_in = sign_in(&oidc, person).await.unwrap();
    assert_eq!(signed_in.claims.issuer, sandbox.server.issuer);
    assert_eq!(signed_in.claims.subject, person);
    assert_eq!(signed_in.claims.role, role);
    assert_eq!(signed_in.claims.display_name.as_deref(), Some(name));
    let verified = oidc.verify(&signed_in.token).await.unwrap();
    assert_eq!(verified, signed_in.claims);
    // It must fit the session cookie.
    assert!(signed_in.token.len() < 1500, "{}", signed_in.token.len());
}

#[tokio::test]
async fn a_public_client_signs_in_by_pkce_alone() {
    let sandbox = Sandbox::start_with_secret(None).await;
    sign_in(&sandbox.adapter(), "demo-member").await.unwrap();
}

#[tokio::test]
async fn a_wrong_client_secret_is_a_configuration_error() {
    let sandbox = Sandbox::start().await;
    let config = OidcConfig {
        client_secret: Some(ClientSecret::new("wrong".to_owned())),
        ..sandbox.config()
    };
    let refused = sign_in(&adapter(config, &sandbox.clock), "demo-member").await;
    let text = unusable(refused);
    assert!(text.contains("invalid_client"), "{text}");
}

/// Returns the code of a sign-in that waits to be redeemed.
async fn granted_code(oidc: &Oidc) -> String {
    let address = oidc.authorization_url(&authorization_request()).await;
    choose_person(&address.unwrap(), "demo-member").await["code"].clone()
}

#[tokio::test]
async fn a_code_is_valid_once_for_a_minute_and_for_its_own_sign_in() {
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    let redeem = async |grant: &CodeGrant<'_>| refused(oidc.redeem(grant).await);

    let spent = granted_code(&oidc).await;
    oidc.redeem(&sandbox.grant(&spent)).await.unwrap();
    assert_eq!(redeem(&sandbox.grant(&spent)).await, "invalid_grant");

    let unspent = granted_code(&oidc).await;
    let other_verifier = CodeGrant {
        verifier: "another-verifier-of-forty-three-characters-or-more",
        ..sandbox.grant(&unspent)
    };
    assert_eq!(redeem(&other_verifier).await, "invalid_grant");

    let unspent = granted_code(&oidc).await;
    let other_place = CodeGrant {
        redirect_uri: "http://127.0.0.1:9/elsewhere",
        ..sandbox.grant(&unspent)
    };
    assert_eq!(redeem(&other_place).await, "invalid_grant");

    let old = granted_code(&oidc).await;
    sandbox.clock.advance(Duration::from_mins(1));
    assert_eq!(redeem(&sandbox.grant(&old)).await, "invalid_grant");
    assert_eq!(redeem(&sandbox.grant("made-up")).await, "invalid_grant");
}

#[tokio::test]
async fn an_answer_of_another_issuer_is_refused_before_its_code_is_sent() {
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    let code = granted_code(&oidc).await;
    for issuer in [None, Some(""), Some("https://another.example")] {
        let other = CodeGrant {
            issuer,
            ..sandbox.grant(&code)
        };
        let text = refused(oidc.redeem(&other).await);
        assert!(text.contains("`iss`"), "{issuer:?}: {text}");
    }
    oidc.redeem(&sandbox.grant(&code)).await.unwrap();
}

#[tokio::test]
async fn a_code_of_another_sign_in_is_refused_by_its_nonce() {
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    let code = granted_code(&oidc).await;
    let other = CodeGrant {
        nonce: "another-nonce",
        ..sandbox.grant(&code)
    };
    let text = refused(oidc.redeem(&other).await);
    assert_eq!(text, "the ID token: its nonce is of another sign-in");
}

#[tokio::test]
async fn the_authorization_url_has_the_parameters_of_the_standards() {
    let provider = TestProvider::start().await;
    let config = OidcConfig {
        audience: "https://gateway.example/api".to_owned(),
        ..provider.config()
    };
    let oidc = adapter(config, &TestClock::new());
    let address = oidc.authorization_url(&authorization_request()).await;
    let address = Url::parse(&address.unwrap()).unwrap();
    let mut query: Vec<(String, String)> = address.query_pairs().into_owned().collect();
    query.sort();
    // RFC 7636, S256 of the verifier.
    let challenge = "mg3QoZgnRJxQy_jYdfW7D8wJkoziCuM8Yhos7PwVvsI";
    let expected = [
        ("audience", "https://gateway.example/api"),
        ("client_id", CLIENT),
        ("code_challenge", challenge),
        ("code_challenge_method", "S256"),
        ("nonce", NONCE),
        ("redirect_uri", REDIRECT),
        ("resource", "https://gateway.example/api"),
        ("response_type", "code"),
        ("scope", "openid profile"),
        ("state", STATE),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(query, expected);
    assert!(!address.as_str().contains(VERIFIER));
}

#[rstest]
#[case("")]
#[case("forty-two-characters-are-one-too-few-for-it")]
#[tokio::test]
async fn a_pkce_verifier_that_is_too_short_is_refused(#[case] verifier: &str) {
    let (_provider, _, oidc) = TestProvider::start_with_adapter().await;
    let verifier = &verifier[..verifier.len().min(42)];
    let request = AuthorizationRequest {
        verifier,
        ..authorization_request()
    };
    let text = unusable(oidc.authorization_url(&request).await);
    let problem = "the gateway's PKCE verifier must have 43 to 128 characters";
    assert_eq!(text, problem);
}

type Change = fn(TokenBuilder) -> TokenBuilder;

/// Returns the token response with these tokens.
fn token_response(access: &TokenBuilder, id: &TokenBuilder) -> Value {
    json!({
        "access_token": access.sign(),
        "token_type": "Bearer",
        "expires_in": 3600,
        "id_token": id.sign(),
    })
}

/// Redeems a code at a provider with this token response.
async fn redeem(provider: &TestProvider, response: Value) -> Result<AccessToken, IdentityError> {
    provider.respond_json(TOKEN, response);
    let oidc = provider.adapter(&TestClock::new());
    oidc.redeem(&grant("a-code")).await
}

/// Redeems a code for a valid access token and a changed ID token.
async fn redeem_for_id_token(change: Change) -> Result<AccessToken, IdentityError> {
    let provider = TestProvider::start().await;
    let id = change(provider.id_token(NONCE));
    redeem(&provider, token_response(&provider.access_token(), &id)).await
}

#[rstest]
#[case::a_foreign_key(|token: TokenBuilder| token.signed_by(Signature::Foreign), "its signature is wrong")]
#[case::an_access_token(|token: TokenBuilder| token.header("typ", json!("at+jwt")), "its header's typ is of another kind of token")]
#[case::for_another_client(|token: TokenBuilder| token.claim("aud", json!("other")), "its aud doesn't name \"the-client\"")]
#[case::for_several_clients_without_azp(|token: TokenBuilder| token.claim("aud", json!([CLIENT, "other"])), "it was issued to another client")]
#[case::for_several_clients_by_another(|token: TokenBuilder| token.claim("aud", json!([CLIENT, "other"])).claim("azp", json!("other")), "it was issued to another client")]
#[case::issued_to_another_client(|token: TokenBuilder| token.claim("azp", json!("other")), "it was issued to another client")]
#[case::expired(|token: TokenBuilder| token.claim("exp", json!(now())), "it has expired")]
#[case::without_iat(|token: TokenBuilder| token.claim("iat", Value::Null), "its iat is missing or malformed")]
#[case::by_another_issuer(|token: TokenBuilder| token.claim("iss", json!("http://127.0.0.1")), "its iss is another issuer")]
#[case::of_another_access_token(|token: TokenBuilder| token.claim("at_hash", json!("LDktKdoQak3Pk0cnXxCltA")), "its at_hash is of another access token")]
#[tokio::test]
async fn an_invalid_id_token_is_refused(#[case] change: Change, #[case] reason: &str) {
    let text = unusable(redeem_for_id_token(change).await);
    let problem = format!("the ID token isn't good: {reason}");
    assert!(text.starts_with(&problem), "{text}");
}

#[rstest]
#[case::usual(|token: TokenBuilder| token)]
#[case::for_several(|token: TokenBuilder| token.claim("aud", json!([CLIENT, "other"])).claim("azp", json!(CLIENT)))]
#[case::with_azp(|token: TokenBuilder| token.claim("azp", json!(CLIENT)))]
#[case::without_a_type(|token: TokenBuilder| token.header("typ", Value::Null))]
#[tokio::test]
async fn two_valid_tokens_are_a_session(#[case] change: Change) {
    let signed_in = redeem_for_id_token(change).await.unwrap();
    assert_eq!(signed_in.claims.subject, "somebody");
}

#[tokio::test]
async fn an_id_token_without_a_nonce_is_refused() {
    let redeemed = redeem_for_id_token(|token| token.claim("nonce", Value::Null)).await;
    let text = refused(redeemed);
    assert_eq!(text, "the ID token: its nonce is of another sign-in");
}

#[tokio::test]
async fn tokens_of_two_subjects_are_refused() {
    let redeemed = redeem_for_id_token(|token| token.claim("sub", json!("somebody-else"))).await;
    let problem = "the access token and the ID token are of two subjects";
    assert_eq!(unusable(redeemed), problem);
}

#[tokio::test]
async fn an_access_token_for_another_audience_says_what_to_set() {
    let provider = TestProvider::start().await;
    let access = provider.access_token().claim("aud", json!("other"));
    let response = token_response(&access, &provider.id_token(NONCE));
    let text = unusable(redeem(&provider, response).await);
    let problem = "the access token isn't good: its aud doesn't name";
    assert!(text.starts_with(problem), "{text}");
    assert!(text.contains("set the audience"), "{text}");
}

#[tokio::test]
async fn an_opaque_access_token_says_what_to_set() {
    let provider = TestProvider::start().await;
    let mut response = token_response(&provider.access_token(), &provider.id_token(NONCE));
    response["access_token"] = json!("opaque-and-secret");
    let text = unusable(redeem(&provider, response).await);
    assert!(text.contains("no JWT"), "{text}");
    assert!(text.contains("set the audience"), "{text}");
    assert!(!text.contains("opaque-and-secret"), "{text}");
}

#[tokio::test]
async fn a_response_without_an_id_token_is_refused() {
    let provider = TestProvider::start().await;
    let mut response = token_response(&provider.access_token(), &provider.id_token(NONCE));
    response.as_object_mut().unwrap().remove("id_token");
    let text = unusable(redeem(&provider, response).await);
    let problem = "the token endpoint: no ID token; `openid` must be among the scopes";
    assert_eq!(text, problem);
}

#[tokio::test]
async fn error_texts_of_the_provider_are_not_repeated() {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    let described = r#"{"error":"invalid_grant","error_description":"a-code is old"}"#;
    let responses = [
        (400, described),
        (400, r#"{"error":"a-code"}"#),
        (400, r#"{"error":"a-code","error":7}"#),
        (400, "a-code"),
        (200, r#"{"a-code":1}"#),
        (200, ""),
        (302, "a-code"),
        (500, "a-code"),
        (429, "a-code"),
    ];
    for (status, body) in responses {
        provider.respond_status(TOKEN, status, body);
        let Err(error) = oidc.redeem(&grant("a-code")).await else {
            panic!("{status} {body}");
        };
        let text = format!("{error} {error:?}");
        assert!(!text.contains("a-code"), "{text}");
        let is_down = matches!(error, IdentityError::Unavailable(_));
        assert_eq!(is_down, status >= 429, "{status}: {text}");
    }
}

#[tokio::test]
async fn an_id_token_is_no_session() {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    let id = provider.id_token(NONCE).claim("aud", json!(AUDIENCE));
    assert!(is_invalid(&oidc.verify(&id.sign()).await));
}

fn refused<T>(result: Result<T, IdentityError>) -> String {
    match result {
        Err(IdentityError::Refused(text)) => text,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("accepted"),
    }
}
