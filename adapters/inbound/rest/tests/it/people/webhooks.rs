//! `/webhooks`.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::data::{ADMIN, MEMBER, OTHER_MEMBER};
use super::{ask, json as good, with_json};
use crate::harness::{Exchange, Harness, json_of};

const OWNER: &str = MEMBER;
const URL: &str = "https://hooks.example/cep";
const UNKNOWN: &str = "01900000-0000-7000-8000-000000000001";

/// A request of the owner's.
fn sending(harness: &Harness, method: &str, path: &str, body: &'static str) -> RequestBuilder {
    with_json(ask(harness, OWNER, method, path), body)
}

/// A request to create a webhook.
fn creating(harness: &Harness, body: &Value) -> RequestBuilder {
    with_json(ask(harness, OWNER, "POST", "/webhooks"), body.to_string())
}

/// A new webhook with its secret, and its path.
async fn created(harness: &Harness) -> (Value, String) {
    let body =
        json!({ "url": URL, "events": ["lookup.expired", "lookup.delivered"], "env": "test" });
    let created = good(creating(harness, &body)).await;
    let path = format!("/webhooks/{}", created["webhook"]["id"].as_str().unwrap());
    (created, path)
}

/// The status and the problem of the first faulty field, or the reason.
async fn refused(request: RequestBuilder) -> (u16, String) {
    let answer = request.response().await;
    let status = answer.status().as_u16();
    let problem = json_of(answer, status).await;
    let details = &problem["details"];
    let field = &details["fields"][0]["problem"];
    let word = field.as_str().or(details["reason"].as_str());
    (status, word.unwrap_or_default().to_owned())
}

#[tokio::test]
async fn misspelt_members_of_a_webhook_are_named() {
    let harness = Harness::of_people().await;
    let body = json!({ "URL": URL, "event": ["lookup.expired"], "env": "test", "secret": "x" });
    let problem = creating(&harness, &body).json_of(400).await;
    let faults = problem["details"]["fields"].as_array().unwrap().iter();
    let faults = faults.filter(|fault| fault["problem"] != "missing");
    let mut meant: Vec<_> = faults
        .map(|fault| (&fault["field"], &fault["meant"]))
        .collect();
    meant.sort_by_key(|(field, _)| field.as_str());
    let expected = json!([["URL", "url"], ["event", "events"], ["secret", null]]);
    assert_eq!(json!(meant), expected);
}

#[tokio::test]
async fn a_webhook_is_added_read_changed_and_removed() {
    let harness = Harness::of_people().await;
    let (created, path) = created(&harness).await;
    let secret = created["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let webhook = &created["webhook"];
    let events = json!(["lookup.delivered", "lookup.expired"]);
    assert_eq!(webhook["events"], events);
    assert_eq!(webhook["env"], "test");
    assert_eq!(good(ask(&harness, OWNER, "GET", &path)).await, *webhook);
    let list = good(ask(&harness, OWNER, "GET", "/webhooks")).await;
    assert_eq!(list, json!([webhook]));
    assert!(!list.to_string().contains("whsec_"));
    let change = |body| sending(&harness, "PATCH", &path, body);
    let changed = good(change(r#"{"enabled":false}"#)).await;
    assert_eq!(changed["enabled"], false);
    assert_eq!(changed["disabled_reason"], "owner");
    let test = sending(&harness, "POST", &format!("{path}/test"), "");
    assert_eq!(refused(test).await, (409, "webhook_disabled".to_owned()));
    let changed = good(change(r#"{"enabled":true}"#)).await;
    assert_eq!(changed["disabled_at"], Value::Null);
    let rotation = sending(&harness, "POST", &format!("{path}/secret"), "");
    let rotated = good(rotation).await;
    assert_ne!(rotated["secret"], created["secret"]);
    assert_ne!(rotated["webhook"]["previous_secret_until"], Value::Null);
    good(ask(&harness, OWNER, "DELETE", &path)).await;
    ask(&harness, OWNER, "GET", &path).json_of(404).await;
}

#[tokio::test]
async fn deliveries_are_listed_and_sent_again() {
    let harness = Harness::of_people().await;
    let (_, path) = created(&harness).await;
    let sent = sending(&harness, "POST", &format!("{path}/test"), "");
    let sent = sent.json_of(202).await;
    assert_eq!(sent["event"], "webhook.test");
    let deliveries = format!("{path}/deliveries");
    let list = good(ask(&harness, OWNER, "GET", &deliveries)).await;
    assert_eq!(list["items"], json!([sent]));
    let resend = format!("{deliveries}/{}/resend", sent["id"].as_str().unwrap());
    let pending = refused(sending(&harness, "POST", &resend, "")).await;
    assert_eq!(pending, (409, "delivery_pending".to_owned()));
    let unknown = format!("{deliveries}/{UNKNOWN}/resend");
    let unknown = sending(&harness, "POST", &unknown, "");
    unknown.json_of(404).await;
}

#[tokio::test]
async fn faulty_bodies_are_explained() {
    let harness = Harness::of_people().await;
    let events = json!(["lookup.failed"]);
    let to = |url: &str| json!({ "url": url, "events": events });
    let with = |member: &str, value: Value| {
        let mut body = to(URL);
        body[member] = value;
        body
    };
    for (body, problem) in [
        (json!({ "events": events }), "missing"),
        (json!({ "url": URL }), "missing"),
        (with("events", json!([])), "empty"),
        (with("events", json!(["webhook.test"])), "not_one_of"),
        (with("events", json!("lookup.failed")), "wrong_type"),
        (with("events", json!([1])), "not_texts"),
        (with("url", json!(7)), "wrong_type"),
        (with("more", json!(1)), "unknown"),
        (with("env", json!("x")), "not_one_of"),
        (to("x"), "malformed_url"),
        (to("http://a.example/"), "not_https"),
        (to("https://a.example:22/"), "wrong_port"),
        (to("https://me@a.example/"), "user_info"),
        (to("https://a.example/#b"), "fragment"),
        (to("https://127.0.0.1/"), "not_public"),
        (to("https://localhost/"), "not_public"),
    ] {
        let refusal = refused(creating(&harness, &body)).await;
        assert_eq!(refusal, (400, problem.to_owned()), "{body}");
    }
    let (_, path) = created(&harness).await;
    let nothing = sending(&harness, "PATCH", &path, "{}");
    assert_eq!(refused(nothing).await, (400, "empty_change".to_owned()));
}

#[tokio::test]
async fn an_account_has_ten_webhooks() {
    let harness = Harness::of_people().await;
    for _ in 0..10 {
        created(&harness).await;
    }
    let eleventh = json!({ "url": URL, "events": ["lookup.failed"] });
    let refusal = refused(creating(&harness, &eleventh)).await;
    assert_eq!(refusal, (409, "too_many_webhooks".to_owned()));
}

#[tokio::test]
async fn nobody_else_sees_them() {
    let harness = Harness::of_people().await;
    let (_, path) = created(&harness).await;
    for token in [OTHER_MEMBER, ADMIN] {
        for (method, path) in [
            ("GET", path.clone()),
            ("DELETE", path.clone()),
            ("POST", format!("{path}/secret")),
            ("POST", format!("{path}/test")),
            ("GET", format!("{path}/deliveries")),
        ] {
            let asking = with_json(ask(&harness, token, method, &path), "");
            assert_eq!(asking.status().await, 404, "{token} {method} {path}");
        }
        let list = good(ask(&harness, token, "GET", "/webhooks")).await;
        assert_eq!(list, json!([]), "{token}");
    }
    let nobody = harness.request("GET", "/webhooks");
    assert_eq!(nobody.status().await, 401);
    let foreign = ask(&harness, OWNER, "DELETE", &path).header("sec-fetch-site", "cross-site");
    assert_eq!(foreign.status().await, 403);
}
