//! Authorization requests and the sign-in page.

use reqwest::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use rstest::rstest;

use crate::identity::support::{CLIENT, Provider, REDIRECT, SIGNED_OUT, redirect_parameters};

#[tokio::test]
async fn the_page_has_a_button_per_person_and_a_notice() {
    let provider = Provider::start().await;
    let answer = provider.sign_in_page().await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    assert_eq!(answer.headers()["referrer-policy"], "no-referrer");
    let page = answer.text().await.unwrap();
    for text in [
        "Ana Demo <span class=\"role\">(miembro)",
        "Admin Demo <span class=\"role\">(administradora)",
        "name=\"person\" value=\"demo-member\"",
        "name=\"person\" value=\"demo-admin\"",
        "Solo para desarrollo: aquí entra cualquiera",
        "For development only: this page signs anybody in",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[tokio::test]
async fn nothing_of_the_page_is_inline_or_from_elsewhere() {
    let provider = Provider::start().await;
    let answer = provider.sign_in_page().await;
    assert_eq!(
        answer.headers()[CONTENT_SECURITY_POLICY],
        "default-src 'none'; style-src 'self'; form-action 'self' http://127.0.0.1:9; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    let page = answer.text().await.unwrap();
    assert!(!page.contains("<script") && !page.contains("style=") && !page.contains("://"));
    // Input of the client is escaped.
    assert!(page.contains("state=s%26%3C%22%27%3E&amp;"), "{page}");
    let style = provider.get("/style.css").await;
    assert_eq!(style.headers()[CONTENT_TYPE], "text/css; charset=utf-8");
    assert!(
        style
            .text()
            .await
            .unwrap()
            .contains("prefers-color-scheme: dark")
    );
}

#[tokio::test]
async fn signing_in_redirects_with_a_code() {
    let provider = Provider::start().await;
    let address = provider.request_url("/sign-in", &[]);
    let press = provider
        .client
        .post(address)
        .form(&[("person", "demo-admin")]);
    let mut told = redirect_parameters(&press.send().await.unwrap());
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
    let provider = Provider::start().await;
    let page = provider
        .client
        .get(provider.request_url("/authorize", changes));
    let press = provider
        .client
        .post(provider.request_url("/sign-in", changes));
    for request in [page, press.form(&[("person", "demo-member")])] {
        let answer = request.send().await.unwrap();
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
    let provider = Provider::start().await;
    let page = provider
        .client
        .get(provider.request_url("/authorize", changes));
    let press = provider
        .client
        .post(provider.request_url("/sign-in", changes));
    for request in [page, press.form(&[("person", "demo-member")])] {
        let told = redirect_parameters(&request.send().await.unwrap());
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
    let answer = twice("nonce", "n").await.unwrap();
    assert_eq!(redirect_parameters(&answer)["error"], "invalid_request");
    let answer = twice("state", "other").await.unwrap();
    let told = redirect_parameters(&answer);
    assert_eq!(told["error"], "invalid_request");
    assert!(!told.contains_key("state"));
    assert_eq!(twice("redirect_uri", REDIRECT).await.unwrap().status(), 400);
    assert_eq!(twice("client_id", CLIENT).await.unwrap().status(), 400);
}

#[tokio::test]
async fn an_unknown_person_cannot_sign_in() {
    let provider = Provider::start().await;
    for form in [
        vec![("person", "somebody")],
        vec![],
        vec![("person", "demo-admin"); 2],
    ] {
        let press = provider.client.post(provider.request_url("/sign-in", &[]));
        let answer = press.form(&form).send().await.unwrap();
        assert_eq!(answer.status(), 400);
    }
}

#[tokio::test]
async fn signing_in_needs_post() {
    let provider = Provider::start().await;
    let mut address = provider.request_url("/sign-in", &[]);
    address
        .query_pairs_mut()
        .append_pair("person", "demo-admin");
    assert_eq!(
        provider.client.get(address).send().await.unwrap().status(),
        405
    );
}
