//! The database or Redis is gone while lookups are queued and under way: nothing is lost, and each is
//! charged once.

use std::time::Duration;

use rstest::rstest;

use super::{all_delivered, begin_many, create, read};
use crate::gateway::{CountingBank, Gateway, Key, eventually};
use crate::replicas::{migrate, plan};
use crate::servers::Servers;

const LOOKUPS: u32 = 30;
/// Attempts at the same time, a quarter of which is kept for callers who wait.
const PLACES: u32 = 8;
/// Time until a fault is noticed, or work goes on after it.
const PATIENCE: Duration = Duration::from_secs(40);

/// Two replicas, and a key of theirs.
pub(crate) fn two_replicas(servers: &Servers, bank: &CountingBank) -> ([Gateway; 2], Key) {
    assert!(migrate(servers).status.success());
    let plan = || bank.known_to(plan(servers)).with("CEP_WORKERS", PLACES);
    let replicas = [(); 2].map(|()| plan().start());
    let key = replicas[0].live_key();
    (replicas, key)
}

/// Charged requests of a key, without those that were given back.
pub(crate) fn charged(servers: &Servers, key: &Key) -> String {
    let id = &key.id;
    let charged = format!("select sum(charged - refunded) from monthly_use where key_id = '{id}'");
    servers.database.ask(&charged)
}

fn logs(gateway: &Gateway, text: &str) -> bool {
    gateway.log().contains(text)
}

/// End of the bank's silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answers {
    /// While the database is gone: the results of all attempts are lost, and they are made again.
    Meanwhile,
    /// Once it is back.
    Afterwards,
}

#[rstest]
#[case(Answers::Meanwhile)]
#[case(Answers::Afterwards)]
#[tokio::test(flavor = "multi_thread")]
async fn the_queue_goes_on_when_the_database_is_back(#[case] answers: Answers) {
    let Some(mut servers) = Servers::start_own(&[]) else {
        return;
    };
    let bank = CountingBank::start(Duration::ZERO).await;
    let (replicas, key) = two_replicas(&servers, &bank);
    let [front, other] = &replicas;
    bank.hang();
    let ids = begin_many(front, &key, 0..LOOKUPS).await;
    let running = 2 * (PLACES - PLACES / 4) as usize;
    let at_bank = async || bank.cycles().len() == running;
    eventually("all places are taken", PATIENCE, at_bank).await;

    match answers {
        Answers::Meanwhile => servers.database.own_server().kill(),
        Answers::Afterwards => servers.database.own_server().end("INT"),
    }
    for gateway in [front, other] {
        let unheard = async || {
            logs(
                gateway,
                "what other replicas do with lookups isn't heard of",
            )
        };
        eventually("it listens to nobody", PATIENCE, unheard).await;
    }
    if answers == Answers::Meanwhile {
        bank.answer();
        for gateway in [front, other] {
            let lost = async || logs(gateway, "the result of an attempt could not be stored");
            eventually("results are lost", PATIENCE, lost).await;
        }
    }
    let refused = create(front, &key, LOOKUPS, "wait=0").await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));

    servers.database.own_server().start_again();
    bank.answer();
    let is_read = async || read(other, &key, &ids[0]).await.status() == 200;
    eventually("lookups are read again", PATIENCE, is_read).await;
    all_delivered(other, &key, &ids).await;
    assert_eq!(charged(&servers, &key), LOOKUPS.to_string());
    let most = match answers {
        Answers::Meanwhile => LOOKUPS as usize + running,
        Answers::Afterwards => LOOKUPS as usize,
    };
    let asked = bank.cycles().len();
    assert!(asked <= most, "{asked} questions");
    let attempts = "select count(*) from lookup_attempts";
    let attempts = servers.database.ask(attempts);
    assert_eq!(attempts, LOOKUPS.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_goes_on_without_redis() {
    let Some(mut servers) = Servers::start() else {
        return;
    };
    let bank = CountingBank::start(Duration::ZERO).await;
    let (replicas, key) = two_replicas(&servers, &bank);
    let [front, other] = &replicas;
    bank.hang();
    let before = begin_many(front, &key, 0..LOOKUPS).await;
    servers.redis.kill();
    for gateway in [front, other] {
        let degraded = async || gateway.state_of("limiter").await == "degraded";
        eventually("it goes on by itself", PATIENCE, degraded).await;
    }
    let during = begin_many(other, &key, LOOKUPS..2 * LOOKUPS).await;
    bank.answer();
    all_delivered(front, &key, &before).await;
    all_delivered(front, &key, &during).await;
    servers.redis.start_again();
    let after = begin_many(front, &key, 2 * LOOKUPS..3 * LOOKUPS).await;
    all_delivered(other, &key, &after).await;
    let all = 3 * LOOKUPS;
    assert_eq!(charged(&servers, &key), all.to_string());
    assert_eq!(bank.cycles().len(), all as usize);
}
