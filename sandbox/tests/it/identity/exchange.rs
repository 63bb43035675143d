//! Exchange of a code for tokens.

use chrono::TimeDelta;
use reqwest::RequestBuilder;
use rstest::rstest;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use crate::identity::support::{AUDIENCE, CHALLENGE, CLIENT, POSTED, Provider, SECRET, body, part};

/// Authenticates a client by HTTP Basic: id and secret are form-encoded (RFC 6749, 2.3.1).
fn by_basic(request: RequestBuilder, id: &str, secret: Option<&str>) -> RequestBuilder {
    let encoded = |text: &str| -> String { byte_serialize(text.as_bytes()).collect() };
    request.basic_auth(encoded(id), secret.map(encoded))
}

#[rstest]
#[case("demo-member", "Ana Demo", json!([]))]
#[case("demo-admin", "Admin Demo", json!(["cep-admin"]))]
#[tokio::test]
async fn the_tokens_identify_the_person(
    #[case] person: &str,
    #[case] name: &str,
    #[case] roles: Value,
) {
    let provider = Provider::start().await;
    let tokens = provider.tokens(person).await;
    assert_eq!(tokens["token_type"], "Bearer");
    assert_eq!(tokens["expires_in"], 3600);

    let access = &tokens["access_token"];
    let header = part(access, 0);
    assert_eq!(header["typ"], "at+jwt");
    assert_eq!(header["alg"], "ES256");
    let mut claims = part(access, 1);
    assert_eq!(claims["jti"].take().as_str().unwrap().len(), 43);
    let now = provider.now();
    let expected = json!({
        "iss": provider.issuer(), "sub": person, "aud": AUDIENCE, "client_id": CLIENT,
        "iat": now, "nbf": now, "exp": now + 3600, "jti": null,
        "scope": "openid profile", "name": name, "roles": roles,
    });
    assert_eq!(claims, expected);

    let id = &tokens["id_token"];
    assert_eq!(part(id, 0)["typ"], "JWT");
    let claims = part(id, 1);
    assert_eq!(claims["iss"], provider.issuer());
    assert_eq!(claims["aud"], CLIENT);
    assert_eq!(claims["sub"], person);
    assert_eq!(claims["nonce"], "n");
    assert_eq!(claims["exp"], now + 3600);
}

#[tokio::test]
async fn tokens_are_not_cached_and_have_no_nonce_unless_it_was_given() {
    let provider = Provider::start().await;
    let code = provider.code_with("demo-member", &[("nonce", None)]).await;
    let answer = provider.redeem(&code, &[]).send().await.unwrap();
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let tokens = body(answer).await;
    assert_eq!(part(&tokens["id_token"], 1).get("nonce"), None);
}

#[tokio::test]
async fn the_secret_may_be_sent_in_http_basic() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let exchange = by_basic(provider.exchange(&code, &[]), CLIENT, Some(SECRET));
    assert_eq!(exchange.send().await.unwrap().status(), 200);
}

#[rstest]
#[case::wrong("the client", Some("wrong"))]
#[case::empty("the client", Some(""))]
#[case::none("the client", None)]
#[case::another_client("another", Some(SECRET))]
#[tokio::test]
async fn an_unauthenticated_client_is_refused(#[case] client: &str, #[case] secret: Option<&str>) {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let basic = by_basic(provider.exchange(&code, &[]), client, secret);
    let posted = [("client_id", Some(client)), ("client_secret", secret)];
    for exchange in [
        basic,
        provider.exchange(&code, &posted),
        provider.exchange(&code, &[]),
    ] {
        let answer = exchange.send().await.unwrap();
        assert_eq!(answer.status(), 401);
        assert!(answer.headers().contains_key("www-authenticate"));
        assert_eq!(body(answer).await["error"], "invalid_client");
    }
    // The code is still valid for the client itself.
    let answer = provider.redeem(&code, &[]).send().await.unwrap();
    assert_eq!(answer.status(), 200);
}

#[tokio::test]
async fn a_client_uses_one_authentication_method() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    for posted in [&POSTED[..], &[("client_id", Some("another"))]] {
        let exchange = by_basic(provider.exchange(&code, posted), CLIENT, Some(SECRET));
        let answer = exchange.send().await.unwrap();
        assert_eq!(answer.status(), 400);
        assert_eq!(body(answer).await["error"], "invalid_request");
    }
}

#[tokio::test]
async fn a_public_client_has_no_secret() {
    let provider = Provider::start_with_secret(None).await;
    let code = provider.code("demo-member").await;
    for (posted, status) in [(&POSTED[..], 401), (&POSTED[..1], 200)] {
        let answer = provider.exchange(&code, posted).send().await.unwrap();
        assert_eq!(answer.status(), status);
    }
    let document = provider.json("/.well-known/openid-configuration").await;
    let methods = &document["token_endpoint_auth_methods_supported"];
    assert_eq!(*methods, json!(["none"]));
}

#[rstest]
#[case::no_grant("grant_type", None, "invalid_request")]
#[case::another_grant("grant_type", Some("password"), "unsupported_grant_type")]
#[case::no_code("code", None, "invalid_request")]
#[case::another_code("code", Some("another"), "invalid_grant")]
#[case::no_address("redirect_uri", None, "invalid_grant")]
#[case::another_address("redirect_uri", Some("http://127.0.0.1:9/callback"), "invalid_grant")]
#[case::no_verifier("code_verifier", None, "invalid_grant")]
#[case::another_verifier("code_verifier", Some("another"), "invalid_grant")]
#[case::the_challenge("code_verifier", Some(CHALLENGE), "invalid_grant")]
#[tokio::test]
async fn a_code_needs_all_parameters_of_its_request(
    #[case] name: &str,
    #[case] value: Option<&str>,
    #[case] error: &str,
) {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let exchange = provider.redeem(&code, &[(name, value)]);
    let answer = exchange.send().await.unwrap();
    assert_eq!(answer.status(), 400);
    assert_eq!(body(answer).await["error"], error);
}

#[tokio::test]
async fn a_code_is_redeemed_once() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let race = [(); 8].map(|()| provider.redeem(&code, &[]).send());
    let answers = futures::future::join_all(race).await.into_iter();
    let statuses = answers.map(|answer| answer.unwrap().status());
    assert_eq!(statuses.filter(|status| *status == 200).count(), 1);
}

#[tokio::test]
async fn a_wrong_verifier_spends_the_code() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    for changes in [&[("code_verifier", Some("wrong"))][..], &[]] {
        let answer = provider.redeem(&code, changes).send().await.unwrap();
        assert_eq!(answer.status(), 400);
    }
}

#[tokio::test]
async fn a_code_lives_a_minute() {
    let provider = Provider::start().await;
    let young = provider.code("demo-member").await;
    let old = provider.code("demo-member").await;
    for (code, millis, status) in [(young, 59_999, 200), (old, 1, 400)] {
        provider.advance(TimeDelta::milliseconds(millis));
        let answer = provider.redeem(&code, &[]).send().await.unwrap();
        assert_eq!(answer.status(), status);
    }
}

#[tokio::test]
async fn a_repeated_parameter_and_a_large_body_are_refused() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let form = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code", &code),
        ("client_id", CLIENT),
        ("client_secret", SECRET),
    ];
    let answer = provider.post("/token").form(&form).send().await.unwrap();
    assert_eq!(body(answer).await["error"], "invalid_request");
    let large = provider.post("/token").body("a".repeat(20_000));
    assert_eq!(large.send().await.unwrap().status(), 413);
}
