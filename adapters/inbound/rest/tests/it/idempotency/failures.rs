//! Idempotency keys while something fails.

use std::time::Duration;

use testkit::fakes::Fault;

use super::XML;
use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, body};

#[tokio::test]
async fn while_the_store_fails_a_named_request_is_not_admitted() {
    for method in ["earlier_request", "claim_scope"] {
        let harness = Harness::start().await;
        harness.store_faults().inject_into(method, Fault::Fails);
        let answer = harness.named(XML, "a", &body(&[])).await;
        assert_eq!(answer.status(), 503);
        assert!(answer.headers().contains_key("retry-after"));
        assert_eq!(harness.outcomes().await, []);
        // A request without a name needs nothing of it.
        assert_eq!(harness.post(XML, body(&[])).status().await, 200);
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_recorded_leaves_and_its_name_is_free_after_two_minutes() {
    let harness = Harness::start().await;
    let faults = harness.store_faults();
    faults.inject_into("record_answer", Fault::Fails);
    assert_eq!(harness.named(XML, "a", &body(&[])).await.status(), 200);
    faults.clear();
    assert_eq!(harness.named(XML, "a", &body(&[])).await.status(), 409);
    let clock = &harness.gateway.services.clock;
    clock.advance(Duration::from_mins(2));
    harness.assert_first(XML, &body(&[]), 200).await;
}

#[tokio::test]
async fn a_lookup_that_cannot_be_stored_leaves_its_name_free() {
    let harness = Harness::start().await;
    let faults = harness.store_faults();
    faults.inject_into("add_lookup", Fault::Fails);
    let path = "/v1/cep/lookups";
    assert_eq!(harness.named(path, "a", &body(&[])).await.status(), 503);
    faults.clear();
    harness.assert_first(path, &body(&[]), 202).await;
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_refused_as_without_a_name() {
    let harness = Harness::with_body_deadline(Duration::from_millis(200)).await;
    let head = format!(
        "POST {XML} HTTP/1.1\r\nhost: x\r\nx-api-key: {GOOD_KEY}\r\nidempotency-key: a\r\n\
         content-type: application/json\r\ncontent-length: 9\r\n\r\n{{"
    );
    let slow = harness.raw(head.as_bytes()).await;
    assert!(slow.starts_with("HTTP/1.1 408 "), "{slow}");
    // Its name was never claimed.
    assert_eq!(harness.named(XML, "a", &body(&[])).await.status(), 200);
}
