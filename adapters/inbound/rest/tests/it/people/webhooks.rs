//! `/webhooks`.

use serde_json::{Value, json};

use super::data::{ADMIN, MEMBER, OTHER_MEMBER};
use super::{ask, json as good, with_json};
use crate::harness::Harness;

const OWNER: &str = MEMBER;
const URL: &str = "https://hooks.example/cep";
const UNKNOWN: &str = "01900000-0000-7000-8000-000000000001";

async fn harness() -> Harness {
    Harness::over(super::data::people().await).await
}

async fn created(harness: &Harness) -> Value {
    let body =
        json!({ "url": URL, "events": ["lookup.expired", "lookup.delivered"], "env": "test" });
    let request = ask(harness, OWNER, "POST", "/webhooks");
    good(with_json(request, body.to_string())).await
}

/// The status and the problem of the first faulty field, or the reason.
async fn refused(request: reqwest::RequestBuilder) -> (u16, String) {
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    let problem: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    let details = &problem["details"];
    let field = &details["fields"][0]["problem"];
    let word = field.as_str().or(details["reason"].as_str());
    (status, word.unwrap_or_default().to_owned())
}

#[tokio::test]
async fn misspelt_members_of_a_webhook_are_named() {
    let harness = harness().await;
    let body = json!({ "URL": URL, "event": ["lookup.expired"], "env": "test", "secret": "x" });
    let request = with_json(ask(&harness, OWNER, "POST", "/webhooks"), body.to_string());
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 400);
    let problem: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    let faults = problem["details"]["fields"].as_array().unwrap().iter();
    let mut meant: Vec<_> = faults
        .filter(|fault| fault["problem"] != "missing")
        .map(|fault| json!([fault["field"], fault["meant"]]))
        .collect();
    meant.sort_by_key(Value::to_string);
    let expected = [
        json!(["URL", "url"]),
        json!(["event", "events"]),
        json!(["secret", null]),
    ];
    assert_eq!(meant, expected);
}

#[tokio::test]
async fn a_webhook_is_added_read_changed_and_removed() {
    let harness = harness().await;
    let created = created(&harness).await;
    let secret = created["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let webhook = &created["webhook"];
    assert_eq!(
        webhook["events"],
        json!(["lookup.delivered", "lookup.expired"])
    );
    assert_eq!(webhook["env"], "test");
    let path = format!("/webhooks/{}", webhook["id"].as_str().unwrap());
    assert_eq!(good(ask(&harness, OWNER, "GET", &path)).await, *webhook);
    let list = good(ask(&harness, OWNER, "GET", "/webhooks")).await;
    assert_eq!(list, json!([webhook]));
    assert!(!list.to_string().contains("whsec_"));
    let change = with_json(ask(&harness, OWNER, "PATCH", &path), r#"{"enabled":false}"#);
    let changed = good(change).await;
    assert_eq!(changed["enabled"], false);
    assert_eq!(changed["disabled_reason"], "owner");
    let test = with_json(ask(&harness, OWNER, "POST", &format!("{path}/test")), "");
    assert_eq!(refused(test).await, (409, "webhook_disabled".to_owned()));
    let change = with_json(ask(&harness, OWNER, "PATCH", &path), r#"{"enabled":true}"#);
    assert_eq!(good(change).await["disabled_at"], Value::Null);
    let rotation = ask(&harness, OWNER, "POST", &format!("{path}/secret"));
    let rotated = good(with_json(rotation, "")).await;
    assert_ne!(rotated["secret"], created["secret"]);
    assert_ne!(rotated["webhook"]["previous_secret_until"], Value::Null);
    good(ask(&harness, OWNER, "DELETE", &path)).await;
    let gone = ask(&harness, OWNER, "GET", &path).send().await.unwrap();
    assert_eq!(gone.status(), 404);
}

#[tokio::test]
async fn deliveries_are_listed_and_sent_again() {
    let harness = harness().await;
    let created = created(&harness).await;
    let path = format!("/webhooks/{}", created["webhook"]["id"].as_str().unwrap());
    let sent = ask(&harness, OWNER, "POST", &format!("{path}/test"));
    let sent = with_json(sent, "").send().await.unwrap();
    assert_eq!(sent.status(), 202);
    let sent: Value = serde_json::from_slice(&sent.bytes().await.unwrap()).unwrap();
    assert_eq!(sent["event"], "webhook.test");
    let deliveries = format!("{path}/deliveries");
    let list = good(ask(&harness, OWNER, "GET", &deliveries)).await;
    assert_eq!(list["items"], json!([sent]));
    let resend = format!("{deliveries}/{}/resend", sent["id"].as_str().unwrap());
    let pending = refused(with_json(ask(&harness, OWNER, "POST", &resend), "")).await;
    assert_eq!(pending, (409, "delivery_pending".to_owned()));
    let unknown = format!("{deliveries}/{UNKNOWN}/resend");
    let unknown = with_json(ask(&harness, OWNER, "POST", &unknown), "");
    let unknown = unknown.send().await.unwrap();
    assert_eq!(unknown.status(), 404);
}

#[tokio::test]
async fn faulty_bodies_are_explained() {
    let harness = harness().await;
    for (body, problem) in [
        (json!({ "events": ["lookup.failed"] }), "missing"),
        (json!({ "url": URL }), "missing"),
        (json!({ "url": URL, "events": [] }), "empty"),
        (
            json!({ "url": URL, "events": ["webhook.test"] }),
            "not_one_of",
        ),
        (
            json!({ "url": URL, "events": "lookup.failed" }),
            "wrong_type",
        ),
        (json!({ "url": URL, "events": [1] }), "not_texts"),
        (
            json!({ "url": 7, "events": ["lookup.failed"] }),
            "wrong_type",
        ),
        (
            json!({ "url": URL, "events": ["lookup.failed"], "more": 1 }),
            "unknown",
        ),
        (
            json!({ "url": URL, "events": ["lookup.failed"], "env": "x" }),
            "not_one_of",
        ),
        (
            json!({ "url": "x", "events": ["lookup.failed"] }),
            "malformed_url",
        ),
        (
            json!({ "url": "http://a.example/", "events": ["lookup.failed"] }),
            "not_https",
        ),
        (
            json!({ "url": "https://a.example:22/", "events": ["lookup.failed"] }),
            "wrong_port",
        ),
        (
            json!({ "url": "https://me@a.example/", "events": ["lookup.failed"] }),
            "user_info",
        ),
        (
            json!({ "url": "https://a.example/#b", "events": ["lookup.failed"] }),
            "fragment",
        ),
        (
            json!({ "url": "https://127.0.0.1/", "events": ["lookup.failed"] }),
            "not_public",
        ),
        (
            json!({ "url": "https://localhost/", "events": ["lookup.failed"] }),
            "not_public",
        ),
    ] {
        let request = ask(&harness, OWNER, "POST", "/webhooks");
        let refusal = refused(with_json(request, body.to_string())).await;
        assert_eq!(refusal, (400, problem.to_owned()), "{body}");
    }
    let created = created(&harness).await;
    let path = format!("/webhooks/{}", created["webhook"]["id"].as_str().unwrap());
    let nothing = with_json(ask(&harness, OWNER, "PATCH", &path), "{}");
    assert_eq!(refused(nothing).await, (400, "empty_change".to_owned()));
}

#[tokio::test]
async fn an_account_has_ten_webhooks() {
    let harness = harness().await;
    for _ in 0..10 {
        created(&harness).await;
    }
    let body = json!({ "url": URL, "events": ["lookup.failed"] });
    let eleventh = with_json(ask(&harness, OWNER, "POST", "/webhooks"), body.to_string());
    assert_eq!(
        refused(eleventh).await,
        (409, "too_many_webhooks".to_owned())
    );
}

#[tokio::test]
async fn nobody_else_sees_them() {
    let harness = harness().await;
    let created = created(&harness).await;
    let path = format!("/webhooks/{}", created["webhook"]["id"].as_str().unwrap());
    for token in [OTHER_MEMBER, ADMIN] {
        for (method, path) in [
            ("GET", path.clone()),
            ("DELETE", path.clone()),
            ("POST", format!("{path}/secret")),
            ("POST", format!("{path}/test")),
            ("GET", format!("{path}/deliveries")),
        ] {
            let asking = with_json(ask(&harness, token, method, &path), "");
            let answer = asking.send().await.unwrap();
            assert_eq!(answer.status(), 404, "{token} {method} {path}");
        }
        assert_eq!(
            good(ask(&harness, token, "GET", "/webhooks")).await,
            json!([])
        );
    }
    let nobody = harness.request("GET", "/webhooks").send().await.unwrap();
    assert_eq!(nobody.status(), 401);
    let foreign = ask(&harness, OWNER, "DELETE", &path);
    let foreign = foreign.header("sec-fetch-site", "cross-site").send().await;
    assert_eq!(foreign.unwrap().status(), 403);
}
