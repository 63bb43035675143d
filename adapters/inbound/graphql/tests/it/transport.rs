//! HTTP: methods, media types, sizes, sessions and cross-site requests.

use axum::body::Body;
use axum::http::Method;
use insta::assert_json_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::{Answer, Harness, post, with_header};

const QUERY: &str = r#"{"query":"{ viewer { role account { id } } }"}"#;
const MUTATION: &str = r#"{"query":"mutation { createKey(input: {name: \"x\"}) { secret } }"}"#;

/// Asserts that no port was called.
fn assert_untouched(harness: &Harness) {
    assert!(harness.calls().is_empty());
}

/// The tests of `web` have the other media types.
#[rstest]
#[case(Some("text/plain"))]
#[case(Some("application/graphql"))]
#[case(Some("application/graphql+json"))]
#[case(None)]
#[tokio::test]
async fn a_body_that_is_not_declared_as_json_has_no_effect(#[case] media_type: Option<&str>) {
    let harness = Harness::new().await;
    let mut request = post("member", MUTATION);
    request.headers_mut().remove("content-type");
    if let Some(media_type) = media_type {
        request = with_header(request, "content-type", media_type);
    }
    assert_eq!(harness.send(request).await.status, 415);
    assert_untouched(&harness);
}

#[rstest]
#[case(Method::GET)]
#[case(Method::HEAD)]
#[case(Method::DELETE)]
#[case(Method::PUT)]
#[tokio::test]
async fn another_method_has_no_effect(#[case] method: Method) {
    let harness = Harness::new().await;
    let mut request = post("member", MUTATION);
    *request.uri_mut() =
        "/graphql?query=mutation%7BcreateKey(input:%7Bname:%22x%22%7D)%7Bsecret%7D%7D"
            .parse()
            .unwrap();
    let is_get = method == Method::GET;
    *request.method_mut() = method;
    let answer = harness.send(request).await;
    assert_eq!(answer.status, 405);
    assert_eq!(answer.headers["allow"], "POST");
    if is_get {
        assert_json_snapshot!("not_a_post", answer.json());
    }
    assert_untouched(&harness);
}

#[tokio::test]
async fn without_a_session_nothing_is_served() {
    let harness = Harness::new().await;
    for cookie in [
        "",
        "cep_session=forged",
        "cep_session=member; cep_session=admin",
    ] {
        let request = with_header(post("member", QUERY), "cookie", cookie);
        let answer = harness.send(request).await;
        assert_eq!(answer.status, 401);
        assert_eq!(answer.json()["error"], "UNAUTHENTICATED");
    }
    assert_untouched(&harness);
}

#[rstest]
#[case("origin", "http://127.0.0.1:8081")]
#[case("sec-fetch-site", "same-site")]
#[tokio::test]
async fn a_cross_site_request_has_no_effect(#[case] name: &'static str, #[case] value: &str) {
    let harness = Harness::new().await;
    let request = with_header(post("member", MUTATION), name, value);
    assert_eq!(harness.send(request).await.status, 403);
    assert_untouched(&harness);
}

#[tokio::test]
async fn a_key_or_a_bearer_token_is_no_session_here() {
    let harness = Harness::new().await;
    let mut request = post("member", QUERY);
    request.headers_mut().remove("cookie");
    let request = with_header(request, "authorization", "Bearer member");
    let api_key = "cep_live_AbCd1234.000000000000000000000000";
    let request = with_header(request, "x-api-key", api_key);
    assert_eq!(harness.send(request).await.status, 401);
    assert_untouched(&harness);
}

#[tokio::test]
async fn a_body_of_65_kib_is_too_large() {
    let harness = Harness::new().await;
    let padded = |bytes: usize| format!("{QUERY}{}", " ".repeat(bytes - QUERY.len()));
    let answer = harness.send(post("member", padded(64 * 1024))).await;
    assert_eq!(answer.status, 200);
    harness.services.store.faults().forget_calls();

    let answer = harness.send(post("member", padded(65 * 1024))).await;
    assert_eq!(answer.status, 413);
    assert_json_snapshot!("too_large", answer.json());
    let pieces = (0..65).map(|_| Ok::<_, std::io::Error>(" ".repeat(1024)));
    let unannounced = Body::from_stream(futures::stream::iter(pieces));
    assert_eq!(harness.send(post("member", unannounced)).await.status, 413);
    assert_untouched(&harness);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_never_ends_is_timed_out() {
    let harness = Harness::new().await;
    let body = Body::from_stream(futures::stream::pending::<std::io::Result<String>>());
    let answer = harness.send(post("member", body)).await;
    answer.assert_error(503, "TIMEOUT");
    assert_eq!(answer.headers["connection"], "close");
    assert_untouched(&harness);
}

#[tokio::test]
async fn a_response_is_json_that_is_neither_cached_nor_framed() {
    let mut request = post("member", QUERY);
    request.headers_mut().remove("accept");
    let answer = Harness::new().await.send(request).await;
    for (name, value) in [
        ("content-type", "application/json"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-request-id", "test-1"),
        (
            "content-security-policy",
            "default-src 'none'; frame-ancestors 'none'",
        ),
    ] {
        assert_eq!(answer.headers[name], value, "{name}");
    }
    let mut names = answer.headers.keys();
    assert!(names.all(|name| !name.as_str().starts_with("access-control")));
}

#[rstest]
#[case("batch", &format!("[{QUERY},{QUERY}]"))]
#[case("batch_of_one", &format!("[{QUERY}]"))]
#[case("empty", "")]
#[case("malformed", "{\"query\": \"{ viewer { role } }\"")]
#[case("no_query", "{\"variables\": {}}")]
#[case("form", "query={viewer{role}}")]
#[case(
    "misspelt_variables",
    r#"{"query":"{ viewer { role } }","variabels":{}}"#
)]
#[case(
    "operation_name_in_another_case",
    r#"{"query":"query A { viewer { role } }","operationname":"A"}"#
)]
#[tokio::test]
async fn a_body_that_holds_no_request_is_refused(#[case] name: &str, #[case] body: &str) {
    let harness = Harness::new().await;
    let answer = harness.send(post("member", body.to_owned())).await;
    assert_eq!(answer.status, 400);
    assert_json_snapshot!(format!("body_{name}"), answer.json());
    assert_untouched(&harness);
}

#[tokio::test]
async fn a_member_that_a_later_edition_may_add_is_passed_over() {
    let harness = Harness::new().await;
    let body = r#"{"query":"{ viewer { role } }","documentId":"x","Query":"{ x }"}"#;
    let answer = harness.send(post("member", body.to_owned())).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["errors"], Value::Null);
}

const GRAPHQL_RESPONSE: &str = "application/graphql-response+json";
const JSON: &str = "application/json";

/// Well-formed GraphQL requests that are invalid.
const INVALID: [(&str, &str); 5] = [
    (r#"{"query":"{"}"#, "a syntax error"),
    (r#"{"query":"{ nonsense }"}"#, "an unknown field"),
    (
        r#"{"query":"query A { viewer { role } }","operationName":"B"}"#,
        "an unknown operation",
    ),
    (
        r#"{"query":"{ viewer { role } } query B { viewer { role } }"}"#,
        "no operation's name",
    ),
    (
        r#"{"query":"query($id: ID!) { key(id: $id) { id } }","variables":{"id":null}}"#,
        "a null variable",
    ),
];

async fn accepting(harness: &Harness, media_type: &'static str, body: String) -> Answer {
    let request = with_header(post("member", body), "accept", media_type);
    harness.send(request).await
}

#[tokio::test]
async fn an_invalid_document_is_a_graphql_error_in_json_and_a_bad_request_in_a_graphql_response() {
    let harness = Harness::new().await;
    for (body, name) in INVALID {
        let json = accepting(&harness, JSON, body.to_owned()).await;
        assert_eq!(json.status, 200, "{name}: {}", json.text);
        assert_eq!(json.headers["content-type"], JSON);
        let graphql = accepting(&harness, GRAPHQL_RESPONSE, body.to_owned()).await;
        assert_eq!(graphql.status, 400, "{name}: {}", graphql.text);
        assert_eq!(graphql.headers["content-type"], GRAPHQL_RESPONSE);
        assert_eq!(json.text, graphql.text);
        assert_eq!(json.code(), "INVALID_REQUEST");
        assert!(json.json().get("data").is_none(), "{name}: {}", json.text);
    }
    assert_untouched(&harness);
}

#[rstest]
#[case("a body of no request", "{}".to_owned(), 400)]
#[case("a batch", format!("[{QUERY}]"), 400)]
#[case("a limit", json!({ "query": "mutation { a: x b: x c: x d: x }" }).to_string(), 400)]
#[case("a page that is too long", json!({ "query": "{ keys(first: 101) { totalCount } }" }).to_string(), 400)]
#[case("a body that is too large", " ".repeat(65 * 1024), 413)]
#[tokio::test]
async fn every_other_refusal_has_one_status_in_both_media_types(
    #[case] name: &str,
    #[case] body: String,
    #[case] status: u16,
) {
    let harness = Harness::new().await;
    for media_type in [JSON, GRAPHQL_RESPONSE] {
        let answer = accepting(&harness, media_type, body.clone()).await;
        assert_eq!(answer.status, status, "{name}: {}", answer.text);
        assert_eq!(answer.headers["content-type"], media_type);
    }
    assert_untouched(&harness);
}

#[tokio::test]
async fn an_executed_request_has_the_negotiated_media_type() {
    let harness = Harness::new().await;
    for media_type in [JSON, GRAPHQL_RESPONSE] {
        let answer = accepting(&harness, media_type, QUERY.to_owned()).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.headers["content-type"], media_type);
        assert_eq!(
            answer.headers["content-security-policy"],
            "default-src 'none'; frame-ancestors 'none'"
        );
        assert_eq!(answer.headers["cache-control"], "no-store");
        assert_eq!(answer.data()["viewer"]["role"], "MEMBER");
    }
}

#[rstest]
#[case(
    r#"{"query":"{ viewer { role } }","operationName":null,"variables":null,"extensions":null}"#
)]
#[case(r#"{"query":"{ viewer { role } }","operationName":"","variables":{},"extensions":{"a":1}}"#)]
#[case(r#"{"query":"{ viewer { role } }","unknown":1}"#)]
#[tokio::test]
async fn name_and_variables_may_be_left_out(#[case] body: &str) {
    let answer = Harness::new()
        .await
        .send(post("member", body.to_owned()))
        .await;
    assert_eq!(answer.data()["viewer"]["role"], "MEMBER");
}

#[rstest]
#[case("{}")]
#[case(r#"{"query":null}"#)]
#[case(r#"{"query":1}"#)]
#[case(r#"{"query":"{ viewer { role } }","query":"{ viewer { role } }"}"#)]
#[case(r#"{"query":"{ viewer { role } }","variables":[1]}"#)]
#[case(r#"{"query":"{ viewer { role } }","variables":"{}"}"#)]
#[case(r#"{"query":"{ viewer { role } }","operationName":{}}"#)]
#[case(r#""{ viewer { role } }""#)]
#[case("null")]
#[case("[]")]
#[tokio::test]
async fn json_that_is_no_graphql_request_is_refused(#[case] body: &str) {
    let harness = Harness::new().await;
    let answer = harness.send(post("member", body.to_owned())).await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.code(), "INVALID_REQUEST");
    assert!(
        answer.message().contains("must be an object"),
        "{}",
        answer.text
    );
    assert_untouched(&harness);
}
