//! Requests with one idempotency key at the same time, and many of them.

use futures::future::join_all;

use super::{XML, code, is_replayed, parts};
use crate::data::{FAST_KEY, SPENT_KEY};
use crate::harness::{Exchange, Harness, body};

#[tokio::test]
async fn while_the_first_request_runs_the_same_one_is_told_to_wait() {
    let harness = Harness::start().await;
    harness.bank().hold();
    let body = body(&[]);
    let first = harness.named(XML, "a", &body);
    let second = async {
        loop {
            let answer = harness.named(XML, "a", &body).await;
            assert_eq!(answer.headers()["retry-after"], "1");
            assert_eq!(code(answer, 409).await, "IDEMPOTENCY_KEY_IN_PROGRESS");
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

#[tokio::test]
async fn of_200_requests_at_once_one_is_charged_and_all_are_answered_alike() {
    for (path, status, charged) in [(XML, 200, 1), ("/v1/cep/lookups", 202, 0)] {
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
        assert_eq!(harness.gateway.requests().len(), charged);
        assert_eq!(harness.bank().times_asked(), charged);
    }
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
        assert_eq!(harness.post(XML, body.clone()).status().await, 200);
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
    assert!(answer.headers().contains_key("retry-after"));
    assert_eq!(code(answer, 429).await, "RATE_LIMIT_EXCEEDED");
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
