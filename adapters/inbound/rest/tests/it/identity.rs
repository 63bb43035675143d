//! The one credential of this API, and the ids of requests.

use rstest::rstest;

use crate::fakes::GOOD_KEY;
use crate::harness::{Harness, body, transcript};

#[tokio::test]
async fn every_unauthenticated_request_gets_the_same_answer() {
    let harness = Harness::start().await;
    let post = || {
        harness
            .request("POST", "/v1/cep/xml")
            .header("x-request-id", "test-1")
            .header("content-type", "application/json")
            .body(body(&[]))
    };
    let keyed_url = format!("/v1/cep/xml?x-api-key={GOOD_KEY}&api_key={GOOD_KEY}");
    let keyed_body = body(&[]).replace('}', &format!(",\"x-api-key\":\"{GOOD_KEY}\"}}"));
    let attempts = [
        post(),
        post().header("x-api-key", ""),
        post().header("x-api-key", "nonsense"),
        post().header("x-api-key", format!(" {GOOD_KEY}x")),
        post().header("x-api-key", &b"cep_\xff"[..]),
        post()
            .header("x-api-key", GOOD_KEY)
            .header("x-api-key", GOOD_KEY),
        post().header("x-api-key", format!("{GOOD_KEY}, {GOOD_KEY}")),
        post().header(
            "cookie",
            format!("x-api-key={GOOD_KEY}; session={GOOD_KEY}"),
        ),
        post().header("authorization", format!("Bearer {GOOD_KEY}")),
        post().body(keyed_body),
        harness
            .request("POST", &keyed_url)
            .header("x-request-id", "test-1")
            .header("content-type", "application/json")
            .body(body(&[])),
    ];
    let mut answers = Vec::new();
    for attempt in attempts {
        answers.push(transcript(attempt.send().await.unwrap()).await);
    }
    assert!(answers[0].starts_with("401"));
    assert!(!answers[0].contains("ratelimit"));
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:#?}"
    );
    assert_eq!(harness.outcomes(), []);
    assert!(harness.proofs.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_gatekeeper_learns_the_callers_address() {
    let harness = Harness::start().await;
    harness.post("/v1/cep/xml", body(&[])).send().await.unwrap();
    assert_eq!(*harness.gatekeeper.attempts.lock().unwrap(), ["127.0.0.1"]);
}

#[rstest]
#[case("/v1/cep/xml")]
#[case("/healthz")]
#[case("/nowhere")]
#[tokio::test]
async fn a_sane_request_id_is_kept_and_any_other_replaced(#[case] path: &str) {
    let harness = Harness::start().await;
    for (given, kept) in [
        (vec!["retry.2:a_b-c"], true),
        (vec![], false),
        (vec![""], false),
        (vec!["<script>"], false),
        (vec!["a", "b"], false),
    ] {
        let mut request = harness.request("POST", path);
        for value in &given {
            request = request.header("x-request-id", *value);
        }
        let response = request.send().await.unwrap();
        let id = response.headers()["x-request-id"]
            .to_str()
            .unwrap()
            .to_owned();
        if kept {
            assert_eq!(id, given[0]);
        } else {
            // 2026-11-20T12:00:00Z in milliseconds, then version 7
            assert!(id.starts_with("01a1f8d3-ea00-7"), "{id}");
        }
    }
}
