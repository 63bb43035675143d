//! Credentials: the session's cookie for people, the API key for machines; and the defence against
//! cross-site requests.

use std::sync::Arc;

use ports::outbound::TokenError;
use reqwest::RequestBuilder;
use rstest::rstest;

use super::data::{ACTIVE_KEY, MEMBER};
use super::{ask, in_both_languages, sent, with_json};
use crate::data::GOOD_KEY;
use crate::harness::{ALLOWED, Harness, OURS, body};

/// Every operation for people.
const OPERATIONS: [(&str, &str); 23] = [
    ("POST", "/keys"),
    ("GET", "/keys"),
    ("DELETE", "/keys/0198f3c2-7d3e-7000-8000-000000000001"),
    ("GET", "/lookups/0198f3c2-7d3e-7000-8000-000000000001/xml"),
    ("GET", "/lookups/0198f3c2-7d3e-7000-8000-000000000001/pdf"),
    ("GET", "/lookups/0198f3c2-7d3e-7000-8000-000000000001/zip"),
    ("GET", "/webhooks"),
    ("POST", "/webhooks"),
    ("GET", "/webhooks/0198f3c2-7d3e-7000-8000-000000000001"),
    ("PATCH", "/webhooks/0198f3c2-7d3e-7000-8000-000000000001"),
    ("DELETE", "/webhooks/0198f3c2-7d3e-7000-8000-000000000001"),
    (
        "GET",
        "/webhooks/0198f3c2-7d3e-7000-8000-000000000001/deliveries",
    ),
    (
        "POST",
        "/webhooks/0198f3c2-7d3e-7000-8000-000000000001/deliveries/0198f3c2-7d3e-7000-8000-000000000001/resend",
    ),
    (
        "POST",
        "/webhooks/0198f3c2-7d3e-7000-8000-000000000001/secret",
    ),
    (
        "POST",
        "/webhooks/0198f3c2-7d3e-7000-8000-000000000001/test",
    ),
    ("GET", "/admin/keys"),
    ("GET", "/admin/keys/0198f3c2-7d3e-7000-8000-000000000001"),
    ("PATCH", "/admin/keys/0198f3c2-7d3e-7000-8000-000000000001"),
    ("DELETE", "/admin/keys/0198f3c2-7d3e-7000-8000-000000000001"),
    ("GET", "/admin/accounts"),
    (
        "PATCH",
        "/admin/accounts/0198f3c2-7d3e-7000-8000-0000000000a1",
    ),
    ("GET", "/admin/usage"),
    ("GET", "/admin/audit"),
];

#[tokio::test]
async fn a_session_is_needed_everywhere() {
    let harness = Harness::of_people().await;
    let bare = |method, path: &str| {
        let request = harness.request(method, path);
        with_json(request.header("x-request-id", "test-1"), "{}")
    };
    let unauthenticated = in_both_languages(|| bare("GET", "/keys")).await;
    insta::assert_snapshot!("unauthenticated", unauthenticated);
    for alias in ["", "/api"] {
        for (method, path) in OPERATIONS {
            let path = format!("{alias}{path}");
            let answer = in_both_languages(|| bare(method, &path)).await;
            assert_eq!(answer, unauthenticated, "{method} {path}");
        }
    }
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn nothing_but_the_one_cookie_is_a_session() {
    let harness = Harness::of_people().await;
    let bare = || {
        let request = harness.request("GET", "/keys");
        request.header("x-request-id", "test-1")
    };
    let cookie = |value: String| bare().header("cookie", value);
    let attempts = [
        bare().header("x-api-key", GOOD_KEY),
        bare().header("authorization", format!("Bearer {MEMBER}")),
        bare().header("authorization", format!("Bearer {GOOD_KEY}")),
        cookie(format!("cep_session={GOOD_KEY}")),
        cookie("cep_session=".to_owned()),
        cookie("cep_session=nonsense".to_owned()),
        cookie(format!("session={MEMBER}")),
        cookie(format!("__Host-cep_session={MEMBER}")),
        cookie(format!("cep_session_sign_in={MEMBER}")),
        cookie(format!("cep_session={MEMBER}; cep_session={MEMBER}")),
        cookie(format!("cep_session={MEMBER}")).header("cookie", "cep_session=x"),
        cookie(format!("cep_session=\"{MEMBER}\"")),
    ];
    let expected = sent(bare()).await;
    assert!(expected.starts_with("401"), "{expected}");
    for attempt in attempts {
        assert_eq!(sent(attempt).await, expected);
    }
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn other_credentials_beside_the_cookie_are_not_looked_at() {
    let harness = Harness::of_people().await;
    let request = ask(&harness, MEMBER, "GET", "/keys")
        .header("x-api-key", "nonsense")
        .header("authorization", "Bearer nonsense");
    let answer = sent(request).await;
    assert!(answer.starts_with("200"), "{answer}");
}

#[tokio::test]
async fn the_cookie_is_no_key() {
    let harness = Harness::of_people().await;
    let request = |header, value: String| {
        let request = harness.request("POST", "/v1/cep/xml").header(header, value);
        with_json(request.header("x-request-id", "test-1"), body(&[]))
    };
    let attempts = [
        request("cookie", format!("cep_session={MEMBER}")),
        request("x-api-key", MEMBER.to_owned()),
        request("authorization", format!("Bearer {MEMBER}")),
    ];
    for attempt in attempts {
        let answer = sent(attempt).await;
        assert!(answer.starts_with("401"), "{answer}");
        assert!(answer.contains("INVALID_API_KEY"), "{answer}");
    }
    assert_eq!(harness.outcomes().await, []);
}

#[tokio::test]
async fn no_session_is_accepted_while_the_provider_is_down() {
    let harness = Harness::of_people().await;
    let cause = Arc::new(std::io::Error::other("a synthetic cause"));
    let identity = &harness.gateway.services.identity;
    identity.fail_verifying_with(Some(TokenError::Unavailable(cause)));
    let answer = in_both_languages(|| ask(&harness, MEMBER, "GET", "/keys")).await;
    insta::assert_snapshot!("sessions_unavailable", answer);
    assert!(harness.store_faults().calls().is_empty());
}

const NEW_KEY: &str = r#"{"name":"till 7"}"#;

fn create(harness: &Harness) -> RequestBuilder {
    ask(harness, MEMBER, "POST", "/keys")
}

fn typed(request: RequestBuilder, media_type: &str) -> RequestBuilder {
    request.header("content-type", media_type).body(NEW_KEY)
}

/// Requests that another site can have a browser send with the person's cookie.
#[rstest]
#[case::plain_text(|request| typed(request, "text/plain"), 415)]
#[case::form(|request| typed(request, "application/x-www-form-urlencoded"), 415)]
#[case::multipart(|request| typed(request, "multipart/form-data; boundary=x"), 415)]
#[case::no_type(|request: RequestBuilder| request.body(NEW_KEY), 415)]
#[case::foreign_origin(
    |request| typed(request, "application/json").header("origin", "https://evil.example"),
    403
)]
#[case::sibling(
    |request| typed(request, "application/json").header("sec-fetch-site", "same-site"),
    403
)]
#[case::opaque_origin(|request| typed(request, "application/json").header("origin", "null"), 403)]
#[tokio::test]
async fn a_forged_request_has_no_effect(
    #[case] forge: fn(RequestBuilder) -> RequestBuilder,
    #[case] status: u16,
) {
    let harness = Harness::of_people().await;
    let response = forge(create(&harness)).send().await.unwrap();
    assert_eq!(response.status(), status);
    assert!(harness.store_faults().calls().is_empty());

    let honest = typed(create(&harness), "application/json");
    assert_eq!(honest.send().await.unwrap().status(), 201);
}

#[tokio::test]
async fn a_get_request_changes_nothing() {
    let harness = Harness::of_people().await;
    for path in [
        "/keys?name=till",
        "/keys?_method=DELETE",
        "/admin/keys?_method=POST",
    ] {
        let answer = sent(ask(&harness, MEMBER, "GET", path)).await;
        assert!(answer.starts_with("400"), "{answer}");
    }
    let path = format!("/keys/{ACTIVE_KEY}");
    let request = ask(&harness, MEMBER, "GET", &path).header("x-http-method-override", "DELETE");
    assert!(sent(request).await.starts_with("405"));
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn a_foreign_page_is_refused_and_may_not_read_the_answer() {
    let harness = Harness::of_people().await;
    let request = || {
        let request = ask(&harness, MEMBER, "DELETE", &format!("/keys/{ACTIVE_KEY}"));
        request.header("origin", "https://evil.example")
    };
    insta::assert_snapshot!("cross_site", in_both_languages(request).await);
    assert!(harness.store_faults().calls().is_empty());
}

#[rstest]
#[case::ours("ours", OURS, "same-origin")]
#[case::allowed("allowed", ALLOWED, "cross-site")]
#[tokio::test]
async fn a_page_of_ours_or_an_allowed_one_is_served(
    #[case] name: &str,
    #[case] origin: &str,
    #[case] fetch_site: &str,
) {
    let harness = Harness::of_people().await;
    let request = ask(&harness, MEMBER, "GET", "/keys?include_revoked=false")
        .header("origin", origin)
        .header("sec-fetch-site", fetch_site);
    insta::assert_snapshot!(format!("origin_{name}"), sent(request).await);
}

#[tokio::test]
async fn a_gateway_without_sign_in_has_no_such_routes() {
    let harness = Harness::without_sign_in().await;
    for (method, path) in OPERATIONS {
        let answer = sent(ask(&harness, MEMBER, method, path)).await;
        assert!(answer.starts_with("404"), "{answer}");
        assert!(answer.contains("ROUTE_NOT_FOUND"), "{answer}");
    }
}

#[rstest]
#[case("GET", "/admin")]
#[case("GET", "/keys/")]
#[case("DELETE", "/keys/1/2")]
#[case("GET", "/api/api/keys")]
#[tokio::test]
async fn an_unknown_route_is_not_found_without_a_session_either(
    #[case] method: &str,
    #[case] path: &str,
) {
    let harness = Harness::of_people().await;
    let answer = sent(harness.request(method, path)).await;
    assert!(answer.starts_with("404"), "{answer}");
    assert!(answer.contains("ROUTE_NOT_FOUND"), "{answer}");
}

/// Each operation for people in the description is served, and requires a session.
#[tokio::test]
async fn every_described_operation_is_served() {
    let harness = Harness::of_people().await;
    let document: serde_json::Value = serde_json::from_str(&rest::openapi_json()).unwrap();
    let mut described = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            // Those of batches take a key, too: see `people::batches`.
            if operation["security"][0]["session"].is_array() {
                described.push((method.to_uppercase(), path.replace("{id}", ACTIVE_KEY)));
            }
        }
    }
    for (method, path) in &described {
        let answer = sent(with_json(harness.request(method, path), "{}")).await;
        assert!(answer.starts_with("401"), "{method} {path}: {answer}");
    }
    assert_eq!(described.len(), OPERATIONS.len());
}
