//! The bank's budget over several gateways: the central bank sees one client that keeps its limits.

use std::time::{Duration, Instant};

use futures::future::join_all;
use reqwest::{Response, StatusCode};

use crate::gateway::{CountingBank, Gateway, Key, eventually, json_of, request};
use crate::replicas::{migrate, plan};
use crate::servers::Servers;

/// Three replicas whose `live` keys query this bank.
fn replicas(servers: &Servers, bank: &CountingBank, budget: u32) -> [Gateway; 3] {
    assert!(migrate(servers).status.success());
    [(); 3].map(|()| {
        plan(servers)
            .with("CEP_BANK_URL", &bank.url)
            .with("CEP_BANK_BUDGET", budget)
            // Seven seconds for the wait, and three for the cycle.
            .with("CEP_BANK_TIMEOUT", 10)
            .with("CEP_REPLICAS", 3)
            .start()
    })
}

/// Cycles that a bank has counted.
fn cycles(bank: &CountingBank) -> usize {
    bank.cycles().len()
}

/// The seconds of `Retry-After` in an answer with 503 for a budget that is used up.
async fn throttled(answer: Response) -> u64 {
    let seconds = answer.headers().get("retry-after").map(|seconds| {
        let seconds = seconds.to_str().unwrap();
        seconds.parse::<u64>().unwrap()
    });
    let body = json_of(answer, 503).await;
    assert_eq!(body["error"], "BANK_THROTTLED", "{body}");
    seconds.unwrap()
}

async fn ask(gateway: &Gateway, key: &Key, number: u32, amount: &str) -> Response {
    gateway.post("xml", key, &request(number, amount)).await
}

#[tokio::test]
async fn thirty_callers_at_three_replicas_ask_the_bank_within_one_budget() {
    let Some(servers) = Servers::start() else {
        return;
    };
    let bank = CountingBank::start(Duration::ZERO).await;
    // A lookup every 3 s, also at first: Redis has no record of the minute before.
    let replicas = replicas(&servers, &bank, 20);
    let key = &replicas[0].live_key();
    let started = Instant::now();
    let asked = (0..30_u32).map(|number| {
        let gateway = &replicas[number as usize % 3];
        async move { ask(gateway, key, number, "10.00").await }
    });
    let mut issued = 0;
    for answer in join_all(asked).await {
        if answer.status() == StatusCode::OK {
            issued += 1;
        } else {
            // A refused request would be last in the queue, and could wait for seven seconds
            // itself.
            let retry_after = throttled(answer).await;
            assert!((7..=10).contains(&retry_after), "{retry_after}");
        }
    }
    let elapsed = started.elapsed();
    assert_eq!(
        cycles(&bank),
        issued,
        "a cycle for each proof, and none else"
    );
    // At 0, 3 and 6 s; a slow machine may find room for another one.
    let room = 1 + usize::try_from(elapsed.as_secs() / 3).unwrap();
    assert!(issued >= 3 && issued <= room, "{issued} within {elapsed:?}");
    assert!(elapsed >= Duration::from_secs(6), "{elapsed:?}");
}

#[tokio::test]
async fn a_captcha_at_one_replica_pauses_all_of_them_even_when_redis_is_lost() {
    let Some(mut servers) = Servers::start() else {
        return;
    };
    let bank = CountingBank::start(Duration::ZERO).await;
    let replicas = replicas(&servers, &bank, 60);
    let key = &replicas[0].live_key();
    let met = throttled(ask(&replicas[0], key, 1, "429.01").await).await;
    assert!((110..=120).contains(&met), "{met}");
    let others_are_kept_away = async || {
        for (gateway, number) in replicas.iter().zip(2..) {
            let left = throttled(ask(gateway, key, number, "10.00").await).await;
            assert!(left <= met && left > 60, "{left}");
        }
        assert_eq!(cycles(&bank), 1, "the bank was asked again");
    };
    others_are_kept_away().await;

    servers.redis.kill();
    for _ in 0..5 {
        others_are_kept_away().await;
    }
    // Redis comes back empty, until the replicas resync it.
    servers.redis.start_again();
    eventually(
        "Redis gives turns again",
        Duration::from_secs(40),
        async || {
            others_are_kept_away().await;
            let mut logs = replicas.iter().map(Gateway::log);
            logs.all(|log| log.contains("the shared pacer answers again"))
        },
    )
    .await;
    others_are_kept_away().await;
}

#[tokio::test]
async fn redis_that_forgets_gives_no_second_burst() {
    let Some(servers) = Servers::start() else {
        return;
    };
    let bank = CountingBank::start(Duration::ZERO).await;
    // A lookup every second, and a burst of three after three seconds without any.
    let replicas = replicas(&servers, &bank, 60);
    let key = &replicas[0].live_key();
    let three_take = async |from: u32| {
        let asked = Instant::now();
        let three = replicas.iter().zip(from..);
        let three = three.map(|(gateway, number)| ask(gateway, key, number, "10.00"));
        for answer in join_all(three).await {
            assert_eq!(answer.status(), StatusCode::OK);
        }
        asked.elapsed()
    };
    three_take(1).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let burst = three_take(11).await;
    servers.redis.tell(&["FLUSHALL"]);
    let after = three_take(21).await;
    assert!(after >= Duration::from_secs(2), "{burst:?}, {after:?}");
    assert_eq!(cycles(&bank), 9);
}
