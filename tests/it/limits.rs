//! Limits under parallel requests, and the headers that report them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;

use crate::clock::Clock;
use crate::gateway::{Gateway, Key, Plan, eventually, json_of, request};

/// Sends so many requests at once for one proof, and counts the answers by status.
async fn statuses(gateway: &Arc<Gateway>, key: &Key, requests: usize) -> BTreeMap<u16, usize> {
    let asking = (0..requests).map(|_| {
        let (gateway, key) = (Arc::clone(gateway), key.clone());
        tokio::spawn(async move { gateway.status_of(&key).await.as_u16() })
    });
    let mut counts = BTreeMap::new();
    for status in join_all(asking).await {
        *counts.entry(status.unwrap()).or_default() += 1;
    }
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_hundred_parallel_requests_at_sixty_a_minute_admit_exactly_sixty() {
    let gateway = Arc::new(Gateway::start());
    let key = gateway.key(&["--per-minute", "60", "--monthly-quota", "1000"]);
    let statuses = statuses(&gateway, &key, 800).await;
    assert_eq!(statuses, BTreeMap::from([(200, 60), (429, 740)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_four_hundred_at_a_quota_of_a_thousand_admit_exactly_a_thousand() {
    let gateway = Arc::new(Gateway::start());
    let key = gateway.key(&["--per-minute", "100000", "--monthly-quota", "1000"]);
    let statuses = statuses(&gateway, &key, 2_400).await;
    assert_eq!(statuses, BTreeMap::from([(200, 1_000), (402, 1_400)]));
}

/// A minute is one of the monotonic clock.
#[tokio::test]
async fn a_clock_that_jumps_by_a_day_frees_no_minute() {
    // In the middle of a month, so that all is counted in one.
    let noon: DateTime<Utc> = "2026-11-20T18:00:00Z".parse().unwrap();
    let clock = Clock::at(noon);
    let variables = clock.variables(TimeDelta::zero());
    let plan = variables
        .iter()
        .fold(Plan::new(), |plan, (name, value)| plan.with(name, value));
    let gateway = plan.start();
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
async fn a_refusal_says_when_to_come_back_and_takes_nothing() {
    let gateway = Gateway::start();
    let key = gateway.key(&["--per-minute", "2", "--monthly-quota", "10"]);
    for remaining in [1, 0] {
        let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
        let limit = answer.headers()["ratelimit"].to_str().unwrap().to_owned();
        assert!(
            limit.starts_with(&format!("\"minute\";r={remaining};t=")),
            "{limit}"
        );
        assert_eq!(
            answer.headers()["ratelimit-policy"],
            "\"minute\";q=2;w=60, \"month\";q=10;w=2592000"
        );
    }
    for _ in 0..5 {
        let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
        let wait: u64 = answer.headers()["retry-after"]
            .to_str()
            .unwrap()
            .parse()
            .unwrap();
        assert!((1..=60).contains(&wait));
        assert!(
            answer.headers()["ratelimit"]
                .to_str()
                .unwrap()
                .contains("\"month\";r=8;")
        );
        let body = json_of(answer, 429).await;
        assert_eq!(body["error"], "RATE_LIMIT_EXCEEDED");
        assert_eq!(body["details"]["limit"], 2);
    }
}

#[tokio::test]
async fn the_quota_is_answered_with_its_end() {
    let gateway = Gateway::start();
    let key = gateway.key(&["--per-minute", "100", "--monthly-quota", "1"]);
    assert_eq!(gateway.status_of(&key).await, 200);
    let body = json_of(gateway.post("xml", &key, &request(1, "10.00")).await, 402).await;
    assert_eq!(body["error"], "QUOTA_EXCEEDED");
    assert_eq!(
        (&body["details"]["limit"], &body["details"]["used"]),
        (&1.into(), &1.into())
    );
    assert!(
        body["details"]["reset_at"]
            .as_str()
            .unwrap()
            .ends_with("-01T00:00:00Z"),
        "{body}"
    );
}

#[tokio::test]
async fn only_the_documented_outcomes_are_counted() {
    let gateway = Gateway::start();
    let key = gateway.key(&["--per-minute", "100", "--monthly-quota", "100"]);
    let month_left = async |body: &str| {
        let answer = gateway.post_text("xml", &key, body.to_owned()).await;
        let limit = answer.headers()["ratelimit"].to_str().unwrap().to_owned();
        let (_, month) = limit.split_once("\"month\";r=").unwrap();
        let left: u32 = month.split(';').next().unwrap().parse().unwrap();
        let (_, minute) = limit.split_once("\"minute\";r=").unwrap();
        let minute: u32 = minute.split(';').next().unwrap().parse().unwrap();
        (answer.status().as_u16(), minute, left)
    };
    assert_eq!(
        month_left(&request(1, "10.00").to_string()).await,
        (200, 99, 99)
    );
    assert_eq!(month_left("{}").await, (400, 98, 98));
    assert_eq!(
        month_left(&request(2, "404.00").to_string()).await,
        (404, 97, 97)
    );
    assert_eq!(month_left(&" ".repeat(16_385)).await, (413, 96, 96));
    // The bank's failures count in the minute, and are refunded to the month.
    assert_eq!(
        month_left(&request(3, "502.00").to_string()).await,
        (502, 95, 96)
    );
    assert_eq!(
        month_left(&request(4, "429.00").to_string()).await,
        (503, 94, 96)
    );
    assert_eq!(
        month_left(&request(1, "10.00").to_string()).await,
        (200, 93, 95)
    );
    let wrong_method = gateway
        .client
        .get(gateway.url("/v1/cep/xml"))
        .header("x-api-key", &key.full);
    assert_eq!(wrong_method.send().await.unwrap().status(), 405);
    assert_eq!(
        month_left(&request(1, "10.00").to_string()).await,
        (200, 92, 94)
    );
}

#[tokio::test]
async fn a_limit_set_by_another_process_takes_effect_within_a_second() {
    let gateway = Gateway::start();
    let key = gateway.key(&["--per-minute", "1", "--monthly-quota", "100"]);
    assert_eq!(gateway.status_of(&key).await, 200);
    assert_eq!(gateway.status_of(&key).await, 429);
    assert!(
        gateway
            .run(&["keys", "set-limits", &key.id, "--per-minute", "50"])
            .status
            .success()
    );
    eventually(
        "the new limit is in force",
        Duration::from_secs(1),
        async || gateway.status_of(&key).await == 200,
    )
    .await;
}
