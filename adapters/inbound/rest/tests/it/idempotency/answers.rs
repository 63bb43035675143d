//! Answers to repeated requests, and requests that are new ones.

use domain::outcome::Outcome;
use rstest::rstest;
use serde_json::Value;
use testkit::fakes::Script;

use super::{XML, is_replayed, parts};
use crate::bank;
use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, body, transcript};

/// The header of an answer that is told again.
const REPLAYED: &str = "idempotent-replayed: true\n";

#[rstest]
#[case("429.00", Outcome::BankThrottled)]
#[case("500.00", Outcome::InternalError)]
#[case("502.00", Outcome::BankProtocolError)]
#[case("503.00", Outcome::BankUnavailable)]
#[case("504.00", Outcome::BankTimeout)]
#[case("404.02", Outcome::NotIssued)]
#[case("404.04", Outcome::PaymentInProcess)]
#[case("404.07", Outcome::PaymentInProcess)]
#[case("404.09", Outcome::NotFound)]
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

#[rstest]
#[case("404.03", Outcome::PaymentReturned)]
#[case("404.05", Outcome::PaymentCanceled)]
#[case("404.06", Outcome::PaymentRejected)]
#[tokio::test]
async fn the_final_state_of_a_payment_is_told_again_and_charged_once(
    #[case] amount: &str,
    #[case] outcome: Outcome,
) {
    let harness = Harness::start().await;
    let body = body(&[("monto", amount)]);
    let first = transcript(harness.named(XML, "a", &body).await).await;
    let again = transcript(harness.named(XML, "a", &body).await).await;
    assert_eq!(again.replacen(REPLAYED, "", 1), first);
    assert_ne!(again, first);
    assert_eq!(harness.outcomes().await, [outcome]);
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
    assert_eq!(harness.post(path, body(&[])).response().await.status(), 200);
    let again = harness.named(path, "a", &body(&[])).await;
    assert_eq!(parts(again).await, first);
    let third = harness.named(path, "b", &body(&[])).await;
    assert_ne!(parts(third).await, first);
}

#[tokio::test]
async fn a_repeated_check_of_a_file_gets_the_same_answer() {
    let harness = Harness::start().await;
    let xml = harness.post(XML, body(&[])).response().await;
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
    let (_, listed) = parts(listed.response().await).await;
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
