//! One line a request, and no personal data or secret in any of them.

use std::io;
use std::sync::Arc;

use ports::outbound::{JournalError, TokenError};
use serde_json::{Value, json};
use testkit::fakes::Fault;
use testkit::log::{Lines, listen};

use crate::data::{FAST_KEY, GOOD_KEY, GOOD_KEY_ID, SPENT_KEY};
use crate::harness::{Exchange, Harness, body};
use crate::people::data::{ACTIVE_KEY, ADMIN, MEMBER};
use crate::people::{ask, with_json};

#[tokio::test]
async fn a_request_is_one_log_line_with_its_statistics() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    let unnamed = body(&[("emisor", ""), ("receptor", "")]);
    let unnamed = harness.post("/api/v1/cep/xml_auto", unnamed);
    unnamed.response().await;
    for (path, id) in [("/healthz", "test-2"), ("/secret?key=1", "test-3")] {
        let request = harness.unnamed("GET", path);
        request.header("x-request-id", id).response().await;
    }
    harness.all_ended().await;
    let page = |route, status, id| {
        json!({
            "method": "GET",
            "route": route,
            "status": status,
            "duration_ms": 0.0,
            "request_id": id,
        })
    };
    let proof = json!({
        "method": "POST",
        "route": "/api/v1/cep/xml_auto",
        "status": 200,
        "outcome": "delivered",
        "endpoint": "xml_auto",
        "key": GOOD_KEY_ID,
        "environment": "test",
        "issuer": 40012,
        "receiver": 40002,
        "issuer_evidence": "tracking_key_shape:high",
        "receiver_evidence": "clabe_prefix",
        "bank_ms": 12.0,
        "duration_ms": 12.0,
        "client_gone": false,
        "request_id": "test-1",
    });
    let mut unknown = page("unknown", 404, "test-3");
    unknown["problem"] = json!("route_not_found");
    let expected = [proof, page("/healthz", 200, "test-2"), unknown];
    assert_eq!(lines.fields_of("cep::request"), expected);
}

/// Fails unless the log has each of these texts once.
fn assert_said_once(lines: &Lines, texts: &[&str]) {
    let log = lines.text();
    for text in texts {
        assert_eq!(log.matches(text).count(), 1, "{text} in {log}");
    }
}

/// Otherwise nobody could say whose requests are refused.
#[tokio::test]
async fn the_line_of_a_request_that_its_limits_refuse_names_its_key() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    for (key, status) in [
        (FAST_KEY, 429),
        (SPENT_KEY, 402),
        ("cep_test_AbCd1234.wrong", 401),
    ] {
        let refused = harness.post_by(key, "/v1/cep/xml", body(&[]));
        assert_eq!(refused.status().await, status);
    }
    harness.all_ended().await;
    let lines = lines.fields_of("cep::request");
    let keys: Vec<_> = lines.iter().map(|line| line["key"].as_str()).collect();
    let id = |number| format!("0198f3c2-7d3e-7000-8000-00000000000{number}");
    assert_eq!(keys, [Some(&*id(3)), Some(&*id(4)), None]);
    assert_eq!(lines[0]["environment"], "test");
}

/// Otherwise support could not say whose requests are refused, nor why.
#[tokio::test]
async fn a_refusal_is_logged_by_fields_and_codes_and_a_batch_with_its_key() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    let lookups = "/v1/cep/lookups";
    let masked = body(&[("cuenta", "\"****9999\"")]);
    let faulty = body(&[("cuenta", "\"00201\"")]);
    for body in [masked, faulty] {
        assert_eq!(harness.post(lookups, body).status().await, 400);
    }
    let receipt = harness.post("/v1/cep/receipts", "");
    assert_eq!(receipt.status().await, 400);
    let table = "fecha,clave_rastreo,cuenta,monto\n2026-11-20,MBAN01002611200001234567,002010077777777771,1\n";
    for (query, table, status) in [
        ("?dry_run=true", table, 200),
        ("", table, 202),
        ("", "fecha\n2026-11-20\n", 400),
    ] {
        let path = format!("/v1/cep/batches{query}");
        let request = harness.keyed(GOOD_KEY, "POST", &path);
        let request = request.header("content-type", "text/csv").body(table);
        assert_eq!(request.status().await, status);
    }
    harness.all_ended().await;
    let lines = lines.fields_of("cep::request");
    let told = lines.iter().map(|line| line["problem"].as_str());
    let expected = [
        Some("cuenta:no_own_account"),
        Some("cuenta:wrong_length"),
        Some("empty_receipt"),
        None,
        None,
        Some("missing_columns"),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    for line in lines {
        let key = (&line["key"], &line["environment"]);
        assert_eq!(key, (&json!(GOOD_KEY_ID), &json!("test")));
    }
}

#[tokio::test]
async fn a_proof_that_may_not_leave_is_logged_as_our_failure_with_its_cause_once() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    let cause = Arc::new(io::Error::other("a synthetic cause"));
    let failure = JournalError::Store { cause };
    harness.journal().fail_with(Some(failure));
    let request = harness.post("/v1/cep/xml", body(&[]));
    assert_eq!(request.status().await, 503);
    harness.all_ended().await;
    let requests = lines.fields_of("cep::request");
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0]["outcome"], "internal_error");
    assert_said_once(&lines, &["could not be written down", "a synthetic cause"]);
}

#[tokio::test]
async fn why_a_key_could_not_be_read_is_logged_once() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    harness.store_faults().inject(Fault::Fails);
    let request = harness.post("/v1/cep/xml", body(&[]));
    assert_eq!(request.status().await, 503);
    harness.all_ended().await;
    assert_eq!(lines.fields_of("cep::request")[0]["outcome"], "unavailable");
    assert_said_once(&lines, &["no such table"]);
}

#[tokio::test]
async fn why_the_bank_gave_nothing_is_logged_to_the_innermost_cause() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    for amount in ["503.00", "429.00"] {
        let body = body(&[("monto", amount)]);
        harness.post("/v1/cep/xml", body).response().await;
    }
    harness.all_ended().await;
    let cause = r#""cause":"a synthetic cause: a synthetic refusal""#;
    assert_said_once(&lines, &[cause, r#""reason":"captcha_page""#]);
}

#[tokio::test]
async fn neither_personal_data_nor_a_secret_is_ever_logged() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    let failures = ["500.00", "502.00", "503.00", "504.00", "0.001"];
    let amounts = [&["7654321.99", "404.00", "404.02"][..], &failures].concat();
    for amount in &amounts {
        let body = body(&[("monto", amount), ("cuenta", "\"002010099999999994\"")]);
        harness.post("/v1/cep/pdf", body).response().await;
    }
    let broken = body(&[("cuenta", "\"002010099999999994")]);
    harness.post("/v1/cep/pdf", broken).response().await;
    harness.all_ended().await;
    let text = lines.text();
    assert_eq!(lines.fields_of("cep::request").len(), amounts.len() + 1);
    let secret = GOOD_KEY.split_once('.').unwrap().1;
    let account = "002010099999999994";
    for canary in [account, "7654321", "765432199", "MBAN0100", secret] {
        assert!(!text.contains(canary), "{canary} in {text}");
    }
    let causes = text.matches("a synthetic cause").count();
    assert_eq!(causes, 2, "each cause once");
}

#[tokio::test]
async fn a_persons_request_is_one_line_without_what_identifies_anything() {
    let (lines, _guard) = listen();
    let harness = Harness::of_people().await;
    let asking = async |token: &str, method: &str, path: &str, body: &'static str| {
        let request = with_json(ask(&harness, token, method, path), body);
        request.response().await.text().await.unwrap()
    };
    let new_key = r#"{"name":"canary name","env":"test"}"#;
    let created = asking(MEMBER, "POST", "/keys", new_key).await;
    let created: Value = serde_json::from_str(&created).unwrap();
    let key = created["api_key"].as_str().unwrap();
    let (_, secret) = key.split_once('.').unwrap();
    asking(MEMBER, "DELETE", &format!("/keys/{ACTIVE_KEY}"), "").await;
    asking(ADMIN, "GET", "/admin/keys?text=canary+search", "").await;
    asking("a-canary-token", "GET", "/keys", "").await;
    harness.store_faults().inject(Fault::Fails);
    asking(MEMBER, "GET", "/keys", "").await;
    let cause = Arc::new(io::Error::other("a synthetic cause"));
    let identity = &harness.gateway.services.identity;
    identity.fail_verifying_with(Some(TokenError::Unavailable(cause)));
    asking(MEMBER, "GET", "/keys", "").await;

    let requests = lines.fields_of("cep::request");
    let told = requests
        .iter()
        .map(|line| json!([line["method"], line["route"], line["status"]]));
    let expected = json!([
        ["POST", "/keys", 201],
        ["DELETE", "/keys/{id}", 200],
        ["GET", "/admin/keys", 200],
        ["GET", "/keys", 401],
        ["GET", "/keys", 503],
        ["GET", "/keys", 503],
    ]);
    assert_eq!(told.collect::<Value>(), expected);
    let text = lines.text();
    for canary in [MEMBER, ADMIN, "a-canary-token", secret, "canary"] {
        assert!(!text.contains(canary), "{canary} in {text}");
    }
    assert!(!format!("{requests:?}").contains(ACTIVE_KEY));
    let causes = [
        "no token of this provider",
        "no such table",
        "a synthetic cause",
    ];
    assert_said_once(&lines, &causes);
}
