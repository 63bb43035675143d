//! The database or Redis is gone while lookups are queued and under way: nothing is lost, and each is
//! charged once.

use std::time::Duration;

use rstest::rstest;

use super::{all_delivered, begin_many, create, read};
use crate::fleet::all_are;
use crate::gateway::{CountingBank, Gateway, Key, eventually};
use crate::replicas::plan;
use crate::servers::{Servers, migrate};

const LOOKUPS: u32 = 30;
/// Attempts at the same time, a quarter of which is kept for callers who wait.
const PLACES: u32 = 8;
/// Time until a fault is noticed, or work goes on after it.
const PATIENCE: Duration = Duration::from_secs(40);

/// Two replicas, and a key of theirs.
pub(crate) fn two_replicas(servers: &Servers, bank: &CountingBank) -> ([Gateway; 2], Key) {
    migrate(&servers.database_url());
    let plan = || bank.known_to(plan(servers)).with("CEP_WORKERS", PLACES);
    let replicas = [(); 2].map(|()| plan().start());
    let key = replicas[0].live_key();
    (replicas, key)
}

/// Charged requests of a key, without those that were given back.
pub(crate) fn charged(servers: &Servers, key: &Key) -> u32 {
    let id = &key.id;
    let charged = format!("select sum(charged - refunded) from monthly_use where key_id = '{id}'");
    servers.database.number(&charged).try_into().unwrap()
}

/// Waits until each replica has logged this.
async fn all_log(replicas: &[Gateway], text: &str) {
    let is_told = async || replicas.iter().all(|gateway| gateway.log().contains(text));
    eventually(text, PATIENCE, is_told).await;
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
    let unheard = "what other replicas do with lookups isn't heard of";
    all_log(&replicas, unheard).await;
    if answers == Answers::Meanwhile {
        bank.answer();
        all_log(&replicas, "the result of an attempt could not be stored").await;
    }
    let refused = create(front, &key, LOOKUPS, "wait=0").await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));

    servers.database.own_server().start_again();
    bank.answer();
    let is_read = async || read(other, &key, &ids[0]).await.status() == 200;
    eventually("lookups are read again", PATIENCE, is_read).await;
    all_delivered(other, &key, &ids).await;
    assert_eq!(charged(&servers, &key), LOOKUPS);
    let most = match answers {
        Answers::Meanwhile => LOOKUPS as usize + running,
        Answers::Afterwards => LOOKUPS as usize,
    };
    let asked = bank.cycles().len();
    assert!(asked <= most, "{asked} questions");
    let attempts = "select count(*) from lookup_attempts";
    assert_eq!(servers.database.number(attempts), u64::from(LOOKUPS));
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
    let degraded = async || all_are(&replicas, "degraded").await;
    eventually("they go on by themselves", PATIENCE, degraded).await;
    let during = begin_many(other, &key, LOOKUPS..2 * LOOKUPS).await;
    bank.answer();
    all_delivered(front, &key, &before).await;
    all_delivered(front, &key, &during).await;
    servers.redis.start_again();
    let after = begin_many(front, &key, 2 * LOOKUPS..3 * LOOKUPS).await;
    all_delivered(other, &key, &after).await;
    let all = 3 * LOOKUPS;
    assert_eq!(charged(&servers, &key), all);
    assert_eq!(bank.cycles().len(), all as usize);
}
