//! Signing in and out.

use std::sync::Arc;
use std::time::Duration;

use domain::customer::Role;
use identity_oidc::{ClientSecret, Oidc, OidcConfig};
use memory::MemoryProviderKeys;
use ports::outbound::{
    AccessToken, AuthorizationRequest, CodeGrant, IdentityError, IdentityProvider as _, TokenError,
};
use rstest::rstest;
use serde_json::{Value, json};
use url::Url;

use crate::clock::TestClock;
use crate::provider::{AUDIENCE, CLIENT, DISCOVERY, REVOCATION, TOKEN, TestProvider, adapter, now};
use crate::sandboxed::{
    NONCE, REDIRECT, SECRET, STATE, Sandbox, VERIFIER, grant, press, sign_in, wish,
};
use crate::signer::{Draft, Signature};

mod client;

#[rstest]
#[case(sandbox::identity::MEMBER, Role::Member, "Ana Demo")]
#[case(sandbox::identity::ADMIN, Role::Admin, "Admin Demo")]
#[tokio::test]
async fn one_click_signs_a_demo_person_in(
    #[case] person: &str,
    #[case] role: Role,
    #[case] name: &str,
) {
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    let signed_in = sign_in(&oidc, person).await.unwrap();
    assert_eq!(signed_in.claims.issuer, sandbox.issuer);
    assert_eq!(signed_in.claims.subject, person);
    assert_eq!(signed_in.claims.role, role);
    assert_eq!(signed_in.claims.display_name.as_deref(), Some(name));
    assert_eq!(
        oidc.verify(&signed_in.token).await.unwrap(),
        signed_in.claims
    );
    // The session cookie holds it.
    assert!(signed_in.token.len() < 1500, "{}", signed_in.token.len());
}

#[tokio::test]
async fn a_public_client_signs_in_by_pkce_alone() {
    let sandbox = Sandbox::start_with_secret(None).await;
    sign_in(&sandbox.adapter(), "demo-member").await.unwrap();
}

#[tokio::test]
async fn a_wrong_secret_is_a_matter_of_configuration() {
    let sandbox = Sandbox::start().await;
    let config = OidcConfig {
        client_secret: Some(ClientSecret::new("wrong".to_owned())),
        ..sandbox.config()
    };
    let refused = sign_in(&adapter(config, &sandbox.clock), "demo-member").await;
    let text = unusable(refused);
    assert!(text.contains("invalid_client"), "{text}");
}

#[tokio::test]
async fn a_code_is_good_once_for_a_minute_and_for_its_own_sign_in() {
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    let address = oidc.authorization_url(&wish()).await.unwrap();
    let code = || async { press(&address, "demo-member").await["code"].clone() };

    let spent = code().await;
    oidc.redeem(&grant(&spent)).await.unwrap();
    assert_eq!(refused(oidc.redeem(&grant(&spent)).await), "invalid_grant");

    let unspent = code().await;
    let other_verifier = CodeGrant {
        verifier: "another-verifier-of-forty-three-characters-or-more",
        ..grant(&unspent)
    };
    assert_eq!(refused(oidc.redeem(&other_verifier).await), "invalid_grant");

    let unspent = code().await;
    let other_place = CodeGrant {
        redirect_uri: "http://127.0.0.1:9/elsewhere",
        ..grant(&unspent)
    };
    assert_eq!(refused(oidc.redeem(&other_place).await), "invalid_grant");

    let old = code().await;
    sandbox.clock.advance(Duration::from_mins(1));
    assert_eq!(refused(oidc.redeem(&grant(&old)).await), "invalid_grant");
    assert_eq!(
        refused(oidc.redeem(&grant("made-up")).await),
        "invalid_grant"
    );
}

#[tokio::test]
async fn a_code_of_another_sign_in_is_refused_by_its_nonce() {
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    let address = oidc.authorization_url(&wish()).await.unwrap();
    let code = press(&address, "demo-member").await["code"].clone();
    let other = CodeGrant {
        nonce: "another-nonce",
        ..grant(&code)
    };
    let text = refused(oidc.redeem(&other).await);
    assert_eq!(text, "the ID token: its nonce is of another sign-in");
}

#[tokio::test]
async fn the_browser_is_sent_with_all_that_the_standards_want() {
    let provider = TestProvider::start().await;
    let config = OidcConfig {
        audience: "https://gateway.example/api".to_owned(),
        ..provider.config()
    };
    let oidc = adapter(config, &TestClock::new());
    let address = Url::parse(&oidc.authorization_url(&wish()).await.unwrap()).unwrap();
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
async fn a_verifier_that_the_standard_forbids_is_refused(#[case] verifier: &str) {
    let provider = TestProvider::start().await;
    let oidc = provider.adapter(&TestClock::new());
    let verifier = &verifier[..verifier.len().min(42)];
    let wish = AuthorizationRequest { verifier, ..wish() };
    let text = unusable(oidc.authorization_url(&wish).await);
    assert_eq!(text, "our PKCE verifier must have 43 to 128 characters");
}

/// What the token endpoint says, made of a good access token and a good ID token.
fn tokens(access: &Draft, id: &Draft) -> Value {
    json!({
        "access_token": access.token(),
        "token_type": "Bearer",
        "expires_in": 3600,
        "id_token": id.token(),
    })
}

async fn redeem_from(provider: &TestProvider, answer: Value) -> Result<AccessToken, IdentityError> {
    provider.says(TOKEN, answer);
    provider
        .adapter(&TestClock::new())
        .redeem(&grant("a-code"))
        .await
}

#[tokio::test]
async fn two_good_tokens_are_a_session() {
    let provider = TestProvider::start().await;
    let answer = tokens(&provider.draft(), &provider.id_draft(NONCE));
    let signed_in = redeem_from(&provider, answer).await.unwrap();
    assert_eq!(signed_in.claims.subject, "somebody");
}

#[rstest]
#[case::signed_by_nobody(|draft: Draft| draft.signed(Signature::Foreign), "its signature is wrong")]
#[case::an_access_token(|draft: Draft| draft.header("typ", json!("at+jwt")), "its header's typ is of another kind of token")]
#[case::for_another_client(|draft: Draft| draft.claim("aud", json!("other")), "its aud doesn't name \"the-client\"")]
#[case::for_several_without_azp(|draft: Draft| draft.claim("aud", json!([CLIENT, "other"])), "it was issued to another client")]
#[case::for_several_by_another(|draft: Draft| draft.claim("aud", json!([CLIENT, "other"])).claim("azp", json!("other")), "it was issued to another client")]
#[case::by_another(|draft: Draft| draft.claim("azp", json!("other")), "it was issued to another client")]
#[case::ended(|draft: Draft| draft.claim("exp", json!(now())), "it has expired")]
#[case::without_iat(|draft: Draft| draft.claim("iat", Value::Null), "its iat is missing or malformed")]
#[case::by_another_issuer(|draft: Draft| draft.claim("iss", json!("http://127.0.0.1")), "its iss is another issuer")]
#[case::of_another_access_token(|draft: Draft| draft.claim("at_hash", json!("LDktKdoQak3Pk0cnXxCltA")), "its at_hash is of another access token")]
#[tokio::test]
async fn a_bad_id_token_is_no_sign_in(#[case] change: fn(Draft) -> Draft, #[case] fault: &str) {
    let provider = TestProvider::start().await;
    let answer = tokens(&provider.draft(), &change(provider.id_draft(NONCE)));
    let text = unusable(redeem_from(&provider, answer).await);
    assert!(
        text.starts_with(&format!("the ID token isn't good: {fault}")),
        "{text}"
    );
}

#[rstest]
#[case::for_several(|draft: Draft| draft.claim("aud", json!([CLIENT, "other"])).claim("azp", json!(CLIENT)))]
#[case::with_azp(|draft: Draft| draft.claim("azp", json!(CLIENT)))]
#[case::without_a_type(|draft: Draft| draft.header("typ", Value::Null))]
#[tokio::test]
async fn a_good_id_token_may_say_more(#[case] change: fn(Draft) -> Draft) {
    let provider = TestProvider::start().await;
    let answer = tokens(&provider.draft(), &change(provider.id_draft(NONCE)));
    redeem_from(&provider, answer).await.unwrap();
}

#[tokio::test]
async fn a_missing_nonce_is_another_sign_in() {
    let provider = TestProvider::start().await;
    let id = provider.id_draft(NONCE).claim("nonce", Value::Null);
    let answer = tokens(&provider.draft(), &id);
    let text = refused(redeem_from(&provider, answer).await);
    assert_eq!(text, "the ID token: its nonce is of another sign-in");
}

#[tokio::test]
async fn two_tokens_of_two_subjects_are_no_sign_in() {
    let provider = TestProvider::start().await;
    let id = provider
        .id_draft(NONCE)
        .claim("sub", json!("somebody-else"));
    let text = unusable(redeem_from(&provider, tokens(&provider.draft(), &id)).await);
    assert_eq!(
        text,
        "the access token and the ID token are of two subjects"
    );
}

#[tokio::test]
async fn an_access_token_for_somebody_else_says_what_to_set() {
    let provider = TestProvider::start().await;
    let access = provider.draft().claim("aud", json!("other"));
    let answer = tokens(&access, &provider.id_draft(NONCE));
    let text = unusable(redeem_from(&provider, answer).await);
    assert!(
        text.starts_with("the access token isn't good: its aud doesn't name"),
        "{text}"
    );
    assert!(text.contains("set the audience"), "{text}");
}

#[tokio::test]
async fn an_opaque_access_token_says_what_to_set() {
    let provider = TestProvider::start().await;
    let mut answer = tokens(&provider.draft(), &provider.id_draft(NONCE));
    answer["access_token"] = json!("opaque-and-secret");
    let text = unusable(redeem_from(&provider, answer).await);
    assert!(
        text.contains("no JWT") && text.contains("set the audience"),
        "{text}"
    );
    assert!(!text.contains("opaque-and-secret"), "{text}");
}

#[tokio::test]
async fn without_an_id_token_there_is_no_sign_in() {
    let provider = TestProvider::start().await;
    let mut answer = tokens(&provider.draft(), &provider.id_draft(NONCE));
    answer.as_object_mut().unwrap().remove("id_token");
    let text = unusable(redeem_from(&provider, answer).await);
    assert_eq!(
        text,
        "the token endpoint: no ID token; `openid` must be among the scopes"
    );
}

#[tokio::test]
async fn nothing_that_the_provider_says_about_a_code_is_repeated() {
    let provider = TestProvider::start().await;
    let oidc = provider.adapter(&TestClock::new());
    let answers = [
        (
            400,
            r#"{"error":"invalid_grant","error_description":"a-code is old"}"#,
        ),
        (400, r#"{"error":"a-code"}"#),
        (400, r#"{"error":"a-code","error":7}"#),
        (400, "a-code"),
        (200, r#"{"a-code":1}"#),
        (200, ""),
        (302, "a-code"),
        (500, "a-code"),
        (429, "a-code"),
    ];
    for (status, body) in answers {
        provider.fails(TOKEN, status, body);
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
    let provider = TestProvider::start().await;
    let oidc = provider.adapter(&TestClock::new());
    let id = provider
        .id_draft(NONCE)
        .claim("aud", json!(AUDIENCE))
        .token();
    let verdict = oidc.verify(&id).await;
    assert!(matches!(verdict, Err(TokenError::Invalid(_))));
}

fn unusable<T>(answer: Result<T, IdentityError>) -> String {
    match answer {
        Err(IdentityError::Unusable(text)) => text,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("accepted"),
    }
}

fn refused<T>(answer: Result<T, IdentityError>) -> String {
    match answer {
        Err(IdentityError::Refused(text)) => text,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("accepted"),
    }
}
