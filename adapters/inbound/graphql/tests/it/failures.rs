//! Failures: the response has a request id, and nothing of the cause.

use std::time::Duration;

use insta::assert_json_snapshot;
use rstest::rstest;
use serde_json::json;
use testkit::fakes::{DRIVER_ERROR, Fault};

use crate::data::key_id;
use crate::harness::{Harness, permitted};

const KEYS: &str = "{ keys { totalCount } }";

#[tokio::test]
async fn a_broken_store_shows_a_request_id_and_nothing_else() {
    let harness = Harness::new().await;
    harness.services.store.faults().inject(Fault::Fails);
    for language in ["en", "es"] {
        let answer = harness.ask_in(language, "member", KEYS).await;
        assert_eq!(answer.status, 200);
        assert_json_snapshot!(format!("internal_error_{language}"), answer.json());
    }
}

/// `ID` stands for an id, which nothing has to have: the caller's account is read first.
#[rstest]
#[case("{ viewer { account { id } } }")]
#[case("{ requests { nodes { id } } }")]
#[case("{ usage(range: { granularity: DAY, newest: 1 }) { slots } }")]
#[case("{ lookups { nodes { id } } }")]
#[case("{ lookup(id: ID) { id } }")]
#[case("{ batches { nodes { id } } }")]
#[case("{ batch(id: ID) { id } }")]
#[case("{ batchRows(id: ID) { nodes { row } } }")]
#[case("{ webhooks { id } }")]
#[case("{ webhook(id: ID) { id } }")]
#[case("{ webhookDeliveries(id: ID) { nodes { id } } }")]
#[case("{ admin { accounts { totalCount } audit { nodes { id } } } }")]
#[case("{ admin { keys(first: 3) { nodes { window { remaining } } } } }")]
#[case("{ admin { keys { totalCount } key(id: ID) { id } } }")]
#[case("mutation { createKey(input: { name: \"x\" }) { apiKey } }")]
#[case("mutation { rotateKey(input: { id: ID }) { apiKey } }")]
#[case("mutation { cancelLookup(input: { id: ID }) { lookup { id } } }")]
#[case("mutation { eraseLookup(input: { id: ID }) { erasedId } }")]
#[case("mutation { cancelBatch(input: { id: ID }) { batch { id } } }")]
#[case("mutation { eraseBatch(input: { id: ID }) { erasedId } }")]
#[case("mutation { updateWebhook(input: { id: ID, enabled: true }) { webhook { id } } }")]
#[case("mutation { removeWebhook(input: { id: ID }) { removedId } }")]
#[case("mutation { rotateWebhookSecret(input: { id: ID }) { secret } }")]
#[case("mutation { testWebhook(input: { id: ID }) { delivery { id } } }")]
#[case("mutation { adminSetPlan(input: { accountId: ID, plan: STARTUP }) { account { id } } }")]
#[tokio::test]
async fn no_text_of_a_driver_is_in_a_response(#[case] query: &str) {
    let harness = Harness::new().await;
    if !query.contains("window") {
        harness.services.store.faults().inject(Fault::Fails);
    }
    harness.services.limiter.faults().inject(Fault::Fails);
    let query = query.replace("ID", &format!("\"{}\"", key_id(1)));
    let answer = harness.admin(&query).await;
    assert_eq!(answer.code(), "INTERNAL_ERROR");
    let json = answer.json();
    for error in json["errors"].as_array().unwrap() {
        assert_eq!(error["extensions"]["request_id"], "test-1");
    }
    for word in DRIVER_ERROR.split(' ') {
        let leaks = word.len() > 4 && answer.text.contains(word);
        assert!(!leaks, "{word}: {}", answer.text);
    }
}

#[rstest]
#[case(KEYS)]
#[case("mutation { createKey(input: { name: \"x\" }) { apiKey } }")]
#[tokio::test]
async fn a_panic_is_a_failure_like_any_other(#[case] query: &str) {
    let harness = Harness::new().await;
    harness.services.store.faults().inject(Fault::Panics);
    let answer = harness.member(query).await;
    assert_eq!(answer.status, 500);
    assert_json_snapshot!("panic", answer.json());
    harness.services.store.faults().clear();
    harness.member(KEYS).await.data();
}

#[tokio::test(start_paused = true)]
async fn a_query_times_out_after_five_seconds() {
    let harness = Harness::new().await;
    harness.services.store.faults().inject(Fault::Hangs);
    let begun = tokio::time::Instant::now();
    let answer = harness.member(KEYS).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    assert_eq!(answer.status, 503);
    assert_json_snapshot!("timeout", answer.json());
    assert!(harness.tasks.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_mutation_runs_to_completion_after_its_timeout() {
    let harness = Harness::new().await;
    harness.services.store.faults().inject(Fault::Hangs);
    let query = "mutation { createKey(input: { name: \"x\" }) { apiKey } }";
    let answer = harness.member(query).await;
    answer.assert_error(503, "TIMEOUT");
    assert_eq!(harness.tasks.len(), 1);
}

#[tokio::test]
async fn anothers_key_is_an_error_where_null_would_say_something_else() {
    let query = "query($id: ID!) { usage(range: { granularity: DAY, newest: 1 }, keyId: $id) \
                 { slots } }";
    let variables = json!({ "id": key_id(121).to_string() });
    let answer = Harness::new().await.ask("member", query, variables).await;
    answer.assert_error(200, "NOT_FOUND");
}

/// A root field with arguments, one of which is invalid.
#[rstest]
#[case("keys(after: \"nonsense\") { totalCount }", "after")]
#[case(
    "keys(after: \"01980000000070008000000000000001.till 1\") { totalCount }",
    "after"
)]
#[case("keys(filter: { text: LONG }) { totalCount }", "filter.text")]
#[case("participants(text: LONG) { code }", "text")]
#[case(
    "batchRows(id: \"01980000-0000-7000-8000-000000000001\", filter: { fault: LONG }) { nodes { row } }",
    "filter.fault"
)]
#[case("requests(filter: { keyId: \"x\" }) { nodes { id } }", "filter.keyId")]
#[case(
    "requests(filter: { requestId: \"a b\" }) { nodes { id } }",
    "filter.requestId"
)]
#[case(
    "requests(filter: { from: TODAY, to: TODAY }) { nodes { id } }",
    "filter.from"
)]
#[case("usage(range: { granularity: DAY }) { slots }", "range")]
#[case(
    "usage(range: { granularity: DAY, newest: 1, to: TODAY }) { slots }",
    "range"
)]
#[case(
    "usage(range: { granularity: DAY, newest: 0 }) { slots }",
    "range.newest"
)]
#[case(
    "usage(range: { granularity: DAY, newest: -5 }) { slots }",
    "range.newest"
)]
#[case(
    "usage(range: { granularity: HOUR, newest: 745 }) { slots }",
    "range.newest"
)]
#[case(
    "usage(range: { granularity: HOUR, from: EARLY, to: TODAY }) { slots }",
    "range"
)]
#[case(
    "usage(range: { granularity: DAY, newest: 1 }, keyId: \"x\") { slots }",
    "keyId"
)]
#[case("admin { keys(accountId: \"x\") { totalCount } }", "accountId")]
#[case(
    "admin { audit(filter: { accountId: \"x\" }) { nodes { id } } }",
    "filter.accountId"
)]
#[tokio::test]
async fn an_invalid_argument_is_named_in_both_languages(
    #[case] field: &str,
    #[case] argument: &str,
) {
    let harness = Harness::new().await;
    let query = format!("{{ {field} }}")
        .replace("EARLY", "\"2025-11-21T00:00:00Z\"")
        .replace("TODAY", "\"2026-11-21T00:00:00Z\"")
        .replace("LONG", &format!("\"{}\"", "x".repeat(201)));
    let mut messages = Vec::new();
    for language in ["en", "es"] {
        let answer = harness.ask_in(language, permitted(&query), &query).await;
        answer.assert_error(200, "INVALID_REQUEST");
        let message = answer.message();
        assert!(message.starts_with(&format!("{argument} ")), "{message}");
        messages.push(message);
    }
    assert_ne!(messages[0], messages[1]);
}
