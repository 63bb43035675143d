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
    let response = harness.send(session(method, "/thing", headers)).await;
    assert_eq!(response.status(), status);
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
#[case::json_with_a_parameter("application/json; version=1")]
#[case::another_charset("application/json; charset=latin1")]
#[case::nearly_json("application/jsonp")]
#[case::json_of_a_problem("application/problem+json")]
#[case::two_types("application/json, text/plain")]
#[tokio::test]
async fn only_exactly_json_is_json(#[case] media_type: &str) {
    let harness = Harness::new();
    let request = session("PATCH", "/thing", &[("content-type", media_type)]);
    assert_eq!(harness.send(request).await.status(), 415);
    assert_eq!(harness.reached(), 0);
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
    let status = async |headers: &[(&str, &str)]| {
        harness
            .send(request("POST", "/thing", headers))
            .await
            .status()
            .as_u16()
    };
    let cookie = format!("__Host-cep_session={TOKEN}");
    harness.set_provider(Provider::Down);
    assert_eq!(
        status(&[("origin", "null"), ("cookie", &cookie)]).await,
        403
    );
    assert_eq!(status(&[("cookie", &cookie)]).await, 415);
    assert_eq!(status(&[JSON, ("cookie", &cookie)]).await, 503);
    assert_eq!(status(&[JSON]).await, 401);
    harness.set_provider(Provider::Up);
    assert_eq!(status(&[JSON, ("cookie", &cookie)]).await, 200);
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
        let mut answers = Vec::new();
        for language in ["es", "en"] {
            let request = request(method, "/thing", &[header, ("accept-language", language)]);
            answers.push(transcript(harness.send(request).await).await);
        }
        insta::assert_snapshot!(name, answers.join("\n\n"));
    }
    assert_eq!(harness.reached(), 0);
}

#[tokio::test]
async fn a_method_that_is_not_there_is_told_to_people_alone() {
    let harness = Harness::new();
    let stranger = harness.send(request("DELETE", "/body", &[])).await;
    assert_eq!(stranger.status(), 401);
    let person = harness.send(session("DELETE", "/body", &[])).await;
    assert_eq!(person.status(), 405);
    assert_eq!(person.headers()["allow"], "GET,HEAD,POST");
}

#[tokio::test]
async fn a_session_that_sends_too_many_requests_is_told_to_wait() {
    let harness = Harness::new();
    for _ in 0..30 {
        let response = harness.send(session("GET", "/thing", &[])).await;
        assert_eq!(response.status(), 200);
    }
    let mut answers = Vec::new();
    for language in ["es", "en"] {
        let request = session("GET", "/thing", &[("accept-language", language)]);
        answers.push(transcript(harness.send(request).await).await);
    }
    insta::assert_snapshot!("too_many_requests", answers.join("\n\n"));
    assert_eq!(harness.reached(), 30);
}

#[rstest]
#[case::a_table("text/csv")]
#[case::a_table_with_a_charset("Text/CSV; charset=windows-1252")]
#[case::a_table_of_excel("application/vnd.ms-excel")]
#[case::json_lines("application/x-ndjson")]
#[case::a_zip_file("application/zip")]
#[case::any_file("application/octet-stream")]
#[case::json("application/json")]
#[tokio::test]
async fn routes_with_keys_take_files_from_a_person_too(#[case] media_type: &str) {
    let harness = Harness::new();
    let headers = [("content-type", media_type)];
    let person = session("POST", "/batch", &headers);
    assert_eq!(harness.send(person).await.status(), 200);
    let elsewhere = session("POST", "/thing", &headers);
    let expected = if media_type == "application/json" {
        200
    } else {
        415
    };
    assert_eq!(harness.send(elsewhere).await.status(), expected);
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
    let response = harness.send(session("POST", "/batch", headers)).await;
    assert_eq!(response.status(), 415);
    assert_eq!(harness.reached(), 0);
}

#[tokio::test]
async fn routes_with_keys_are_guarded_unless_there_is_a_key() {
    let harness = Harness::new();
    let foreign = ("origin", "https://evil.example");
    let csv = ("content-type", "text/csv");
    let person = harness.send(session("POST", "/batch", &[csv, foreign]));
    assert_eq!(person.await.status(), 403);
    let nobody = harness.send(request("POST", "/batch", &[csv])).await;
    assert_eq!(nobody.status(), 401);
    assert_eq!(harness.reached(), 0);
    let machine = request("POST", "/batch", &[foreign, ("x-api-key", "any")]);
    assert_eq!(harness.send(machine).await.status(), 200);
}
