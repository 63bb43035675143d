//! Checks of files over HTTP: the second opinion on a seal.

use chrono::{DateTime, Utc};
use domain::outcome::Outcome;
use ports::contract::bank::transfer;
use reqwest::RequestBuilder;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::fakes::unsealed_proof;

use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness};

/// The day after the proof's.
const NEXT_DAY: &str = "2025-06-17T18:00:00Z";

async fn harness() -> Harness {
    let harness = Harness::start().await;
    let now: DateTime<Utc> = NEXT_DAY.parse().unwrap();
    harness.gateway.services.clock.set_wall(now);
    harness
}

/// A check of a proof of this tracking key, whose certificate nobody knows.
fn check(harness: &Harness, query: &str, tracking_key: &str) -> RequestBuilder {
    let xml = unsealed_proof(&transfer(123_456, tracking_key))
        .xml
        .unwrap();
    let path = format!("/v1/cep/verify{query}");
    let request = harness.keyed(GOOD_KEY, "POST", &path);
    request.header("content-type", "application/xml").body(xml)
}

#[tokio::test]
async fn a_second_opinion_is_a_verdict_or_says_why_there_is_none() {
    let harness = harness().await;
    for (name, tracking_key) in [("valid", "KEY1"), ("invalid", "KEY2"), ("timeout", "KEY3")] {
        let answer = check(&harness, "?banxico=true", tracking_key)
            .transcript()
            .await;
        insta::assert_snapshot!(format!("a_second_opinion__{name}"), answer);
    }
    assert_eq!(harness.outcomes().await, [Outcome::Delivered; 3]);
    // The verdict is kept.
    let answer = check(&harness, "?banxico=true", "KEY1").json_of(200).await;
    assert_eq!(answer["banxico"]["estado"], "valid");
    assert_eq!(harness.gateway.validator.asked().len(), 3);
    assert!(harness.bank().asked().is_empty());
}

#[rstest]
#[case("", None)]
#[case("?banxico=false", None)]
#[case("?banxico=true", Some(json!("valid")))]
#[case("?portal=true&banxico=true", Some(json!("valid")))]
#[tokio::test]
async fn the_validator_is_asked_if_the_caller_says_so(
    #[case] query: &str,
    #[case] expected: Option<Value>,
) {
    let harness = harness().await;
    let answer = check(&harness, query, "KEY1").json_of(200).await;
    assert_eq!(
        answer.pointer("/banxico/estado"),
        expected.as_ref(),
        "{answer}"
    );
    let source = expected.as_ref().map(|_| json!("banxico"));
    assert_eq!(answer["sello"].get("fuente"), source.as_ref(), "{answer}");
    let asked = harness.gateway.validator.asked().len();
    assert_eq!(asked, usize::from(expected.is_some()));
}

#[rstest]
#[case("?banxico=1")]
#[case("?banxico=")]
#[case("?Banxico=true")]
#[case("?banxico=true&banxico=true")]
#[tokio::test]
async fn the_parameter_is_read_strictly(#[case] query: &str) {
    let harness = harness().await;
    let answer = check(&harness, query, "KEY1").json_of(400).await;
    assert_eq!(answer["error"], "INVALID_REQUEST", "{answer}");
    assert_eq!(harness.gateway.validator.asked().len(), 0);
}

#[tokio::test]
async fn a_repeated_request_gets_its_verdict_again_and_asks_anew_where_there_was_none() {
    let harness = harness().await;
    let send = |tracking_key| {
        let request = check(&harness, "?banxico=true", tracking_key);
        request.header("idempotency-key", tracking_key).response()
    };
    let is_replayed =
        |answer: &reqwest::Response| answer.headers().contains_key("idempotent-replayed");
    // Valid, invalid, and no answer in time.
    for (tracking_key, replayed) in [("KEY1", true), ("KEY2", true), ("KEY3", false)] {
        let first = send(tracking_key).await;
        assert!(!is_replayed(&first));
        let again = send(tracking_key).await;
        assert_eq!(is_replayed(&again), replayed, "{tracking_key}");
        if replayed {
            assert_eq!(again.text().await.unwrap(), first.text().await.unwrap());
        }
    }
    assert_eq!(harness.gateway.validator.asked().len(), 4);
}
