//! Credentials: the session's cookie for people, the API key for machines; and the defence against
//! cross-site requests.

use std::sync::Arc;

use ports::outbound::TokenError;
use rstest::rstest;

use super::data::{ACTIVE_KEY, MEMBER};
use super::{ask, with_json};
use crate::data::GOOD_KEY;
use crate::harness::{ALLOWED, Exchange, Harness, OURS, body, in_both_languages};

/// Every operation for people; `ID` stands for the id of anything.
const OPERATIONS: [(&str, &str); 23] = [
    ("POST", "/keys"),
    ("GET", "/keys"),
    ("DELETE", "/keys/ID"),
    ("GET", "/lookups/ID/xml"),
    ("GET", "/lookups/ID/pdf"),
    ("GET", "/lookups/ID/zip"),
    ("GET", "/webhooks"),
    ("POST", "/webhooks"),
    ("GET", "/webhooks/ID"),
    ("PATCH", "/webhooks/ID"),
    ("DELETE", "/webhooks/ID"),
    ("GET", "/webhooks/ID/deliveries"),
    ("POST", "/webhooks/ID/deliveries/ID/resend"),
    ("POST", "/webhooks/ID/secret"),
    ("POST", "/webhooks/ID/test"),
    ("GET", "/admin/keys"),
    ("GET", "/admin/keys/ID"),
    ("PATCH", "/admin/keys/ID"),
    ("DELETE", "/admin/keys/ID"),
    ("GET", "/admin/accounts"),
    ("PATCH", "/admin/accounts/ID"),
    ("GET", "/admin/usage"),
    ("GET", "/admin/audit"),
];

/// The methods and paths of [`OPERATIONS`].
fn operations() -> impl Iterator<Item = (&'static str, String)> {
    let operations = OPERATIONS.into_iter();
    operations.map(|(method, path)| (method, path.replace("ID", ACTIVE_KEY)))
}

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
        for (method, path) in operations() {
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
    let expected = bare().transcript().await;
    assert!(expected.starts_with("401"), "{expected}");
    for attempt in attempts {
        assert_eq!(attempt.transcript().await, expected);
    }
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn other_credentials_beside_the_cookie_are_not_looked_at() {
    let harness = Harness::of_people().await;
    let request = ask(&harness, MEMBER, "GET", "/keys")
        .header("x-api-key", "nonsense")
        .header("authorization", "Bearer nonsense");
    let answer = request.transcript().await;
    assert!(answer.starts_with("200"), "{answer}");
}

#[tokio::test]
async fn the_cookie_is_no_key() {
    let harness = Harness::of_people().await;
    for (header, value) in [
        ("cookie", format!("cep_session={MEMBER}")),
        ("x-api-key", MEMBER.to_owned()),
        ("authorization", format!("Bearer {MEMBER}")),
    ] {
        let request = harness.request("POST", "/v1/cep/xml").header(header, value);
        let answer = with_json(request, body(&[])).json_of(401).await;
        assert_eq!(answer["error"], "INVALID_API_KEY", "{header}");
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
const JSON: (&str, &str) = ("content-type", "application/json");

/// Requests that another site can have a browser send with the person's cookie: one for the body and one for
/// the page. The tests of `web` have the others.
#[rstest]
#[case::plain_text(&[("content-type", "text/plain")], 415)]
#[case::foreign_origin(&[JSON, ("origin", "https://evil.example")], 403)]
#[case::honest(&[JSON], 201)]
#[tokio::test]
async fn a_forged_request_has_no_effect(#[case] headers: &[(&str, &str)], #[case] status: u16) {
    let harness = Harness::of_people().await;
    let mut request = ask(&harness, MEMBER, "POST", "/keys").body(NEW_KEY);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    assert_eq!(request.response().await.status(), status);
    let has_effect = !harness.store_faults().calls().is_empty();
    assert_eq!(has_effect, status == 201);
}

#[tokio::test]
async fn a_get_request_changes_nothing() {
    let harness = Harness::of_people().await;
    for path in [
        "/keys?name=till",
        "/keys?_method=DELETE",
        "/admin/keys?_method=POST",
    ] {
        let answer = ask(&harness, MEMBER, "GET", path).transcript().await;
        assert!(answer.starts_with("400"), "{answer}");
    }
    let path = format!("/keys/{ACTIVE_KEY}");
    let request = ask(&harness, MEMBER, "GET", &path).header("x-http-method-override", "DELETE");
    assert!(request.transcript().await.starts_with("405"));
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
    insta::assert_snapshot!(format!("origin_{name}"), request.transcript().await);
}

#[tokio::test]
async fn a_gateway_without_sign_in_has_no_such_routes() {
    let harness = Harness::without_sign_in().await;
    for (method, path) in operations() {
        let answer = ask(&harness, MEMBER, method, &path).json_of(404).await;
        assert_eq!(answer["error"], "ROUTE_NOT_FOUND", "{method} {path}");
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
    let answer = harness.request(method, path).json_of(404).await;
    assert_eq!(answer["error"], "ROUTE_NOT_FOUND");
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
        let answer = with_json(harness.request(method, path), "{}")
            .transcript()
            .await;
        assert!(answer.starts_with("401"), "{method} {path}: {answer}");
    }
    assert_eq!(described.len(), OPERATIONS.len());
}
