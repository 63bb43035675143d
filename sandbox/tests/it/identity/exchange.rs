//! Exchange of a code for tokens.

use chrono::TimeDelta;
use rstest::rstest;
use serde_json::{Value, json};

use crate::identity::support::{AUDIENCE, CLIENT, Provider, SECRET, body, part};

/// Credentials in the form.
const POSTED: [(&str, Option<&str>); 2] =
    [("client_id", Some(CLIENT)), ("client_secret", Some(SECRET))];

/// Form-encodes an id or a secret (RFC 6749, 2.3.1).
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
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
async fn without_a_nonce_there_is_none() {
    let provider = Provider::start().await;
    let code = provider.code_with("demo-member", &[("nonce", None)]).await;
    let tokens = body(provider.exchange(&code, &POSTED).send().await.unwrap()).await;
    assert_eq!(part(&tokens["id_token"], 1).get("nonce"), None);
}

#[tokio::test]
async fn tokens_are_not_cached() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let answer = provider.exchange(&code, &POSTED).send().await.unwrap();
    assert_eq!(answer.headers()["cache-control"], "no-store");
}

#[tokio::test]
async fn the_secret_may_be_sent_in_http_basic() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let exchange = provider.exchange(&code, &[]);
    let exchange = exchange.basic_auth(encoded(CLIENT), Some(encoded(SECRET)));
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
    let basic = provider.exchange(&code, &[]);
    let basic = basic.basic_auth(encoded(client), secret.map(encoded));
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
    let answer = provider.exchange(&code, &POSTED).send().await.unwrap();
    assert_eq!(answer.status(), 200);
}

#[tokio::test]
async fn a_client_uses_one_authentication_method() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let both = provider.exchange(&code, &POSTED);
    let both = both.basic_auth(encoded(CLIENT), Some(encoded(SECRET)));
    let two = provider.exchange(&code, &[("client_id", Some("another"))]);
    let two = two.basic_auth(encoded(CLIENT), Some(encoded(SECRET)));
    for exchange in [both, two] {
        let answer = exchange.send().await.unwrap();
        assert_eq!(answer.status(), 400);
        assert_eq!(body(answer).await["error"], "invalid_request");
    }
}

#[tokio::test]
async fn a_public_client_has_no_secret() {
    let provider = Provider::start_with_secret(None).await;
    let code = provider.code("demo-member").await;
    let answer = provider.exchange(&code, &POSTED).send().await.unwrap();
    assert_eq!(answer.status(), 401);
    let answer = provider.exchange(&code, &POSTED[..1]).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let document = provider.json("/.well-known/openid-configuration").await;
    assert_eq!(
        document["token_endpoint_auth_methods_supported"],
        json!(["none"])
    );
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
#[case::the_challenge(
    "code_verifier",
    Some(crate::identity::support::CHALLENGE),
    "invalid_grant"
)]
#[tokio::test]
async fn a_code_needs_all_parameters_of_its_request(
    #[case] name: &str,
    #[case] value: Option<&str>,
    #[case] error: &str,
) {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let [id, secret] = POSTED;
    let exchange = provider.exchange(&code, &[id, secret, (name, value)]);
    let answer = exchange.send().await.unwrap();
    assert_eq!(answer.status(), 400);
    assert_eq!(body(answer).await["error"], error);
}

#[tokio::test]
async fn a_code_is_redeemed_once() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let race = [(); 8].map(|()| provider.exchange(&code, &POSTED).send());
    let answers = futures::future::join_all(race).await;
    let redeemed = answers
        .into_iter()
        .filter(|answer| answer.as_ref().unwrap().status() == 200);
    assert_eq!(redeemed.count(), 1);
}

#[tokio::test]
async fn a_wrong_verifier_spends_the_code() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let [id, secret] = POSTED;
    let wrong = provider.exchange(&code, &[id, secret, ("code_verifier", Some("wrong"))]);
    assert_eq!(wrong.send().await.unwrap().status(), 400);
    let right = provider.exchange(&code, &POSTED).send().await.unwrap();
    assert_eq!(right.status(), 400);
}

#[tokio::test]
async fn a_code_lives_a_minute() {
    let provider = Provider::start().await;
    let (young, old) = (
        provider.code("demo-member").await,
        provider.code("demo-member").await,
    );
    provider.advance(TimeDelta::milliseconds(59_999));
    let answer = provider.exchange(&young, &POSTED).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    provider.advance(TimeDelta::milliseconds(1));
    let answer = provider.exchange(&old, &POSTED).send().await.unwrap();
    assert_eq!(answer.status(), 400);
}

#[tokio::test]
async fn a_repeated_parameter_is_refused() {
    let provider = Provider::start().await;
    let code = provider.code("demo-member").await;
    let form = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code", &code),
        ("client_id", CLIENT),
        ("client_secret", SECRET),
    ];
    let request = provider.client.post(format!("{}/token", provider.issuer()));
    let answer = request.form(&form).send().await.unwrap();
    assert_eq!(body(answer).await["error"], "invalid_request");
}

#[tokio::test]
async fn a_large_body_is_refused() {
    let provider = Provider::start().await;
    let request = provider.client.post(format!("{}/token", provider.issuer()));
    let answer = request.body("a".repeat(20_000)).send().await.unwrap();
    assert_eq!(answer.status(), 413);
}
