//! The guard's decisions, and their order.

use rstest::rstest;

use crate::harness::{ALLOWED, Harness, OURS, Provider, TOKEN, request, session, transcript};

const JSON: (&str, &str) = ("content-type", "application/json");

/// Requests that another site can have a browser send with the person's cookie. The GET
/// is refused by routes that change something: they have none.
#[rstest]
#[case::plain_text("POST", &[("content-type", "text/plain")], 415)]
#[case::form("POST", &[("content-type", "application/x-www-form-urlencoded")], 415)]
#[case::no_type("POST", &[], 415)]
#[case::multipart("POST", &[("content-type", "multipart/form-data; boundary=x")], 415)]
#[case::get("GET", &[("sec-fetch-site", "cross-site")], 403)]
#[case::foreign_origin("POST", &[JSON, ("origin", "https://evil.example")], 403)]
#[case::sibling_subdomain("POST", &[JSON, ("origin", "https://x.cep.example"), ("sec-fetch-site", "same-site")], 403)]
#[tokio::test]
async fn a_forged_request_has_no_effect(
    #[case] method: &str,
    #[case] headers: &[(&str, &str)],
    #[case] status: u16,
) {
    let harness = Harness::new();
    let request = session(method, "/thing", headers);
    assert_eq!(harness.status(request).await, status);
    assert_eq!(harness.reached(), 0);
}

#[rstest]
#[case::json("POST", &[JSON])]
#[case::json_in_utf_8("PUT", &[("content-type", "application/json; charset=utf-8")])]
#[case::patch("PATCH", &[JSON])]
#[case::deleting_needs_no_type("DELETE", &[])]
#[case::reading_needs_no_type("GET", &[])]
#[case::our_page("POST", &[JSON, ("origin", OURS), ("sec-fetch-site", "same-origin")])]
#[case::typed_address("GET", &[("sec-fetch-site", "none")])]
#[case::allowed_page("DELETE", &[("origin", ALLOWED), ("sec-fetch-site", "cross-site")])]
#[case::other_credentials_beside("GET", &[("authorization", "Bearer x"), ("x-api-key", "x")])]
#[tokio::test]
async fn a_person_gets_in(#[case] method: &str, #[case] headers: &[(&str, &str)]) {
    let harness = Harness::new();
    let response = harness.send(session(method, "/thing", headers)).await;
    assert_eq!(response.status(), 200);
    let text = transcript(response).await;
    assert!(text.ends_with("somebody in test-1"), "{text}");
    assert_eq!(harness.reached(), 1);
}

#[rstest]
#[case::no_cookie(&[])]
#[case::a_bad_token(&[("cookie", "__Host-cep_session=x")])]
#[case::an_empty_cookie(&[("cookie", "__Host-cep_session=")])]
#[case::twice(&[("cookie", "__Host-cep_session=a-good-token; __Host-cep_session=a-good-token")])]
#[case::in_two_headers(&[("cookie", "__Host-cep_session=a-good-token"), ("cookie", "__Host-cep_session=a-good-token")])]
#[case::without_the_prefix(&[("cookie", "cep_session=a-good-token")])]
#[case::as_a_bearer(&[("authorization", "Bearer a-good-token")])]
#[case::as_a_key(&[("x-api-key", "a-good-token")])]
#[tokio::test]
async fn without_the_one_cookie_nobody_gets_in(#[case] headers: &[(&str, &str)]) {
    let harness = Harness::new();
    let answer = transcript(harness.send(request("GET", "/thing", headers)).await).await;
    insta::assert_snapshot!("unauthenticated", answer);
    assert_eq!(harness.reached(), 0);
}

/// The guard refuses in one order, so that a foreign page learns nothing of the rest.
#[tokio::test]
async fn the_guard_looks_at_the_page_then_at_the_body_then_at_the_session() {
    let harness = Harness::new();
    let status = |request| harness.status(request);
    let person = |headers: &[(&str, &str)]| session("POST", "/thing", headers);
    harness.set_provider(Provider::Down);
    assert_eq!(status(person(&[("origin", "null")])).await, 403);
    assert_eq!(status(person(&[])).await, 415);
    assert_eq!(status(person(&[JSON])).await, 503);
    assert_eq!(status(request("POST", "/thing", &[JSON])).await, 401);
    harness.set_provider(Provider::Up);
    assert_eq!(status(person(&[JSON])).await, 200);
    assert_eq!(harness.reached(), 1);
}

#[tokio::test]
async fn every_refusal_speaks_both_languages() {
    let harness = Harness::new();
    harness.set_provider(Provider::Down);
    let cookie = format!("__Host-cep_session={TOKEN}");
    for (name, method, header) in [
        ("cross_site", "GET", ("sec-fetch-site", "same-site")),
        ("media_type", "POST", ("content-type", "text/plain")),
        ("unavailable", "GET", ("cookie", cookie.as_str())),
    ] {
        let request = |language| request(method, "/thing", &[header, language]);
        insta::assert_snapshot!(name, harness.in_both_languages(request).await);
    }
    assert_eq!(harness.reached(), 0);
}

#[tokio::test]
async fn a_method_that_is_not_there_is_told_to_people_alone() {
    let harness = Harness::new();
    let stranger = request("DELETE", "/body", &[]);
    assert_eq!(harness.status(stranger).await, 401);
    let person = harness.send(session("DELETE", "/body", &[])).await;
    assert_eq!(person.status(), 405);
    assert_eq!(person.headers()["allow"], "GET,HEAD,POST");
}

#[tokio::test]
async fn a_session_that_sends_too_many_requests_is_told_to_wait() {
    let harness = Harness::new();
    for _ in 0..30 {
        assert_eq!(harness.status(session("GET", "/thing", &[])).await, 200);
    }
    let request = |language| session("GET", "/thing", &[language]);
    let answers = harness.in_both_languages(request).await;
    insta::assert_snapshot!("too_many_requests", answers);
    assert_eq!(harness.reached(), 30);
}

#[tokio::test]
async fn routes_with_keys_take_files_from_a_person_too() {
    let harness = Harness::new();
    for (media_type, elsewhere) in [
        ("text/csv", 415),
        ("Text/CSV; charset=windows-1252", 415),
        ("application/vnd.ms-excel", 415),
        ("application/x-ndjson", 415),
        ("application/zip", 415),
        ("application/octet-stream", 415),
        ("application/json", 200),
    ] {
        for (path, status) in [("/batch", 200), ("/thing", elsewhere)] {
            let request = session("POST", path, &[("content-type", media_type)]);
            assert_eq!(harness.status(request).await, status, "{path} {media_type}");
        }
    }
}

/// Requests that a form of another site can send, as far as a browser lets it choose (Fetch, "CORS-safelisted
/// request-header").
#[rstest]
#[case::no_type(&[])]
#[case::plain_text(&[("content-type", "text/plain")])]
#[case::with_a_parameter(&[("content-type", "text/plain; charset=text/csv")])]
#[case::form(&[("content-type", "application/x-www-form-urlencoded")])]
#[case::multipart(&[("content-type", "multipart/form-data; boundary=text/csv")])]
#[case::two_types(&[("content-type", "text/csv, text/plain")])]
#[case::twice(&[("content-type", "text/csv"), ("content-type", "text/plain")])]
#[tokio::test]
async fn no_form_reaches_routes_with_keys(#[case] headers: &[(&str, &str)]) {
    let harness = Harness::new();
    let request = session("POST", "/batch", headers);
    assert_eq!(harness.status(request).await, 415);
    assert_eq!(harness.reached(), 0);
}

#[rstest]
#[case::our_page(OURS, 200)]
#[case::allowed_page(ALLOWED, 200)]
#[case::another_site("https://evil.example", 403)]
#[case::sandboxed_frame("null", 403)]
#[tokio::test]
async fn a_form_reaches_routes_with_keys_from_a_page_that_tells_its_origin(
    #[case] origin: &str,
    #[case] status: u16,
) {
    let harness = Harness::new();
    let form = ("content-type", "multipart/form-data; boundary=x");
    let request = session("POST", "/batch", &[form, ("origin", origin)]);
    assert_eq!(harness.status(request).await, status);
    let elsewhere = session("POST", "/thing", &[form, ("origin", OURS)]);
    assert_eq!(harness.status(elsewhere).await, 415);
}

#[tokio::test]
async fn routes_with_keys_are_guarded_unless_there_is_a_key() {
    let harness = Harness::new();
    let foreign = ("origin", "https://evil.example");
    let csv = ("content-type", "text/csv");
    let person = session("POST", "/batch", &[csv, foreign]);
    assert_eq!(harness.status(person).await, 403);
    let nobody = request("POST", "/batch", &[csv]);
    assert_eq!(harness.status(nobody).await, 401);
    assert_eq!(harness.reached(), 0);
    let machine = request("POST", "/batch", &[foreign, ("x-api-key", "any")]);
    assert_eq!(harness.status(machine).await, 200);
}
