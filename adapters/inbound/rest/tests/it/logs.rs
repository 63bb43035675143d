//! One line a request, and no personal data or secret in any of them.

use std::io;
use std::sync::Arc;

use testkit::log::listen;

use crate::fakes::{BLIND_KEY, FORGOTTEN_KEY, GOOD_KEY};
use crate::harness::{Harness, body};
use crate::people::fakes::{ACTIVE_KEY, ADMIN, MEMBER, NEW_SECRET, UNCHECKED};

#[tokio::test]
async fn a_request_is_one_line_with_what_statistics_want() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    let unnamed = body(&[("emisor", ""), ("receptor", "")]);
    harness
        .post("/api/v1/cep/xml_auto", unnamed)
        .send()
        .await
        .unwrap();
    harness
        .request("GET", "/healthz")
        .header("x-request-id", "test-2")
        .send()
        .await
        .unwrap();
    harness
        .request("GET", "/secret?key=1")
        .header("x-request-id", "test-3")
        .send()
        .await
        .unwrap();
    harness.tasks.close();
    harness.tasks.wait().await;
    let requests = lines.fields_of("cep::request");
    assert_eq!(
        requests,
        [
            serde_json::json!({
                "method": "POST",
                "route": "/api/v1/cep/xml_auto",
                "status": 200,
                "outcome": "delivered",
                "endpoint": "xml_auto",
                "key": "00000000-0000-0000-0000-000000000000",
                "environment": "test",
                "issuer": 40012,
                "receiver": 40002,
                "issuer_evidence": "tracking_key_shape:high",
                "receiver_evidence": "clabe_prefix",
                "bank_ms": 12.0,
                "duration_ms": 0.0,
                "client_gone": false,
                "request_id": "test-1"
            }),
            serde_json::json!({
                "method": "GET",
                "route": "/healthz",
                "status": 200,
                "duration_ms": 0.0,
                "request_id": "test-2"
            }),
            serde_json::json!({
                "method": "GET",
                "route": "unknown",
                "status": 404,
                "duration_ms": 0.0,
                "request_id": "test-3"
            }),
        ]
    );
}

#[tokio::test]
async fn a_proof_that_may_not_leave_is_logged_as_our_failure_with_its_cause_once() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    let answer = harness
        .request("POST", "/v1/cep/xml")
        .header("x-api-key", FORGOTTEN_KEY)
        .header("content-type", "application/json")
        .body(body(&[]))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 503);
    harness.tasks.close();
    harness.tasks.wait().await;
    let requests = lines.fields_of("cep::request");
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0]["outcome"], "internal_error");
    let text = lines.text();
    assert_eq!(text.matches("could not be written down").count(), 1);
    assert_eq!(text.matches("a synthetic cause").count(), 1);
}

#[tokio::test]
async fn why_a_key_could_not_be_read_is_logged_once() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    let answer = harness
        .request("POST", "/v1/cep/xml")
        .header("x-api-key", BLIND_KEY)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 503);
    harness.tasks.close();
    harness.tasks.wait().await;
    assert_eq!(lines.fields_of("cep::request")[0]["outcome"], "unavailable");
    let text = lines.text();
    assert_eq!(text.matches("a synthetic cause").count(), 1);
}

#[tokio::test]
async fn why_the_bank_gave_nothing_is_logged_to_the_innermost_cause() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    for amount in ["503.00", "429.00"] {
        let body = body(&[("monto", amount)]);
        harness.post("/v1/cep/xml", body).send().await.unwrap();
    }
    harness.tasks.close();
    harness.tasks.wait().await;
    let text = lines.text();
    for said in [
        r#""cause":"a synthetic cause: a synthetic refusal""#,
        r#""reason":"captcha_page""#,
    ] {
        assert_eq!(text.matches(said).count(), 1, "{said} in {text}");
    }
}

#[tokio::test]
async fn neither_personal_data_nor_a_secret_is_ever_logged() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    let amounts = [
        "7654321.99",
        "404.00",
        "404.02",
        "500.01",
        "502.00",
        "503.00",
        "504.00",
        "0.001",
    ];
    for amount in amounts {
        let body = body(&[("monto", amount), ("cuenta", "\"002010099999999994\"")]);
        harness.post("/v1/cep/pdf", body).send().await.unwrap();
    }
    let broken = body(&[("cuenta", "\"002010099999999994")]);
    harness.post("/v1/cep/pdf", broken).send().await.unwrap();
    harness.tasks.close();
    harness.tasks.wait().await;
    let text = lines.text();
    assert_eq!(lines.fields_of("cep::request").len(), amounts.len() + 1);
    let secret = GOOD_KEY.split_once('.').unwrap().1;
    for canary in [
        "002010099999999994",
        "7654321",
        "765432199",
        "MBAN0100",
        secret,
    ] {
        assert!(!text.contains(canary), "{canary} in {text}");
    }
    assert_eq!(
        text.matches("a synthetic cause").count(),
        2,
        "each cause once"
    );
}

#[tokio::test]
async fn a_persons_request_is_one_line_without_what_identifies_anything() {
    let (lines, _guard) = listen();
    let harness = Harness::start().await;
    let asked = [
        (
            MEMBER,
            "POST",
            "/keys".to_owned(),
            r#"{"name":"canary name","env":"test"}"#,
        ),
        (MEMBER, "DELETE", format!("/keys/{ACTIVE_KEY}"), ""),
        (ADMIN, "GET", "/admin/keys?q=canary+search".to_owned(), ""),
        ("a-canary-token", "GET", "/keys".to_owned(), ""),
        (UNCHECKED, "GET", "/keys".to_owned(), ""),
    ];
    for (token, method, path, body) in asked {
        let request = harness
            .request(method, &path)
            .header("cookie", format!("cep_session={token}"))
            .header("x-request-id", "test-1")
            .header("content-type", "application/json");
        request.body(body).send().await.unwrap();
    }
    let trouble = ports::inbound::KeyError::Store(Arc::new(io::Error::other("a store's cause")));
    *harness.people.trouble.lock().unwrap() = Some(trouble);
    let request = harness
        .request("GET", "/keys")
        .header("x-request-id", "test-1");
    let request = request.header("cookie", format!("cep_session={MEMBER}"));
    request.send().await.unwrap();

    let told: Vec<_> = lines
        .fields_of("cep::request")
        .iter()
        .map(|line| format!("{} {} {}", line["method"], line["route"], line["status"]))
        .collect();
    assert_eq!(
        told,
        [
            r#""POST" "/keys" 201"#,
            r#""DELETE" "/keys/{id}" 200"#,
            r#""GET" "/admin/keys" 200"#,
            r#""GET" "/keys" 401"#,
            r#""GET" "/keys" 503"#,
            r#""GET" "/keys" 503"#,
        ]
    );
    let text = lines.text();
    let secret = NEW_SECRET.split_once('.').unwrap().1;
    let tokens = [MEMBER, ADMIN, UNCHECKED, "a-canary-token"];
    for canary in [&tokens[..], &[secret, "canary", ACTIVE_KEY]].concat() {
        assert!(!text.contains(canary), "{canary} in {text}");
    }
    assert_eq!(text.matches("a synthetic cause").count(), 2);
    assert_eq!(text.matches("a store's cause").count(), 1);
}
