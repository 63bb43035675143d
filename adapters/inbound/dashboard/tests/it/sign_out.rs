//! Sign-out.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, request};
use ports::outbound::TokenError;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::{ALLOWED, Harness, PROVIDER_SIGN_OUT, TLS, TOKEN, with_header};

const CLEARED: &str = "__Host-cep_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure";

fn logout() -> request::Builder {
    Request::post("/logout")
}

fn with_session(request: request::Builder) -> Request<Body> {
    let request = request.header("cookie", format!("__Host-cep_session={TOKEN}"));
    request.body(Body::empty()).unwrap()
}

/// A sign-out with these headers.
fn logout_with(sent: &[(&'static str, &str)]) -> Request<Body> {
    let request = with_session(logout());
    sent.iter().fold(request, |request, &(name, value)| {
        with_header(request, name, value)
    })
}

#[tokio::test]
async fn a_script_gets_the_url_at_which_the_provider_ends_its_session() {
    let harness = Harness::at(TLS);
    let request = logout().header("origin", TLS);
    let answer = harness.send(with_session(request)).await;
    assert_eq!(answer.status, 200);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body, json!({ "sign_out_url": PROVIDER_SIGN_OUT }));
    assert_eq!(answer.cookies(), [CLEARED]);
    assert_eq!(harness.identity.revoked(), [TOKEN]);
}

#[tokio::test]
async fn a_form_is_redirected_there() {
    let harness = Harness::at(TLS);
    let request = logout()
        .header("accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin");
    let answer = harness.send(with_session(request)).await;
    assert_eq!(answer.redirect(), (303, PROVIDER_SIGN_OUT));
    assert_eq!(answer.cookies(), [CLEARED]);
}

#[tokio::test]
async fn signing_out_twice_is_no_error() {
    let harness = Harness::at(TLS);
    for _ in 0..2 {
        assert_eq!(harness.send(with_session(logout())).await.status, 200);
    }
}

#[tokio::test]
async fn signing_out_without_a_session_is_no_error() {
    let harness = Harness::at(TLS);
    let answer = harness.send(logout().body(Body::empty()).unwrap()).await;
    let body = r#"{"sign_out_url":null}"#;
    assert_eq!((answer.status.as_u16(), &*answer.body), (200, body));
    assert_eq!(answer.cookies(), [CLEARED]);
    let request = logout().header("accept", "text/html");
    let answer = harness.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.redirect(), (303, "/dashboard"));
    assert!(harness.identity.revoked().is_empty());
}

#[rstest]
#[case::another_site(&[("origin", "https://evil.example")])]
#[case::a_sibling(&[("origin", "https://evil.cep.example")])]
#[case::without_tls(&[("origin", "http://cep.example")])]
#[case::nobody(&[("origin", "null")])]
#[case::two_origins(&[("origin", TLS), ("origin", TLS)])]
#[case::a_cross_site_page(&[("sec-fetch-site", "cross-site")])]
#[case::a_same_site_page(&[("sec-fetch-site", "same-site")])]
#[case::an_origin_that_isnt_the_page_s(&[("origin", TLS), ("sec-fetch-site", "cross-site")])]
#[tokio::test]
async fn a_cross_site_page_ends_no_session(#[case] sent: &[(&'static str, &str)]) {
    let harness = Harness::at(TLS);
    let answer = harness.send(logout_with(sent)).await;
    assert_eq!(answer.status, 403);
    assert!(answer.body.contains("cross_site"), "{}", answer.body);
    assert!(answer.cookies().is_empty());
    assert!(harness.identity.revoked().is_empty());
}

#[rstest]
#[case::our_page(&[("origin", TLS), ("sec-fetch-site", "same-origin")])]
#[case::an_allowed_page(&[("origin", ALLOWED), ("sec-fetch-site", "cross-site")])]
#[case::no_browser(&[])]
#[tokio::test]
async fn own_and_allowed_pages_and_other_clients_may_sign_out(
    #[case] sent: &[(&'static str, &str)],
) {
    let harness = Harness::at(TLS);
    assert_eq!(harness.send(logout_with(sent)).await.status, 200);
    assert_eq!(harness.identity.revoked(), [TOKEN]);
}

#[tokio::test]
async fn a_session_that_could_not_be_ended_is_kept() {
    let harness = Harness::at(TLS);
    let cause = Arc::new(std::io::Error::other("disk full"));
    let failure = TokenError::Unavailable(cause);
    harness.identity.fail_verifying_with(Some(failure));
    let answer = harness.send(with_session(logout())).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("retry-after"), "5");
    assert!(answer.cookies().is_empty());
    assert!(!answer.body.contains("disk"));
}

#[tokio::test]
async fn a_link_ends_no_session() {
    let harness = Harness::at(TLS);
    let answer = harness.send(with_session(Request::get("/logout"))).await;
    let allowed = answer.header("allow");
    assert_eq!((answer.status.as_u16(), allowed), (405, "POST"));
    assert!(harness.identity.revoked().is_empty());
}
