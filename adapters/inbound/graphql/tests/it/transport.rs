//! HTTP: methods, media types, sizes, sessions and cross-site requests.

use axum::body::Body;
use axum::http::Method;
use insta::assert_json_snapshot;

use crate::harness::{Answer, Harness, post, with_header};

const QUERY: &str = r#"{"query":"{ viewer { role account { id } } }"}"#;
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
const MUTATION: &str = r#"{"query":"mutation { createKey(input: {name: \"x\"}) { apiKey } }"}"#;

/// Asserts that no port was called.
fn assert_untouched(harness: &Harness) {
    assert!(harness.calls().is_empty());
}

/// The tests of `web` have the other media types.
#[tokio::test]
async fn a_body_that_is_not_declared_as_json_has_no_effect() {
    let harness = Harness::new().await;
    for media_type in [
        "text/plain",
        "application/graphql",
        "application/graphql+json",
    ] {
        let request = with_header(post("member", MUTATION), "content-type", media_type);
        assert_eq!(harness.send(request).await.status, 415, "{media_type}");
    }
    let mut request = post("member", MUTATION);
    request.headers_mut().remove("content-type");
    assert_eq!(harness.send(request).await.status, 415);
    assert_untouched(&harness);
}

#[tokio::test]
async fn another_method_has_no_effect() {
    let harness = Harness::new().await;
    let uri = "/graphql?query=mutation%7BcreateKey(input:%7Bname:%22x%22%7D)%7Bsecret%7D%7D";
    for method in [Method::GET, Method::HEAD, Method::DELETE, Method::PUT] {
        let mut request = post("member", MUTATION);
        *request.uri_mut() = uri.parse().unwrap();
        *request.method_mut() = method.clone();
        let answer = harness.send(request).await;
        assert_eq!(answer.status, 405, "{method}");
        assert_eq!(answer.headers["allow"], "POST", "{method}");
        if method == Method::GET {
            assert_json_snapshot!("not_a_post", answer.json());
        }
    }
    assert_untouched(&harness);
}

#[tokio::test]
async fn without_a_session_nothing_is_served() {
    let harness = Harness::new().await;
    let forged = "cep_session=forged";
    let two = "cep_session=member; cep_session=admin";
    for cookie in ["", forged, two] {
        let request = with_header(post("member", QUERY), "cookie", cookie);
        let answer = harness.send(request).await;
        assert_eq!(answer.status, 401);
        assert_eq!(answer.json()["error"], "UNAUTHENTICATED");
    }
    // Nor with a credential of another surface.
    let mut request = post("member", QUERY);
    request.headers_mut().remove("cookie");
    let request = with_header(request, "authorization", "Bearer member");
    let api_key = "cep_live_AbCd1234.000000000000000000000000";
    let request = with_header(request, "x-api-key", api_key);
    assert_eq!(harness.send(request).await.status, 401);
    assert_untouched(&harness);
}

#[tokio::test]
async fn a_cross_site_request_has_no_effect() {
    let harness = Harness::new().await;
    for (name, value) in [
        ("origin", "http://127.0.0.1:8081"),
        ("sec-fetch-site", "same-site"),
    ] {
        let request = with_header(post("member", MUTATION), name, value);
        assert_eq!(harness.send(request).await.status, 403, "{name}");
    }
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
        ("content-security-policy", POLICY),
    ] {
        assert_eq!(answer.headers[name], value, "{name}");
    }
    let mut names = answer.headers.keys();
    assert!(names.all(|name| !name.as_str().starts_with("access-control")));
}

#[tokio::test]
async fn a_body_that_holds_no_request_is_refused() {
    let harness = Harness::new().await;
    let misspelt = r#"{"query":"{ viewer { role } }","variabels":{}}"#;
    let other_case = r#"{"query":"query A { viewer { role } }","operationname":"A"}"#;
    for (name, body) in [
        ("batch", &*format!("[{QUERY},{QUERY}]")),
        ("batch_of_one", &format!("[{QUERY}]")),
        ("empty", ""),
        ("malformed", r#"{"query": "{ viewer { role } }""#),
        ("no_query", r#"{"variables": {}}"#),
        ("form", "query={viewer{role}}"),
        ("misspelt_variables", misspelt),
        ("operation_name_in_another_case", other_case),
    ] {
        let answer = harness.send(post("member", body.to_owned())).await;
        assert_eq!(answer.status, 400, "{name}");
        assert_json_snapshot!(format!("body_{name}"), answer.json());
    }
    assert_untouched(&harness);
}

const GRAPHQL_RESPONSE: &str = "application/graphql-response+json";
const JSON: &str = "application/json";

/// Well-formed GraphQL requests that are invalid: a syntax error, an unknown field, an unknown operation, no
/// operation's name, and a null variable.
const INVALID: [&str; 5] = [
    r#"{"query":"{"}"#,
    r#"{"query":"{ nonsense }"}"#,
    r#"{"query":"query A { viewer { role } }","operationName":"B"}"#,
    r#"{"query":"{ viewer { role } } query B { viewer { role } }"}"#,
    r#"{"query":"query($id: ID!) { key(id: $id) { id } }","variables":{"id":null}}"#,
];

async fn accepting(harness: &Harness, media_type: &'static str, body: &str) -> Answer {
    let request = with_header(post("member", body.to_owned()), "accept", media_type);
    harness.send(request).await
}

#[tokio::test]
async fn an_invalid_document_is_a_graphql_error_in_json_and_a_bad_request_in_a_graphql_response() {
    let harness = Harness::new().await;
    for body in INVALID {
        let json = accepting(&harness, JSON, body).await;
        let graphql = accepting(&harness, GRAPHQL_RESPONSE, body).await;
        json.assert_error(200, "INVALID_REQUEST");
        graphql.assert_error(400, "INVALID_REQUEST");
        assert_eq!(json.headers["content-type"], JSON);
        assert_eq!(graphql.headers["content-type"], GRAPHQL_RESPONSE);
        assert_eq!(json.text, graphql.text);
        assert!(json.json().get("data").is_none(), "{body}: {}", json.text);
    }
    assert_untouched(&harness);
}

#[tokio::test]
async fn every_other_refusal_has_one_status_in_both_media_types() {
    let harness = Harness::new().await;
    let costly =
        r#"{"query":"{ participants { a: candidates { b: counts c: counts d: counts } } }"}"#;
    let page = r#"{"query":"{ keys(first: 101) { totalCount } }"}"#;
    for (name, body, status) in [
        ("a body of no request", "{}", 400),
        ("a batch", &*format!("[{QUERY}]"), 400),
        ("a limit", costly, 400),
        ("a page that is too long", page, 400),
        ("a body that is too large", &" ".repeat(65 * 1024), 413),
    ] {
        for media_type in [JSON, GRAPHQL_RESPONSE] {
            let answer = accepting(&harness, media_type, body).await;
            assert_eq!(answer.status, status, "{name}: {}", answer.text);
            assert_eq!(answer.headers["content-type"], media_type);
        }
    }
    assert_untouched(&harness);
}

#[tokio::test]
async fn an_executed_request_has_the_negotiated_media_type() {
    let harness = Harness::new().await;
    for media_type in [JSON, GRAPHQL_RESPONSE] {
        let answer = accepting(&harness, media_type, QUERY).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.headers["content-type"], media_type);
        assert_eq!(answer.headers["content-security-policy"], POLICY);
        assert_eq!(answer.headers["cache-control"], "no-store");
        assert_eq!(answer.data()["viewer"]["role"], "MEMBER");
    }
}

/// And a member that a later edition may add is passed over.
#[tokio::test]
async fn name_and_variables_may_be_left_out() {
    let harness = Harness::new().await;
    for members in [
        r#""operationName":null,"variables":null,"extensions":null"#,
        r#""operationName":"","variables":{},"extensions":{"a":1}"#,
        r#""unknown":1"#,
        r#""documentId":"x","Query":"{ x }""#,
    ] {
        let body = format!(r#"{{"query":"{{ viewer {{ role }} }}",{members}}}"#);
        let answer = harness.send(post("member", body)).await;
        assert_eq!(answer.status, 200, "{members}");
        assert_eq!(answer.data()["viewer"]["role"], "MEMBER", "{members}");
    }
}

#[tokio::test]
async fn json_that_is_no_graphql_request_is_refused() {
    let harness = Harness::new().await;
    for body in [
        "{}",
        r#"{"query":null}"#,
        r#"{"query":1}"#,
        r#"{"query":"{ viewer { role } }","query":"{ viewer { role } }"}"#,
        r#"{"query":"{ viewer { role } }","variables":[1]}"#,
        r#"{"query":"{ viewer { role } }","variables":"{}"}"#,
        r#"{"query":"{ viewer { role } }","operationName":{}}"#,
        r#""{ viewer { role } }""#,
        "null",
        "[]",
    ] {
        let answer = harness.send(post("member", body)).await;
        answer.assert_error(400, "INVALID_REQUEST");
        let message = answer.message();
        assert!(message.contains("must be an object"), "{body}: {message}");
    }
    assert_untouched(&harness);
}
