//! Requests with an idempotency key.

use std::time::Duration;

use domain::outcome::Outcome;
use futures::future::join_all;
use reqwest::{Response, StatusCode};
use rstest::rstest;
use serde_json::Value;
use testkit::fakes::{Fault, Script};

use crate::bank;
use crate::data::{FAST_KEY, GOOD_KEY, SPENT_KEY, UNCAPPED_KEY};
use crate::harness::{Harness, body, transcript};

const XML: &str = "/v1/cep/xml";

impl Harness {
    async fn named(&self, path: &str, name: &str, body: &str) -> Response {
        let request = self.post(path, body.to_owned());
        request
            .header("idempotency-key", name)
            .send()
            .await
            .unwrap()
    }

    async fn named_by(&self, key: &str, name: &str, body: &str) -> Response {
        let request = self.request("POST", XML).header("x-api-key", key);
        let request = request.header("content-type", "application/json");
        let request = request.header("idempotency-key", name);
        request.body(body.to_owned()).send().await.unwrap()
    }
}

fn is_replayed(answer: &Response) -> bool {
    let replayed = answer.headers().get("idempotent-replayed");
    replayed.is_some_and(|value| value == "true")
}

/// Status and body of an answer; its code, if it is an error.
async fn parts(answer: Response) -> (StatusCode, Vec<u8>) {
    (answer.status(), answer.bytes().await.unwrap().into())
}

async fn code(answer: Response) -> String {
    let body: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    body["error"].as_str().unwrap().to_owned()
}

#[rstest]
#[case("xml")]
#[case("pdf")]
#[case("base64")]
#[case("json")]
#[case("json_auto")]
#[case("zip_auto")]
#[tokio::test]
async fn a_repeated_request_gets_the_same_proof_and_is_charged_once(#[case] endpoint: &str) {
    let harness = Harness::start().await;
    let path = format!("/v1/cep/{endpoint}");
    let first = harness.named(&path, "order-1", &body(&[])).await;
    assert!(!is_replayed(&first));
    let limits = first.headers()["ratelimit"].clone();
    let first = parts(first).await;
    assert_eq!(first.0, 200);
    for name in ["order-1", "\"order-1\""] {
        let again = harness.named(&path, name, &body(&[])).await;
        assert!(is_replayed(&again));
        assert_eq!(again.headers()["ratelimit"], limits);
        assert_eq!(parts(again).await, first);
    }
    assert_eq!(harness.outcomes().await, [Outcome::Delivered]);
    assert_eq!(harness.bank().times_asked(), 1);
}

#[tokio::test]
async fn another_spelling_of_a_request_is_the_same_request() {
    let harness = Harness::start().await;
    let first = harness.named(XML, "a", &body(&[])).await;
    let first = parts(first).await;
    let spelt = body(&[]);
    let members: Value = serde_json::from_str(&spelt).unwrap();
    let members = members.as_object().unwrap();
    let mut reversed: Vec<_> = members
        .iter()
        .map(|(name, value)| format!("\n  \"{name}\" : {value}"))
        .collect();
    reversed.reverse();
    let reversed = format!("{{{}}}", reversed.join(","));
    for (path, body) in [
        (XML, spelt.replace("\"monto\"", "\"m\\u006fnto\"")),
        (XML, reversed),
        ("/api/v1/cep/xml", spelt),
    ] {
        let again = harness.named(path, "a", &body).await;
        assert!(is_replayed(&again), "{path} {body}");
        assert_eq!(parts(again).await, first);
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
        assert_eq!(answer.status(), 422);
        assert!(!is_replayed(&answer));
        assert!(answer.headers().contains_key("ratelimit"));
        assert_eq!(code(answer).await, "IDEMPOTENCY_KEY_REUSED");
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
    let delivered = Outcome::Delivered.name();
    assert_eq!(
        endings.collect::<Vec<_>>(),
        [
            delivered,
            "idempotency_key_reused",
            "idempotency_key_reused",
            "repeated",
            delivered,
            delivered,
            delivered
        ]
    );
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
    let answer = harness.named(XML, "a", &other).await;
    assert_eq!(answer.status(), 200);
    assert!(!is_replayed(&answer));
}

#[tokio::test]
async fn a_malformed_name_is_a_faulty_field() {
    let harness = Harness::start().await;
    for name in ["", "a b", "a.b", "\"a", &"a".repeat(256)] {
        let answer = harness.named(XML, name, &body(&[])).await;
        assert_eq!(answer.status(), 400, "{name}");
        let (_, body) = parts(answer).await;
        let body: Value = serde_json::from_slice(&body).unwrap();
        let fault = &body["details"]["fields"][0];
        assert_eq!(fault["field"], "Idempotency-Key");
        assert_eq!(fault["problem"], "malformed_idempotency_key");
    }
    let twice = harness.post(XML, body(&[])).header("idempotency-key", "a");
    let twice = twice.header("idempotency-key", "a").send().await.unwrap();
    assert_eq!(twice.status(), 400);
    assert_eq!(harness.bank().times_asked(), 0);
}

#[rstest]
#[case("429.00", Outcome::BankThrottled)]
#[case("500.00", Outcome::InternalError)]
#[case("502.00", Outcome::BankProtocolError)]
#[case("503.00", Outcome::BankUnavailable)]
#[case("504.00", Outcome::BankTimeout)]
#[case("404.02", Outcome::NotIssued)]
#[tokio::test]
async fn after_a_failure_or_while_no_proof_is_issued_a_repeated_request_is_a_new_one(
    #[case] amount: &str,
    #[case] outcome: Outcome,
) {
    let harness = Harness::start().await;
    let body = body(&[("monto", amount)]);
    for _ in 0..2 {
        let answer = harness.named(XML, "a", &body).await;
        assert!(!is_replayed(&answer));
    }
    assert_eq!(harness.outcomes().await, [outcome; 2]);
    assert_eq!(harness.bank().times_asked(), 2);
}

#[tokio::test]
async fn an_unknown_payment_stays_unknown_to_a_repeated_request() {
    let harness = Harness::start().await;
    let unknown = body(&[("monto", "20000.00")]);
    let first = transcript(harness.named(XML, "a", &unknown).await).await;
    // By now the bank knows it.
    harness
        .bank()
        .answer_by(|transfer| Script::Issue(bank::proof(transfer)));
    let again = harness.named(XML, "a", &unknown).await;
    assert_eq!(again.status(), 404);
    let again = transcript(again).await;
    assert_eq!(again.replace("idempotent-replayed: true\n", ""), first);
    assert_eq!(harness.outcomes().await, [Outcome::NotFound]);
    assert_eq!(harness.bank().times_asked(), 1);
    assert_eq!(harness.named(XML, "b", &unknown).await.status(), 200);
}

#[rstest]
#[case(XML, "{}")]
#[case(XML, "{\"monto\":")]
#[case(
    "/v1/cep/xml_auto",
    r#"{"fecha":"2026-11-20","clave_rastreo":"X1","cuenta":"5512345678","monto":"1"}"#
)]
#[case("/v1/cep/lookups", "{}")]
#[case(
    "/v1/cep/lookups",
    r#"{"fecha":"2026-11-20","clave_rastreo":"X1","cuenta":"5512345678","monto":"1"}"#
)]
#[tokio::test]
async fn a_faulty_request_is_charged_once(#[case] path: &str, #[case] body: &str) {
    let harness = Harness::start().await;
    let first = harness.named(path, "a", body).await;
    assert!(!is_replayed(&first));
    let first = parts(first).await;
    assert_eq!(first.0, 400);
    let again = harness.named(path, "a", body).await;
    assert!(is_replayed(&again));
    assert_eq!(parts(again).await, first);
    assert_eq!(harness.outcomes().await.len(), 1);
}

#[tokio::test]
async fn earlier_deliveries_are_those_of_the_first_answer() {
    let harness = Harness::start().await;
    let path = "/v1/cep/json";
    let answer = harness.named(path, "a", &body(&[])).await;
    let first = parts(answer).await;
    assert_eq!(
        harness.post(path, body(&[])).send().await.unwrap().status(),
        200
    );
    let again = harness.named(path, "a", &body(&[])).await;
    assert_eq!(parts(again).await, first);
    let third = harness.named(path, "b", &body(&[])).await;
    assert_ne!(parts(third).await, first);
}

#[tokio::test]
async fn a_repeated_check_of_a_file_gets_the_same_answer() {
    let harness = Harness::start().await;
    let xml = harness.post(XML, body(&[])).send().await.unwrap();
    let xml = xml.bytes().await.unwrap();
    let send = |query: &str, name: &str, file: Vec<u8>| {
        let path = format!("/v1/cep/verify{query}");
        let request = harness
            .request("POST", &path)
            .header("idempotency-key", name);
        let request = request.header("x-api-key", GOOD_KEY);
        request
            .header("content-type", "application/xml")
            .body(file)
            .send()
    };
    let first = parts(send("", "a", xml.to_vec()).await.unwrap()).await;
    assert_eq!(first.0, 200);
    let again = send("", "a", xml.to_vec()).await.unwrap();
    assert!(is_replayed(&again));
    assert_eq!(parts(again).await, first);
    let other = send("", "a", [xml.as_ref(), b" "].concat()).await.unwrap();
    assert_eq!(other.status(), 422);
    let other = send("?portal=true", "a", xml.to_vec()).await.unwrap();
    assert_eq!(other.status(), 422);
    // A file without a proof, too.
    let faulty = parts(send("", "b", b"<a/>".to_vec()).await.unwrap()).await;
    let again = send("", "b", b"<a/>".to_vec()).await.unwrap();
    assert!(is_replayed(&again));
    assert_eq!(parts(again).await, faulty);
    assert_eq!(harness.outcomes().await.len(), 3);
}

#[tokio::test]
async fn a_lookup_is_created_once() {
    let harness = Harness::start().await;
    let path = "/v1/cep/lookups";
    let first = harness.named(path, "a", &body(&[])).await;
    assert_eq!(first.status(), 202);
    let location = first.headers()["location"].clone();
    let first = parts(first).await;
    let again = harness.named(path, "a", &body(&[])).await;
    assert!(is_replayed(&again));
    assert_eq!(again.headers()["location"], location);
    assert_eq!(parts(again).await, first);
    let listed = harness.request("GET", path).header("x-api-key", GOOD_KEY);
    let (_, listed) = parts(listed.send().await.unwrap()).await;
    let listed: Value = serde_json::from_slice(&listed).unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    // Canceled, and then erased: a repeated request doesn't create another one.
    for status in [200, 204] {
        let path = location.to_str().unwrap();
        let removal = harness.request("DELETE", path);
        let removal = removal.header("x-api-key", GOOD_KEY).send();
        assert_eq!(removal.await.unwrap().status(), status);
    }
    let gone = harness.named(path, "a", &body(&[])).await;
    assert_eq!(gone.status(), 404);
    assert!(is_replayed(&gone));
}

#[tokio::test]
async fn while_the_first_request_runs_the_same_one_is_told_to_wait() {
    let harness = Harness::start().await;
    harness.bank().hold();
    let body = body(&[]);
    let first = harness.named(XML, "a", &body);
    let second = async {
        loop {
            let answer = harness.named(XML, "a", &body).await;
            assert_eq!(answer.status(), 409);
            assert_eq!(answer.headers()["retry-after"], "1");
            assert_eq!(code(answer).await, "IDEMPOTENCY_KEY_IN_PROGRESS");
            if harness.bank().times_asked() == 1 {
                break;
            }
        }
        let other = harness.named(XML, "a", "{}").await;
        assert_eq!(other.status(), 422);
        harness.bank().release();
    };
    // The first one claims its name before the second is sent.
    let waiting = async {
        while !harness.store_faults().calls().contains_key("claim_scope") {
            tokio::task::yield_now().await;
        }
        second.await;
    };
    let (first, ()) = tokio::join!(first, waiting);
    assert_eq!(first.status(), 200);
    assert!(is_replayed(&harness.named(XML, "a", &body).await));
    assert_eq!(harness.outcomes().await.len(), 1);
}

#[rstest]
#[case(XML, 200)]
#[case("/v1/cep/lookups", 202)]
#[tokio::test]
async fn of_200_requests_at_once_one_is_charged_and_all_are_answered_alike(
    #[case] path: &str,
    #[case] status: u16,
) {
    let harness = Harness::start().await;
    let body = body(&[]);
    let one = async || {
        loop {
            let answer = harness.named(path, "a", &body).await;
            if answer.status() == status {
                return parts(answer).await;
            }
            assert_eq!(answer.status(), 409);
        }
    };
    let answers = join_all((0..200).map(|_| one())).await;
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    let charged = usize::from(path == XML);
    assert_eq!(harness.gateway.requests().len(), charged);
    assert_eq!(harness.bank().times_asked(), charged);
}

#[tokio::test]
async fn a_caller_whose_limit_is_used_up_writes_nothing_and_still_gets_first_answers() {
    let harness = Harness::start().await;
    for (key, status) in [(FAST_KEY, 429), (SPENT_KEY, 402)] {
        let answer = harness.named_by(key, "a", &body(&[])).await;
        assert_eq!(answer.status(), status);
        assert!(answer.headers().contains_key("ratelimit"));
    }
    assert_eq!(harness.store_faults().calls().get("claim_scope"), None);
    let body = body(&[]);
    assert_eq!(harness.named(XML, "a", &body).await.status(), 200);
    // 60 a minute, of which two were used.
    for _ in 0..57 {
        assert_eq!(
            harness
                .post(XML, body.clone())
                .send()
                .await
                .unwrap()
                .status(),
            200
        );
    }
    assert_eq!(harness.named(XML, "b", &body).await.status(), 429);
    assert_eq!(harness.named(XML, "a", &body).await.status(), 200);
}

#[tokio::test]
async fn repeated_requests_are_bounded() {
    let harness = Harness::start().await;
    let body = body(&[]);
    assert_eq!(harness.named(XML, "a", &body).await.status(), 200);
    for _ in 0..600 {
        assert!(is_replayed(&harness.named(XML, "a", &body).await));
    }
    let answer = harness.named(XML, "a", &body).await;
    assert_eq!(answer.status(), 429);
    assert!(answer.headers().contains_key("retry-after"));
    assert_eq!(code(answer).await, "RATE_LIMIT_EXCEEDED");
    assert_eq!(harness.outcomes().await.len(), 1);
}

#[tokio::test]
async fn without_a_good_key_nothing_is_looked_up() {
    let harness = Harness::start().await;
    let key = "cep_test_Nobody00.000000000000000000000000";
    let answer = harness.named_by(key, "a", &body(&[])).await;
    assert_eq!(answer.status(), 401);
    assert_eq!(harness.store_faults().calls().get("earlier_request"), None);
}

#[rstest]
#[case("earlier_request")]
#[case("claim_scope")]
#[tokio::test]
async fn while_the_store_fails_a_named_request_is_not_admitted(#[case] method: &'static str) {
    let harness = Harness::start().await;
    harness.store_faults().inject_into(method, Fault::Fails);
    let answer = harness.named(XML, "a", &body(&[])).await;
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    assert_eq!(harness.outcomes().await, []);
    // A request without a name needs nothing of it.
    assert_eq!(
        harness.post(XML, body(&[])).send().await.unwrap().status(),
        200
    );
}

#[tokio::test]
async fn an_answer_that_cannot_be_recorded_leaves_and_its_name_is_free_after_two_minutes() {
    let harness = Harness::start().await;
    let faults = harness.store_faults();
    faults.inject_into("record_answer", Fault::Fails);
    assert_eq!(harness.named(XML, "a", &body(&[])).await.status(), 200);
    faults.clear();
    assert_eq!(harness.named(XML, "a", &body(&[])).await.status(), 409);
    harness
        .gateway
        .services
        .clock
        .advance(Duration::from_mins(2));
    let answer = harness.named(XML, "a", &body(&[])).await;
    assert_eq!(answer.status(), 200);
    assert!(!is_replayed(&answer));
}

#[tokio::test]
async fn a_lookup_that_cannot_be_stored_leaves_its_name_free() {
    let harness = Harness::start().await;
    let faults = harness.store_faults();
    faults.inject_into("add_lookup", Fault::Fails);
    let path = "/v1/cep/lookups";
    assert_eq!(harness.named(path, "a", &body(&[])).await.status(), 503);
    faults.clear();
    let answer = harness.named(path, "a", &body(&[])).await;
    assert_eq!(answer.status(), 202);
    assert!(!is_replayed(&answer));
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_refused_as_without_a_name() {
    let harness = Harness::with_body_deadline(Duration::from_millis(200)).await;
    let large = "x".repeat(20_000);
    let answer = harness.named(XML, "a", &large).await;
    assert_eq!(answer.status(), 413);
    let plain = harness.post(XML, "{}").header("idempotency-key", "a");
    let plain = plain
        .header("content-type", "text/plain")
        .send()
        .await
        .unwrap();
    assert_eq!(plain.status(), 415);
    let head = format!(
        "POST {XML} HTTP/1.1\r\nhost: x\r\nx-api-key: {GOOD_KEY}\r\nidempotency-key: a\r\n\
         content-type: application/json\r\ncontent-length: 9\r\n\r\n{{"
    );
    let slow = harness.raw(head.as_bytes()).await;
    assert!(slow.starts_with("HTTP/1.1 408 "), "{slow}");
    // Its name was never claimed.
    assert_eq!(harness.named(XML, "a", &body(&[])).await.status(), 200);
}
