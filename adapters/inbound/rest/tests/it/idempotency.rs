//! Requests with an idempotency key.

use std::time::Duration;

use domain::outcome::Outcome;
use reqwest::{Response, StatusCode};
use serde_json::Value;

use crate::data::UNCAPPED_KEY;
use crate::harness::{Exchange, Harness, body, faults, header, json_of};

mod answers;
mod crowds;
mod failures;

const XML: &str = "/v1/cep/xml";

impl Harness {
    async fn named(&self, path: &str, name: &str, body: &str) -> Response {
        let request = self.post(path, body.to_owned());
        request.header("idempotency-key", name).response().await
    }

    async fn named_by(&self, key: &str, name: &str, body: &str) -> Response {
        let request = self.post_by(key, XML, body.to_owned());
        request.header("idempotency-key", name).response().await
    }

    /// Asks with the name `a`, of which no request has been answered.
    async fn assert_first(&self, path: &str, body: &str, status: u16) {
        let answer = self.named(path, "a", body).await;
        assert_eq!(answer.status(), status);
        assert!(!is_replayed(&answer));
    }
}

fn is_replayed(answer: &Response) -> bool {
    header(answer, "idempotent-replayed") == "true"
}

/// Fails unless this is the first answer, told again.
async fn assert_replayed(answer: Response, first: &(StatusCode, Vec<u8>)) {
    assert!(is_replayed(&answer), "{answer:?}");
    assert_eq!(parts(answer).await, *first);
}

/// Status and body of an answer.
async fn parts(answer: Response) -> (StatusCode, Vec<u8>) {
    (answer.status(), answer.bytes().await.unwrap().into())
}

/// The code of an error with this status.
async fn code(answer: Response, status: u16) -> String {
    let error = json_of(answer, status).await;
    error["error"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_repeated_request_gets_the_same_proof_and_is_charged_once() {
    for endpoint in ["xml", "pdf", "base64", "json", "json_auto", "zip_auto"] {
        let harness = Harness::start().await;
        let path = format!("/v1/cep/{endpoint}");
        let first = harness.named(&path, "order-1", &body(&[])).await;
        assert!(!is_replayed(&first));
        let limits = first.headers()["ratelimit"].clone();
        let first = parts(first).await;
        assert_eq!(first.0, 200);
        for name in ["order-1", "\"order-1\""] {
            let again = harness.named(&path, name, &body(&[])).await;
            assert_eq!(again.headers()["ratelimit"], limits);
            assert_replayed(again, &first).await;
        }
        assert_eq!(harness.outcomes().await, [Outcome::Delivered]);
        assert_eq!(harness.bank().times_asked(), 1);
    }
}

#[tokio::test]
async fn another_spelling_of_a_request_is_the_same_request() {
    let harness = Harness::start().await;
    let first = harness.named(XML, "a", &body(&[])).await;
    let first = parts(first).await;
    let spelt = body(&[]);
    let members: Value = serde_json::from_str(&spelt).unwrap();
    let members = members.as_object().unwrap().iter().rev();
    let reversed = members.map(|(name, value)| format!("\n  \"{name}\" : {value}"));
    let reversed = reversed.collect::<Vec<_>>().join(",");
    let reversed = format!("{{{reversed}}}");
    for (path, body) in [
        (XML, spelt.replace("\"monto\"", "\"m\\u006fnto\"")),
        (XML, reversed),
        ("/api/v1/cep/xml", spelt),
    ] {
        let again = harness.named(path, "a", &body).await;
        assert_replayed(again, &first).await;
    }
    assert_eq!(harness.outcomes().await.len(), 1);
}

#[tokio::test]
async fn a_name_belongs_to_one_request_of_an_api_key_and_a_path() {
    let harness = Harness::start().await;
    let first = harness.named(XML, "a", &body(&[])).await;
    assert_eq!(first.status(), 200);
    // A number with other digits may mean another amount.
    for other in ["1234.57", "1234.560"] {
        let answer = harness.named(XML, "a", &body(&[("monto", other)])).await;
        assert!(!is_replayed(&answer));
        assert!(answer.headers().contains_key("ratelimit"));
        assert_eq!(code(answer, 422).await, "IDEMPOTENCY_KEY_REUSED");
    }
    assert_eq!(harness.outcomes().await.len(), 1);
    assert!(is_replayed(&harness.named(XML, "a", &body(&[])).await));
    // These are other requests.
    for answer in [
        harness.named("/v1/cep/json", "a", &body(&[])).await,
        harness.named_by(UNCAPPED_KEY, "a", &body(&[])).await,
        harness.named(XML, "b", &body(&[])).await,
    ] {
        assert_eq!(answer.status(), 200);
        assert!(!is_replayed(&answer));
    }
    assert_eq!(harness.outcomes().await.len(), 4);
    let endings = harness.metrics_sink.ended.lock().unwrap();
    let endings = endings.iter().map(|(_, ending)| ending.name());
    let (delivered, reused) = ("delivered", "idempotency_key_reused");
    let others = [delivered; 3];
    let expected = [&[delivered, reused, reused, "repeated"][..], &others].concat();
    assert_eq!(endings.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_name_is_free_again_after_a_day() {
    let harness = Harness::start().await;
    assert_eq!(harness.named(XML, "a", &body(&[])).await.status(), 200);
    let clock = &harness.gateway.services.clock;
    // The bank took a moment of it.
    clock.advance(Duration::from_hours(24) - Duration::from_secs(1));
    assert!(is_replayed(&harness.named(XML, "a", &body(&[])).await));
    clock.advance(Duration::from_secs(1));
    let other = body(&[("monto", "10.00")]);
    harness.assert_first(XML, &other, 200).await;
}

#[tokio::test]
async fn a_malformed_name_is_a_faulty_field() {
    let harness = Harness::start().await;
    for name in ["", "a b", "a.b", "\"a", &"a".repeat(256)] {
        let refusal = json_of(harness.named(XML, name, &body(&[])).await, 400).await;
        let fault = ("Idempotency-Key", "malformed_idempotency_key");
        assert_eq!(faults(&refusal), [fault], "{name}");
    }
    let twice = harness.post(XML, body(&[])).header("idempotency-key", "a");
    let twice = twice.header("idempotency-key", "a").response().await;
    assert_eq!(twice.status(), 400);
    assert_eq!(harness.bank().times_asked(), 0);
}
