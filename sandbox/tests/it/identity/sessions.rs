//! User info, revocation and sign-out.

use chrono::TimeDelta;
use reqwest::Response;
use rstest::rstest;
use serde_json::{Value, json};

use crate::identity::support::{CLIENT, Provider, REDIRECT, SECRET, SIGNED_OUT, body};

async fn user_info(provider: &Provider, token: &Value) -> Response {
    let address = format!("{}/userinfo", provider.issuer());
    let request = provider.client.get(address);
    let request = request.bearer_auth(token.as_str().unwrap());
    request.send().await.unwrap()
}

async fn revoke(provider: &Provider, form: &[(&str, &str)]) -> u16 {
    let answer = provider.post("/revoke").form(form).send().await.unwrap();
    answer.status().as_u16()
}

#[tokio::test]
async fn user_info_identifies_the_person() {
    let provider = Provider::start().await;
    let tokens = provider.tokens("demo-admin").await;
    let answer = user_info(&provider, &tokens["access_token"]).await;
    let expected = json!({
        "sub": "demo-admin", "name": "Admin Demo", "preferred_username": "admin.demo",
        "roles": ["cep-admin"],
    });
    assert_eq!(body(answer).await, expected);
}

#[tokio::test]
async fn a_token_expires_after_an_hour() {
    let provider = Provider::start().await;
    let token = provider.access_token().await;
    for (seconds, status) in [(3599, 200), (1, 401)] {
        provider.advance(TimeDelta::seconds(seconds));
        assert_eq!(user_info(&provider, &token).await.status(), status);
    }
}

#[tokio::test]
async fn only_an_own_access_token_gets_user_info() {
    let provider = Provider::start().await;
    let id = provider.tokens("demo-member").await["id_token"].take();
    let other = Provider::start().await.access_token().await;
    for token in [id, other, json!("made-up")] {
        let answer = user_info(&provider, &token).await;
        assert_eq!(answer.status(), 401);
        assert!(answer.headers().contains_key("www-authenticate"));
    }
    assert_eq!(provider.get("/userinfo").await.status(), 401);
}

#[tokio::test]
async fn a_revoked_token_is_invalid_and_others_are_not() {
    let provider = Provider::start().await;
    let token = provider.access_token().await;
    let other = provider.access_token().await;
    let client = [("client_id", CLIENT), ("client_secret", SECRET)];
    let form = [&client[..], &[("token", token.as_str().unwrap())]].concat();
    assert_eq!(revoke(&provider, &form[1..]).await, 401);
    assert_eq!(user_info(&provider, &token).await.status(), 200);
    assert_eq!(revoke(&provider, &form).await, 200);
    assert_eq!(user_info(&provider, &token).await.status(), 401);
    assert_eq!(user_info(&provider, &other).await.status(), 200);
    // Again, and an invalid token: both count as revoked (RFC 7009, 2.2).
    assert_eq!(revoke(&provider, &form).await, 200);
    let form = [&client[..], &[("token", "made-up")]].concat();
    assert_eq!(revoke(&provider, &form).await, 200);
    assert_eq!(revoke(&provider, &client).await, 400);
}

async fn sign_out(provider: &Provider, query: &[(&str, &str)]) -> Response {
    let address = format!("{}/end-session", provider.issuer());
    let request = provider.client.get(address).query(query);
    request.send().await.unwrap()
}

#[tokio::test]
async fn signing_out_redirects_to_the_client() {
    let provider = Provider::start().await;
    let tokens = provider.tokens("demo-member").await;
    let back = ("post_logout_redirect_uri", SIGNED_OUT);
    let by_name = [("client_id", CLIENT), back, ("state", "s t")];
    let answer = sign_out(&provider, &by_name).await;
    assert_eq!(answer.status(), 303);
    let location = format!("{SIGNED_OUT}/?state=s+t");
    assert_eq!(answer.headers()["location"], location);
    let hint = tokens["id_token"].as_str().unwrap();
    let answer = sign_out(&provider, &[("id_token_hint", hint), back]).await;
    assert_eq!(answer.headers()["location"], format!("{SIGNED_OUT}/"));
}

#[rstest]
#[case::another_place(&[("client_id", CLIENT), ("post_logout_redirect_uri", "http://127.0.0.1:9/other")])]
#[case::the_callback(&[("client_id", CLIENT), ("post_logout_redirect_uri", REDIRECT)])]
#[case::nobody(&[("post_logout_redirect_uri", SIGNED_OUT)])]
#[case::another_client(&[("client_id", "another"), ("post_logout_redirect_uri", SIGNED_OUT)])]
#[case::a_made_up_hint(&[("id_token_hint", "e30.e30.AA"), ("post_logout_redirect_uri", SIGNED_OUT)])]
#[tokio::test]
async fn an_unregistered_redirect_is_refused(#[case] query: &[(&str, &str)]) {
    let answer = sign_out(&Provider::start().await, query).await;
    assert_eq!(answer.status(), 400);
    assert!(!answer.headers().contains_key("location"));
}

#[tokio::test]
async fn signing_out_without_a_redirect_shows_a_page() {
    let answer = sign_out(&Provider::start().await, &[]).await;
    assert_eq!(answer.status(), 200);
    assert!(answer.text().await.unwrap().contains("Sesión cerrada"));
}
