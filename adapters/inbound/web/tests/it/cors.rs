//! Pages of other origins: refused, unless they are allowed.

use rstest::rstest;

use crate::harness::{ALLOWED, Harness, OURS, request, session, transcript};

fn preflight(origin: &'static str) -> [(&'static str, &'static str); 4] {
    [
        ("origin", origin),
        ("access-control-request-method", "DELETE"),
        ("access-control-request-headers", "content-type"),
        ("sec-fetch-site", "cross-site"),
    ]
}

#[tokio::test]
async fn an_allowed_page_may_ask_whether_it_may_ask() {
    let harness = Harness::new();
    let request = request("OPTIONS", "/thing", &preflight(ALLOWED));
    let response = harness.send(request).await;
    insta::assert_snapshot!("preflight_allowed", transcript(response).await);
    assert_eq!(harness.reached(), 0);
}

#[tokio::test]
async fn an_allowed_page_may_read_the_answer() {
    let request = session("GET", "/thing", &[("origin", ALLOWED)]);
    let response = Harness::new().send(request).await;
    insta::assert_snapshot!("shared", transcript(response).await);
}

#[rstest]
#[case::unauthenticated(request("GET", "/thing", &[("origin", ALLOWED)]), 401)]
#[case::no_json(session("POST", "/thing", &[("origin", ALLOWED)]), 415)]
#[case::panic(session("GET", "/panic", &[("origin", ALLOWED)]), 500)]
#[case::no_such_method(session("DELETE", "/body", &[("origin", ALLOWED)]), 405)]
#[tokio::test]
async fn an_allowed_page_may_read_why_it_was_refused(
    #[case] request: axum::extract::Request,
    #[case] status: u16,
) {
    let response = Harness::new().send(request).await;
    assert_eq!(response.status(), status);
    let headers = response.headers();
    assert_eq!(headers["access-control-allow-origin"], ALLOWED);
    assert_eq!(headers["access-control-allow-credentials"], "true");
    assert_eq!(headers["vary"], "origin");
}

#[rstest]
#[case::foreign(request("OPTIONS", "/thing", &preflight("https://evil.example")), 403)]
#[case::longer(request("OPTIONS", "/thing", &preflight("https://panel.example.evil.example")), 403)]
#[case::another_scheme(request("OPTIONS", "/thing", &preflight("http://panel.example")), 403)]
#[case::sandboxed(request("OPTIONS", "/thing", &preflight("null")), 403)]
#[case::foreign_with_a_session(session("GET", "/thing", &[("origin", "https://evil.example")]), 403)]
#[case::ours(session("GET", "/thing", &[("origin", OURS)]), 200)]
#[case::no_browser(session("GET", "/thing", &[]), 200)]
#[tokio::test]
async fn nobody_else_is_told_anything_of_sharing(
    #[case] request: axum::extract::Request,
    #[case] status: u16,
) {
    let response = Harness::new().send(request).await;
    assert_eq!(response.status(), status);
    let mut names = response.headers().keys();
    let is_told = names.any(|name| name.as_str().starts_with("access-control"));
    assert!(!is_told, "{response:?}");
    assert_eq!(response.headers()["vary"], "origin");
}

#[tokio::test]
async fn asking_for_methods_without_a_preflight_needs_a_session() {
    let harness = Harness::new();
    for headers in [&[("origin", ALLOWED)][..], &[]] {
        let request = request("OPTIONS", "/thing", headers);
        assert_eq!(harness.status(request).await, 401);
    }
}

#[tokio::test]
async fn where_nobody_is_allowed_answers_do_not_depend_on_the_origin() {
    let harness = Harness::with_allowed(&[]);
    let ours = session("GET", "/thing", &[("origin", OURS)]);
    let answer = transcript(harness.send(ours).await).await;
    insta::assert_snapshot!("not_shared", answer);
    let preflight = request("OPTIONS", "/thing", &preflight(ALLOWED));
    assert_eq!(harness.status(preflight).await, 403);
}
