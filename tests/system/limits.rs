//! Limits under parallel requests, and the headers that report them.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use futures::StreamExt as _;
use futures::stream;

use crate::clock::Clock;
use crate::gateway::{Gateway, Key, Plan, left, request};

/// Sends so many requests for one proof, so many of them at once, each by a task of its own, and counts the answers by
/// status.
async fn statuses(
    (gateway, key): (Gateway, Key),
    requests: usize,
    at_once: usize,
) -> BTreeMap<u16, usize> {
    // The others find its proof: a key's concurrent lookups have a limit of their own.
    let first = gateway.status_of(&key).await.as_u16();
    let mut counts = BTreeMap::from([(first, 1)]);
    let asking = Arc::new((gateway, key));
    let asking = stream::iter(1..requests).map(|_| {
        let asking = Arc::clone(&asking);
        tokio::spawn(async move { asking.0.status_of(&asking.1).await.as_u16() })
    });
    let mut answers = asking.buffer_unordered(at_once);
    while let Some(status) = answers.next().await {
        *counts.entry(status.unwrap()).or_default() += 1;
    }
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_hundred_parallel_requests_at_sixty_a_minute_admit_exactly_sixty() {
    let gateway = Gateway::start();
    let key = gateway.key(&["--per-minute", "60", "--monthly-quota", "1000"]);
    let statuses = statuses((gateway, key), 800, 800).await;
    assert_eq!(statuses, BTreeMap::from([(200, 60), (429, 740)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_four_hundred_at_a_quota_of_a_thousand_admit_exactly_a_thousand() {
    let gateway = Gateway::start();
    let key = gateway.key(&["--per-minute", "100000", "--monthly-quota", "1000"]);
    // Each admission is written before its answer: a busy machine can't write more of them in time.
    let statuses = statuses((gateway, key), 2_400, 200).await;
    assert_eq!(statuses, BTreeMap::from([(200, 1_000), (402, 1_400)]));
}

/// A minute is one of the monotonic clock.
#[tokio::test]
async fn a_clock_that_jumps_by_a_day_frees_no_minute() {
    // In the middle of a month, so that all is counted in one.
    let noon: DateTime<Utc> = "2026-11-20T18:00:00Z".parse().unwrap();
    let clock = Clock::at(noon);
    let variables = clock.variables(TimeDelta::zero());
    let gateway = Plan::new().with_all(variables).start();
    let key = gateway.key(&["--per-minute", "2", "--monthly-quota", "1000"]);
    for _ in 0..2 {
        assert_eq!(gateway.status_of(&key).await, 200);
    }
    for days in [1, -1, 0] {
        clock.set(noon + TimeDelta::days(days));
        assert_eq!(gateway.status_of(&key).await, 429, "{days}");
    }
}

#[tokio::test]
async fn only_the_documented_outcomes_are_counted() {
    let gateway = Gateway::start();
    let key = gateway.key(&["--per-minute", "100", "--monthly-quota", "100"]);
    let transfer = |amount| request(1, amount).to_string();
    for (body, status, minute, month) in [
        (transfer("10.00"), 200, 99, 99),
        ("{}".to_owned(), 400, 98, 98),
        (transfer("404.00"), 404, 97, 97),
        (" ".repeat(16_385), 413, 96, 96),
        // The bank's failures count in the minute, and are refunded to the month.
        (transfer("502.00"), 502, 95, 96),
        (transfer("429.00"), 503, 94, 96),
        (transfer("10.00"), 200, 93, 95),
    ] {
        let answer = gateway.post_text("xml", &key, body.clone()).await;
        let found = [left(&answer, "minute"), left(&answer, "month")];
        assert_eq!(answer.status(), status, "{body}");
        assert_eq!(found, [minute, month], "{body}");
    }
    assert_eq!(gateway.read("/v1/cep/xml", &key).await.status(), 405);
    let answer = gateway.post_text("xml", &key, transfer("10.00")).await;
    assert_eq!(left(&answer, "month"), 94, "a wrong method isn't counted");
}
