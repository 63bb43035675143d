//! The bank's budget over several gateways: the central bank sees one client that keeps its limits.

use std::time::{Duration, Instant};

use futures::future::join_all;
use reqwest::{Response, StatusCode};

use crate::fleet::RECOVERY;
use crate::gateway::{CountingBank, Gateway, Key, eventually, json_of, request};
use crate::replicas::plan;
use crate::servers::Servers;

/// Three replicas on servers of a test's own whose `live` keys query a bank within a budget, and one of these keys.
async fn replicas(budget: u32) -> Option<(Servers, CountingBank, [Gateway; 3], Key)> {
    let servers = Servers::start()?;
    let bank = CountingBank::start(Duration::ZERO).await;
    let replicas = [(); 3].map(|()| {
        plan(&servers)
            .with("CEP_BANK_URL", &bank.url)
            .with("CEP_BANK_BUDGET", budget)
            // Seven seconds for the wait, and three for the cycle.
            .with("CEP_BANK_TIMEOUT", 10)
            .with("CEP_REPLICAS", 3)
            .start()
    });
    let key = replicas[0].live_key();
    Some((servers, bank, replicas, key))
}

/// The seconds of `Retry-After` in an answer with 503 for a budget that is used up.
async fn throttled(answer: Response) -> u64 {
    let seconds = answer.headers().get("retry-after").cloned();
    let body = json_of(answer, 503).await;
    assert_eq!(body["error"], "BANK_THROTTLED", "{body}");
    seconds.unwrap().to_str().unwrap().parse().unwrap()
}

async fn ask(gateway: &Gateway, key: &Key, number: u32, amount: &str) -> Response {
    gateway.post("xml", key, &request(number, amount)).await
}

#[tokio::test]
async fn thirty_callers_at_three_replicas_ask_the_bank_within_one_budget() {
    // A lookup every 3 s, also at first: Redis has no record of the minute before.
    let Some((_servers, bank, replicas, key)) = replicas(20).await else {
        return;
    };
    let started = Instant::now();
    let turns = (0..30).zip(replicas.iter().cycle());
    let asked = turns.map(|(number, gateway)| ask(gateway, &key, number, "10.00"));
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
    let cycles = bank.cycles().len();
    assert_eq!(cycles, issued, "a cycle for each proof, and none else");
    // At 0, 3 and 6 s; a slow machine may find room for another one.
    let room = 1 + usize::try_from(elapsed.as_secs() / 3).unwrap();
    assert!(issued >= 3 && issued <= room, "{issued} within {elapsed:?}");
    assert!(elapsed >= Duration::from_secs(6), "{elapsed:?}");
}

#[tokio::test]
async fn a_captcha_at_one_replica_pauses_all_of_them_even_when_redis_is_lost() {
    let Some((mut servers, bank, replicas, key)) = replicas(60).await else {
        return;
    };
    let met = throttled(ask(&replicas[0], &key, 1, "429.01").await).await;
    assert!((110..=120).contains(&met), "{met}");
    let others_are_kept_away = async || {
        for (gateway, number) in replicas.iter().zip(2..) {
            let left = throttled(ask(gateway, &key, number, "10.00").await).await;
            assert!(left <= met && left > 60, "{left}");
        }
        assert_eq!(bank.cycles().len(), 1, "the bank was asked again");
    };
    others_are_kept_away().await;

    servers.redis.kill();
    for _ in 0..5 {
        others_are_kept_away().await;
    }
    // Redis comes back empty, until the replicas resync it.
    servers.redis.start_again();
    eventually("Redis gives turns again", RECOVERY, async || {
        others_are_kept_away().await;
        let mut logs = replicas.iter().map(Gateway::log);
        logs.all(|log| log.contains("the shared pacer answers again"))
    })
    .await;
    others_are_kept_away().await;
}

#[tokio::test]
async fn redis_that_forgets_gives_no_second_burst() {
    // A lookup every second, and a burst of three after three seconds without any.
    let Some((servers, bank, replicas, key)) = replicas(60).await else {
        return;
    };
    let three_take = async |from: u32| {
        let asked = Instant::now();
        let three = replicas.iter().zip(from..);
        let three = three.map(|(gateway, number)| ask(gateway, &key, number, "10.00"));
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
    assert_eq!(bank.cycles().len(), 9);
}
