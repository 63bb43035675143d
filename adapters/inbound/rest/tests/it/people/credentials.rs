//! Credentials: the session's cookie for people, the API key for machines; and the defence against
//! cross-site requests.

use std::sync::Arc;

use ports::outbound::TokenError;
use reqwest::RequestBuilder;

use super::batches::{BATCHES, TABLE, created, creating};
use super::charged::charged;
use super::data::{ACTIVE_KEY, MEMBER, UNKNOWN};
use super::{ask, with_json};
use crate::batches::BELOW;
use crate::data::GOOD_KEY;
use crate::harness::{ALLOWED, Exchange, Harness, OURS, body, in_both_languages};

/// Every operation for people; `ID` stands for the id of anything.
const OPERATIONS: [(&str, &str); 26] = [
    ("POST", "/keys"),
    ("GET", "/keys"),
    ("DELETE", "/keys/ID"),
    ("GET", "/lookups/ID/xml"),
    ("GET", "/lookups/ID/pdf"),
    ("GET", "/lookups/ID/zip"),
    ("GET", "/v1/accounts"),
    ("POST", "/v1/accounts"),
    ("DELETE", "/v1/accounts/ID"),
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
fn operations() -> Vec<(&'static str, String)> {
    let operations = OPERATIONS.into_iter();
    let operations = operations.map(|(method, path)| (method, path.replace("ID", ACTIVE_KEY)));
    operations.collect()
}

/// The methods and paths of batches, for which a key will do; and of those that are charged at once, where a named key
/// asks for a session.
fn operations_for_keys_too() -> Vec<(&'static str, String)> {
    let all = ["GET", "POST"].map(|method| (method, BATCHES.to_owned()));
    let below = BELOW.map(|(method, below)| (method, format!("{BATCHES}/{UNKNOWN}{below}")));
    let charged = charged().map(|(path, ..)| ("POST", format!("{path}?key_id={ACTIVE_KEY}")));
    all.into_iter().chain(below).chain(charged).collect()
}

#[tokio::test]
async fn a_credential_is_needed_everywhere() {
    let harness = Harness::of_people().await;
    let bare = |method, path: &str| with_json(harness.request(method, path), "{}");
    for (name, path, operations) in [
        ("unauthenticated", "/keys", operations()),
        (
            "batches_without_a_credential",
            BATCHES,
            operations_for_keys_too(),
        ),
    ] {
        let expected = in_both_languages(|| bare("GET", path)).await;
        insta::assert_snapshot!(name, expected);
        for (method, path) in operations {
            for path in [&path, &format!("/api{path}")] {
                let answer = in_both_languages(|| bare(method, path)).await;
                assert_eq!(answer, expected, "{method} {path}");
            }
        }
    }
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn a_key_is_no_session_and_a_session_no_key() {
    let harness = Harness::of_people().await;
    let session = format!("cep_session={MEMBER}");
    let bearer = format!("Bearer {MEMBER}");
    for (name, value) in [
        ("x-api-key", GOOD_KEY),
        ("authorization", &format!("Bearer {GOOD_KEY}")),
        ("authorization", &bearer),
        ("cookie", &format!("cep_session={GOOD_KEY}")),
        ("cookie", &format!("{session}; {session}")),
        ("cookie", &format!("session={MEMBER}")),
        ("cookie", &format!("__Host-{session}")),
        ("cookie", &format!("cep_session_sign_in={MEMBER}")),
    ] {
        let request = harness.request("GET", "/keys").header(name, value);
        let answer = request.json_of(401).await;
        assert_eq!(answer["error"], "UNAUTHENTICATED", "{value}");
    }
    assert!(harness.store_faults().calls().is_empty());
    for (name, value) in [
        ("x-api-key", MEMBER),
        ("authorization", &bearer),
        ("cookie", &session),
    ] {
        let request = harness.request("POST", "/v1/cep/xml").header(name, value);
        let answer = with_json(request, body(&[])).json_of(401).await;
        assert_eq!(answer["error"], "INVALID_API_KEY", "{name}");
    }
    assert_eq!(harness.outcomes().await, []);
}

#[tokio::test]
async fn other_credentials_beside_the_cookie_are_not_looked_at() {
    let harness = Harness::of_people().await;
    let request = ask(&harness, MEMBER, "GET", "/keys")
        .header("x-api-key", "nonsense")
        .header("authorization", "Bearer nonsense");
    assert_eq!(request.status().await, 200);
    // A proxy may ask for credentials of its own.
    let request = ask(&harness, MEMBER, "GET", BATCHES).header("authorization", "Basic eDp5");
    assert_eq!(request.status().await, 200);
}

/// No page can choose between a key and a session.
#[tokio::test]
async fn beside_a_key_for_batches_a_session_is_not_looked_at() {
    let harness = Harness::of_people().await;
    let request = ask(&harness, MEMBER, "GET", BATCHES).header("x-api-key", "nonsense");
    let answer = request.json_of(401).await;
    assert_eq!(answer["error"], "INVALID_API_KEY");
    let answer = ask(&harness, "nonsense", "GET", BATCHES).json_of(401).await;
    assert_eq!(answer["error"], "UNAUTHENTICATED");
    assert_eq!(answer["details"]["sign_in"], "/login");
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

/// Requests that another site can have a browser send with the person's cookie: one for the body and one for
/// the page. The tests of `web` have the others.
#[tokio::test]
async fn a_forged_request_has_no_effect() {
    let harness = Harness::of_people().await;
    let new_key = r#"{"name":"till 7"}"#;
    for (path, media_type, body) in [
        ("/keys", "application/json", new_key),
        (&format!("{BATCHES}?key_id={ACTIVE_KEY}"), "text/csv", TABLE),
        (&format!("{BATCHES}/{UNKNOWN}/import"), "text/csv", TABLE),
    ] {
        let typed = |media_type: &str| {
            let request = ask(&harness, MEMBER, "POST", path).body(body);
            request.header("content-type", media_type)
        };
        let plain = typed(&format!("text/plain; x={media_type}"));
        assert_eq!(plain.status().await, 415, "{path}");
        let foreign = typed(media_type).header("origin", "https://evil.example");
        assert_eq!(foreign.status().await, 403, "{path}");
    }
    assert!(harness.store_faults().calls().is_empty());
    let honest = with_json(ask(&harness, MEMBER, "POST", "/keys"), new_key);
    assert_eq!(honest.status().await, 201);
}

#[tokio::test]
async fn a_get_request_changes_nothing() {
    let harness = Harness::of_people().await;
    for path in [
        "/keys?name=till",
        "/keys?_method=DELETE",
        "/admin/keys?_method=POST",
    ] {
        let status = ask(&harness, MEMBER, "GET", path).status().await;
        assert_eq!(status, 400, "{path}");
    }
    let path = format!("/keys/{ACTIVE_KEY}");
    let request = ask(&harness, MEMBER, "GET", &path).header("x-http-method-override", "DELETE");
    assert_eq!(request.status().await, 405);
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn a_foreign_page_is_refused_and_may_not_read_the_answer() {
    let harness = Harness::of_people().await;
    let foreign = |method, path: &str| {
        let request = ask(&harness, MEMBER, method, path);
        request.header("origin", "https://evil.example")
    };
    let key = format!("/keys/{ACTIVE_KEY}");
    let answer = in_both_languages(|| foreign("DELETE", &key)).await;
    insta::assert_snapshot!("cross_site", answer);
    assert!(harness.store_faults().calls().is_empty());
    let batch = created(&harness).await;
    for (method, below) in BELOW {
        let answer = foreign(method, &format!("{batch}{below}")).transcript();
        let answer = answer.await;
        assert!(answer.starts_with("403"), "{method} {below}: {answer}");
        assert!(!answer.contains("access-control"), "{answer}");
    }
}

#[tokio::test]
async fn a_page_of_ours_or_an_allowed_one_is_served() {
    let harness = Harness::of_people().await;
    for (name, origin, fetch_site) in [
        ("origin_ours", OURS, "same-origin"),
        ("origin_allowed", ALLOWED, "cross-site"),
    ] {
        let from = |request: RequestBuilder| {
            let request = request.header("origin", origin);
            request.header("sec-fetch-site", fetch_site)
        };
        let keys = ask(&harness, MEMBER, "GET", "/keys?include_revoked=false");
        insta::assert_snapshot!(name, from(keys).transcript().await);
        let batch = creating(&harness, MEMBER, &format!("?key_id={ACTIVE_KEY}"));
        assert_eq!(from(batch).status().await, 202, "{name}");
    }
}

#[tokio::test]
async fn a_preflight_of_an_allowed_page_is_answered() {
    let harness = Harness::of_people().await;
    for (origin, status) in [(ALLOWED, 204), ("https://evil.example", 403)] {
        let request = harness.request("OPTIONS", BATCHES).header("origin", origin);
        let request = request.header("access-control-request-method", "POST");
        assert_eq!(request.status().await, status, "{origin}");
    }
}

#[tokio::test]
async fn a_gateway_without_sign_in_has_no_such_routes_and_takes_keys_alone_for_batches() {
    let harness = Harness::without_sign_in().await;
    for (method, path) in operations() {
        let answer = ask(&harness, MEMBER, method, &path).json_of(404).await;
        assert_eq!(answer["error"], "ROUTE_NOT_FOUND", "{method} {path}");
    }
    let answer = ask(&harness, MEMBER, "GET", BATCHES).json_of(401).await;
    assert_eq!(answer["error"], "INVALID_API_KEY");
}

#[tokio::test]
async fn an_unknown_route_is_not_found_without_a_session_either() {
    let harness = Harness::of_people().await;
    for (method, path) in [
        ("GET", "/admin"),
        ("GET", "/keys/"),
        ("DELETE", "/keys/1/2"),
        ("GET", "/api/api/keys"),
    ] {
        let answer = harness.request(method, path).json_of(404).await;
        assert_eq!(answer["error"], "ROUTE_NOT_FOUND", "{path}");
    }
}

/// Each operation for people in the description is served, and requires a session.
#[tokio::test]
async fn every_described_operation_is_served() {
    let harness = Harness::of_people().await;
    let document: serde_json::Value = serde_json::from_str(&rest::openapi_json()).unwrap();
    let mut described = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            // Those of batches take a key, too.
            if operation["security"][0]["session"].is_array() {
                described += 1;
                let path = path.replace("{id}", ACTIVE_KEY);
                let request = harness.request(&method.to_uppercase(), &path);
                let status = with_json(request, "{}").status().await;
                assert_eq!(status, 401, "{method} {path}");
            }
        }
    }
    assert_eq!(described, OPERATIONS.len());
}
