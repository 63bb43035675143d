//! Answers to repeated requests, and requests that are new ones.

use domain::outcome::Outcome;
use testkit::fakes::Script;

use super::{XML, assert_replayed, is_replayed, parts};
use crate::bank;
use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, body, json_of, transcript};

/// The header of an answer that is told again.
const REPLAYED: &str = "idempotent-replayed: true\n";

#[tokio::test]
async fn after_a_failure_or_while_no_proof_is_issued_a_repeated_request_is_a_new_one() {
    for (amount, outcome) in [
        ("429.00", Outcome::BankThrottled),
        ("500.00", Outcome::InternalError),
        ("502.00", Outcome::BankProtocolError),
        ("503.00", Outcome::BankUnavailable),
        ("504.00", Outcome::BankTimeout),
        ("404.02", Outcome::NotIssued),
        ("404.04", Outcome::PaymentInProcess),
        ("404.07", Outcome::PaymentInProcess),
        ("404.09", Outcome::NotFound),
    ] {
        let harness = Harness::start().await;
        let body = body(&[("monto", amount)]);
        for _ in 0..2 {
            let answer = harness.named(XML, "a", &body).await;
            assert!(!is_replayed(&answer), "{amount}");
        }
        assert_eq!(harness.outcomes().await, [outcome; 2]);
        assert_eq!(harness.bank().times_asked(), 2, "{amount}");
    }
}

#[tokio::test]
async fn the_final_state_of_a_payment_is_told_again_and_charged_once() {
    for (amount, outcome) in [
        ("404.03", Outcome::PaymentReturned),
        ("404.05", Outcome::PaymentCanceled),
        ("404.06", Outcome::PaymentRejected),
    ] {
        let harness = Harness::start().await;
        let body = body(&[("monto", amount)]);
        let first = transcript(harness.named(XML, "a", &body).await).await;
        let again = transcript(harness.named(XML, "a", &body).await).await;
        assert_eq!(again.replacen(REPLAYED, "", 1), first);
        assert_ne!(again, first);
        assert_eq!(harness.outcomes().await, [outcome]);
    }
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
    let again = transcript(harness.named(XML, "a", &unknown).await).await;
    assert!(again.starts_with("404"), "{again}");
    assert_eq!(again.replacen(REPLAYED, "", 1), first);
    assert_eq!(harness.outcomes().await, [Outcome::NotFound]);
    assert_eq!(harness.bank().times_asked(), 1);
    assert_eq!(harness.named(XML, "b", &unknown).await.status(), 200);
}

#[tokio::test]
async fn a_faulty_request_is_charged_once() {
    let of_no_bank =
        r#"{"fecha":"2026-11-20","clave_rastreo":"X1","cuenta":"5512345678","monto":"1"}"#;
    for (path, body) in [
        (XML, "{}"),
        (XML, "{\"monto\":"),
        (XML, &"x".repeat(20_000)),
        ("/v1/cep/xml_auto", of_no_bank),
        ("/v1/cep/lookups", "{}"),
        ("/v1/cep/lookups", of_no_bank),
    ] {
        let harness = Harness::start().await;
        let first = harness.named(path, "a", body).await;
        assert!(!is_replayed(&first));
        let first = parts(first).await;
        let expected = if body.len() > 16 * 1024 { 413 } else { 400 };
        assert_eq!(first.0, expected);
        assert_replayed(harness.named(path, "a", body).await, &first).await;
        assert_eq!(harness.outcomes().await.len(), 1, "{path} {body}");
    }
}

#[tokio::test]
async fn earlier_deliveries_are_those_of_the_first_answer() {
    let harness = Harness::start().await;
    let path = "/v1/cep/json";
    let first = parts(harness.named(path, "a", &body(&[])).await).await;
    assert_eq!(harness.post(path, body(&[])).status().await, 200);
    assert_replayed(harness.named(path, "a", &body(&[])).await, &first).await;
    let third = harness.named(path, "b", &body(&[])).await;
    assert_ne!(parts(third).await, first);
}

#[tokio::test]
async fn a_repeated_check_of_a_file_gets_the_same_answer() {
    let harness = Harness::start().await;
    let xml = harness.post(XML, body(&[])).response().await;
    let xml = xml.bytes().await.unwrap();
    let send = async |query: &str, name: &str, file: &[u8]| {
        let path = format!("/v1/cep/verify{query}");
        let request = harness.keyed(GOOD_KEY, "POST", &path);
        let request = request.header("idempotency-key", name);
        let request = request.header("content-type", "application/xml");
        request.body(file.to_owned()).response().await
    };
    let first = parts(send("", "a", &xml).await).await;
    assert_eq!(first.0, 200);
    assert_replayed(send("", "a", &xml).await, &first).await;
    let longer = [&xml, &b" "[..]].concat();
    assert_eq!(send("", "a", &longer).await.status(), 422);
    assert_eq!(send("?portal=true", "a", &xml).await.status(), 422);
    // A file without a proof, too.
    let faulty = parts(send("", "b", b"<a/>").await).await;
    assert_replayed(send("", "b", b"<a/>").await, &faulty).await;
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
    assert_eq!(again.headers()["location"], location);
    assert_replayed(again, &first).await;
    let listed = harness.keyed(GOOD_KEY, "GET", path).json_of(200).await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    // Canceled, and then erased: a repeated request doesn't create another one.
    for status in [200, 204] {
        let removal = harness.keyed(GOOD_KEY, "DELETE", location.to_str().unwrap());
        assert_eq!(removal.status().await, status);
    }
    let gone = harness.named(path, "a", &body(&[])).await;
    assert!(is_replayed(&gone));
    let gone = json_of(gone, 404).await;
    let message = gone["message"].as_str().unwrap();
    assert!(message.contains("Idempotency-Key nuevo"), "{message}");
}
