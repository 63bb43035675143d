//! PostgreSQL stops, crashes or hangs while Redis goes on: answers to callers, and the final
//! counts.

use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::keys::KeyId;
use domain::limits::MonthlyUse;
use domain::month::Month;
use ports::outbound::KeyStore;
use reqwest::{Method, Response};
use rstest::rstest;
use serde_json::Value;
use store_seaorm::Store;

use crate::gateway::{Gateway, Key, command, eventually, json_of, left, refusal, request};
use crate::load::{Answer, Asker, Load, question};
use crate::person::{Demo, Person};
use crate::replicas::{plan, shared};
use crate::servers::{Servers, migrate};

/// Time for which the journal delays an answer.
const HELD_BACK: Duration = Duration::from_secs(5);
/// Time that all the rest of an answer may take on a machine that runs all tests at once.
const SLACK: Duration = Duration::from_secs(4);
/// Time from the database's return until proofs must be delivered again.
const RECOVERY: Duration = Duration::from_secs(10);
/// More than any test uses.
const QUOTA: u64 = 1_000_000;

/// Fault of the database.
#[derive(Clone, Copy, Debug)]
enum Outage {
    /// Keeps its connections and doesn't answer.
    Hangs,
    /// All its processes end at once.
    Crashes,
    /// An operator stops it.
    Stops,
}

impl Outage {
    fn begin(self, servers: &mut Servers) {
        match self {
            Self::Hangs => servers.database.server().freeze(),
            Self::Crashes => servers.database.own_server().kill(),
            Self::Stops => servers.database.own_server().end("INT"),
        }
    }

    fn end(self, servers: &mut Servers) {
        match self {
            Self::Hangs => servers.database.server().thaw(),
            Self::Crashes | Self::Stops => servers.database.own_server().start_again(),
        }
    }
}

/// Returns whether it is a 503 with `Retry-After`.
fn is_refusal(answer: &Answer) -> bool {
    answer.status == 503 && answer.header("retry-after").is_some()
}

/// Returns whether it has the limit headers, as every answer to an admitted request does.
fn is_admitted(answer: &Answer) -> bool {
    answer.header("ratelimit").is_some()
}

fn is_proof(answer: &Answer) -> bool {
    answer.status == 200
}

async fn ask(gateway: &Gateway, key: &Key) -> Answer {
    Asker::new(gateway).ask(&question(key)).await.unwrap()
}

/// Six callers, at the rate of busy ones, not at the highest possible.
fn load(gateway: &Gateway, key: &Key) -> Load<()> {
    let callers = (0..6).map(|_| ((), Asker::new(gateway), question(key)));
    Load::start(callers, Duration::from_millis(10))
}

/// Waits until thirty more proofs are delivered.
async fn delivers(load: &Load<()>) {
    load.goes_on_by(30, is_proof, RECOVERY).await;
}

/// Ends a load, of which each answer was in time; returns the answers.
async fn ended(load: Load<()>) -> Vec<Answer> {
    let answers = load.stopped().await.into_iter().map(|((), it)| it);
    let in_time = |it: &Answer| assert!(it.took() < HELD_BACK + SLACK, "{it:?}");
    answers.inspect(in_time).collect()
}

/// A key's charged requests in the database of the month in which there was this answer.
async fn in_database(servers: &Servers, key: &Key, answer: &Response) -> MonthlyUse {
    // Of the answer's month, by the gateway's clock.
    let date = answer.headers()["date"].to_str().unwrap();
    let month = Month::of(DateTime::parse_from_rfc2822(date).unwrap().to_utc());
    let store = Store::open(&servers.database_url()).await.unwrap();
    let key = KeyId(key.id.parse().unwrap());
    let snapshot = store.snapshot(key, month).await.unwrap();
    snapshot.unwrap().used
}

/// Waits until Redis and the database agree on a month in which at least these proofs were
/// delivered.
async fn agree(servers: &Servers, gateway: &Gateway, key: &Key, answers: &[Answer]) {
    let delivered = answers.iter().filter(|it| is_proof(it)).count();
    let patience = Duration::from_secs(15);
    eventually("Redis and the database agree", patience, async || {
        let answer = gateway.post("xml", key, &request(1, "10.00")).await;
        let used = in_database(servers, key, &answer).await;
        let counted = usize::try_from(used.charged).unwrap();
        assert!(counted > delivered, "{delivered} delivered: {used:?}");
        used.net() == QUOTA - left(&answer, "month")
    })
    .await;
}

async fn readiness(gateway: &Gateway) -> (u16, Value) {
    let asked = Instant::now();
    let ready = gateway.get("/readyz").await;
    // A load balancer waits a second or two.
    assert!(asked.elapsed() < SLACK, "{:?}", asked.elapsed());
    let status = ready.status().as_u16();
    (status, json_of(ready, status).await)
}

/// Waits until it says that it can't serve.
async fn is_unready(gateway: &Gateway, patience: Duration) {
    let is_told = async || readiness(gateway).await.0 == 503;
    eventually("it can't serve", patience, is_told).await;
}

/// Servers of a test's own, a gateway on them, and a key with a quota that no test uses up.
fn scene() -> Option<(Servers, Gateway, Key)> {
    let servers = Servers::start_own(&[])?;
    migrate(&servers.database_url());
    let gateway = plan(&servers).with("CEP_DASHBOARD", "on").start();
    let quota = QUOTA.to_string();
    let key = gateway.key(&["--per-minute", "100000", "--monthly-quota", &quota]);
    Some((servers, gateway, key))
}

#[rstest]
#[case(Outage::Hangs)]
#[case(Outage::Stops)]
#[tokio::test(flavor = "multi_thread")]
async fn a_short_outage_of_the_database_is_waited_out(#[case] outage: Outage) {
    let Some((mut servers, gateway, key)) = scene() else {
        return;
    };
    let load = load(&gateway, &key);
    delivers(&load).await;
    let begun = Instant::now();
    outage.begin(&mut servers);
    // A hung server doesn't end by itself; this is how long it hangs.
    tokio::time::sleep(Duration::from_secs(1)).await;
    outage.end(&mut servers);
    let lasted = begun.elapsed();
    delivers(&load).await;
    let answers = ended(load).await;
    for answer in &answers {
        // On a machine that took longer, callers get a 503.
        let is_told = lasted > HELD_BACK / 2 && is_refusal(answer);
        assert!(is_proof(answer) || is_told, "{answer:?}");
    }
    agree(&servers, &gateway, &key, &answers).await;
}

#[rstest]
#[case(Outage::Hangs)]
#[case(Outage::Crashes)]
#[tokio::test(flavor = "multi_thread")]
async fn a_long_outage_of_the_database_is_refused_at_once_and_loses_no_count(
    #[case] outage: Outage,
) {
    let Some((mut servers, gateway, key)) = scene() else {
        return;
    };
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let load = load(&gateway, &key);
    delivers(&load).await;
    assert_eq!(readiness(&gateway).await.1["status"], "ready");

    outage.begin(&mut servers);
    // Answers are delayed: nothing is refused yet, and no load balancer turns away.
    eventually("it says that it is degraded", HELD_BACK, async || {
        let (status, ready) = readiness(&gateway).await;
        assert_eq!(status, 200, "{ready}");
        ready.to_string().contains("degraded")
    })
    .await;
    let asked = Instant::now();
    let looked = person.request(Method::GET, "/keys").send().await.unwrap();
    assert_eq!(looked.status(), 503, "keys are in the database");
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    is_unready(&gateway, HELD_BACK + SLACK).await;
    for _ in 0..10 {
        let answer = ask(&gateway, &key).await;
        let is_quick = answer.took() < SLACK / 2;
        assert!(is_refusal(&answer) && is_quick, "{answer:?}");
        assert!(!is_admitted(&answer), "something was taken: {answer:?}");
    }

    outage.end(&mut servers);
    delivers(&load).await;
    eventually("it is ready again", RECOVERY, async || {
        let (status, ready) = readiness(&gateway).await;
        status == 200 && !ready.to_string().contains("degraded")
    })
    .await;
    assert_eq!(person.keys().await.len(), 0, "people are back, too");
    let answers = ended(load).await;
    for answer in &answers {
        assert!(is_proof(answer) || is_refusal(answer), "{answer:?}");
    }
    agree(&servers, &gateway, &key, &answers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_database_and_redis_nothing_is_admitted() {
    let Some((mut servers, gateway, key)) = scene() else {
        return;
    };
    for _ in 0..3 {
        assert_eq!(ask(&gateway, &key).await.status, 200);
    }
    servers.redis.kill();
    servers.database.own_server().kill();
    let load = load(&gateway, &key);
    is_unready(&gateway, HELD_BACK * 2 + SLACK).await;
    for _ in 0..5 {
        let answer = ask(&gateway, &key).await;
        assert!(is_refusal(&answer), "{answer:?}");
    }
    for answer in ended(load).await {
        assert!(is_refusal(&answer), "{answer:?}");
        assert!(!is_admitted(&answer), "{answer:?}");
    }
    // The database alone is enough, in a degraded mode.
    servers.database.own_server().start_again();
    let is_served = async || is_proof(&ask(&gateway, &key).await);
    eventually("it serves without Redis", RECOVERY, is_served).await;
    servers.redis.start_again();
    // The three before and those delivered afterwards, and nothing of the time between.
    let now = gateway.get("/healthz").await;
    assert_eq!(in_database(&servers, &key, &now).await.charged, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_waits_for_no_database_though_redis_is_gone() {
    let Some((mut servers, gateway, _)) = scene() else {
        return;
    };
    servers.redis.kill();
    let is_degraded = async || readiness(&gateway).await.1.to_string().contains("degraded");
    eventually("it says that it is degraded", RECOVERY, is_degraded).await;
    servers.database.server().freeze();
    is_unready(&gateway, HELD_BACK * 2 + SLACK).await;
}

#[test]
fn a_gateway_whose_database_is_down_does_not_start_and_says_which_one() {
    let Some(mut servers) = Servers::start_own(&[]) else {
        return;
    };
    servers.database.own_server().end("INT");
    let folder = tempfile::tempdir().unwrap();
    let said = refusal(command(folder.path()).envs(shared(&servers)));
    for part in ["CEP_DATABASE_URL", "127.0.0.1"] {
        assert!(said.contains(part), "{said}");
    }
}
