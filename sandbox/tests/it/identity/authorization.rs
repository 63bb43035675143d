//! Authorization requests and the sign-in page.

use reqwest::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use rstest::rstest;

use crate::identity::support::{CLIENT, Provider, REDIRECT, SIGNED_OUT, redirect_parameters};

#[tokio::test]
async fn the_page_has_a_button_per_person_a_notice_and_nothing_inline_or_from_elsewhere() {
    let provider = Provider::start().await;
    let [answer, _] = provider.opened_and_pressed(&[]).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    assert_eq!(answer.headers()["referrer-policy"], "no-referrer");
    assert_eq!(
        answer.headers()[CONTENT_SECURITY_POLICY],
        "default-src 'none'; style-src 'self'; form-action 'self' http://127.0.0.1:9; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    let page = answer.text().await.unwrap();
    for text in [
        "Ana Demo <span class=\"role\">(miembro)",
        "Admin Demo <span class=\"role\">(administradora)",
        "name=\"person\" value=\"demo-member\"",
        "name=\"person\" value=\"demo-admin\"",
        "Solo para desarrollo: aquí entra cualquiera",
        "For development only: this page signs anybody in",
        // Input of the client is escaped.
        "state=s%26%3C%22%27%3E&amp;",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    assert!(!page.contains("<script") && !page.contains("style=") && !page.contains("://"));
    let style = provider.get("/style.css").await;
    assert_eq!(style.headers()[CONTENT_TYPE], "text/css; charset=utf-8");
    let style = style.text().await.unwrap();
    assert!(style.contains("prefers-color-scheme: dark"));
}

#[tokio::test]
async fn signing_in_redirects_with_a_code() {
    let provider = Provider::start().await;
    let [_, pressed] = provider.opened_and_pressed(&[]).await;
    let mut told = redirect_parameters(&pressed);
    assert_eq!(told.remove("code").unwrap().len(), 43);
    assert_eq!(told.remove("state").unwrap(), "s&<\"'>");
    assert_eq!(told.remove("iss").unwrap(), provider.issuer());
    // The query of the registered address stays.
    assert_eq!(told.remove("a").unwrap(), "b");
    assert!(told.is_empty(), "{told:?}");
}

#[rstest]
#[case::no_client(&[("client_id", None)])]
#[case::another_client(&[("client_id", Some("another"))])]
#[case::no_address(&[("redirect_uri", None)])]
#[case::another_address(&[("redirect_uri", Some("http://127.0.0.1:9/other"))])]
#[case::an_address_below(&[("redirect_uri", Some("http://127.0.0.1:9/callback?a=b/.."))])]
#[case::an_address_with_more(&[("redirect_uri", Some("http://127.0.0.1:9/callback?a=b&c=d"))])]
#[case::the_address_without_its_query(&[("redirect_uri", Some("http://127.0.0.1:9/callback"))])]
#[case::the_way_out(&[("redirect_uri", Some(SIGNED_OUT))])]
#[case::a_script(&[("redirect_uri", Some("javascript:alert(1)"))])]
#[tokio::test]
async fn an_invalid_client_or_redirect_uri_is_no_redirect(
    #[case] changes: &[(&str, Option<&str>)],
) {
    for answer in Provider::start().await.opened_and_pressed(changes).await {
        assert_eq!(answer.status(), 400);
        assert!(!answer.headers().contains_key("location"));
        assert!(answer.text().await.unwrap().contains("Petición rechazada"));
    }
}

#[rstest]
#[case::implicit(&[("response_type", Some("token"))], "unsupported_response_type")]
#[case::hybrid(&[("response_type", Some("code id_token"))], "unsupported_response_type")]
#[case::no_type(&[("response_type", None)], "unsupported_response_type")]
#[case::a_fragment(&[("response_mode", Some("fragment"))], "invalid_request")]
#[case::a_form(&[("response_mode", Some("form_post"))], "invalid_request")]
#[case::not_open_id(&[("scope", Some("profile"))], "invalid_scope")]
#[case::no_scope(&[("scope", None)], "invalid_scope")]
#[case::no_challenge(&[("code_challenge", None)], "invalid_request")]
#[case::a_short_challenge(&[("code_challenge", Some("short"))], "invalid_request")]
#[case::a_challenge_of_other_letters(&[("code_challenge", Some("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM"))], "invalid_request")]
#[case::a_plain_challenge(&[("code_challenge_method", Some("plain"))], "invalid_request")]
#[case::no_method(&[("code_challenge_method", None)], "invalid_request")]
#[case::silently(&[("prompt", Some("none"))], "login_required")]
#[case::a_request_object(&[("request", Some("e30.e30."))], "request_not_supported")]
#[case::a_request_elsewhere(&[("request_uri", Some("http://127.0.0.1:9/"))], "request_uri_not_supported")]
#[tokio::test]
async fn an_invalid_request_is_an_error_at_the_client(
    #[case] changes: &[(&str, Option<&str>)],
    #[case] code: &str,
) {
    for answer in Provider::start().await.opened_and_pressed(changes).await {
        let told = redirect_parameters(&answer);
        assert_eq!(told["error"], code);
        assert_eq!(told["state"], "s&<\"'>");
        assert!(!told.contains_key("code"));
    }
}

#[tokio::test]
async fn a_repeated_parameter_is_refused() {
    let provider = Provider::start().await;
    let twice = |name: &str, value: &str| {
        let mut address = provider.request_url("/authorize", &[]);
        address.query_pairs_mut().append_pair(name, value);
        provider.client.get(address).send()
    };
    for (name, value, has_state) in [("nonce", "n", true), ("state", "other", false)] {
        let told = redirect_parameters(&twice(name, value).await.unwrap());
        assert_eq!(told["error"], "invalid_request");
        assert_eq!(told.contains_key("state"), has_state);
    }
    for (name, value) in [("redirect_uri", REDIRECT), ("client_id", CLIENT)] {
        assert_eq!(twice(name, value).await.unwrap().status(), 400);
    }
}

#[tokio::test]
async fn an_unknown_person_cannot_sign_in_nor_anybody_without_post() {
    let provider = Provider::start().await;
    let address = provider.request_url("/sign-in", &[]);
    let admin = ("person", "demo-admin");
    for form in [vec![("person", "somebody")], vec![], vec![admin; 2]] {
        let press = provider.client.post(address.clone()).form(&form);
        assert_eq!(press.send().await.unwrap().status(), 400);
    }
    let opened = provider.client.get(address).query(&[admin]);
    assert_eq!(opened.send().await.unwrap().status(), 405);
}
