//! PostgreSQL stops, crashes or hangs while Redis goes on: answers to callers, and the final
//! counts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::key::KeyId;
use domain::limits::MonthlyUse;
use domain::month::Month;
use ports::outbound::KeyStore;
use reqwest::{Method, Response};
use rstest::rstest;
use serde_json::Value;
use store_seaorm::Store;
use tokio::task::JoinHandle;

use crate::gateway::{Gateway, Key, command, eventually, json_of, left, refusal, request};
use crate::person::{Demo, Person};
use crate::replicas::{migrate, plan, shared};
use crate::servers::Servers;

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

/// One answer to a caller.
#[derive(Clone, Copy, Debug)]
struct Answer {
    status: u16,
    took: Duration,
    retry_after: Option<u64>,
    /// True if it has the limit headers, as every answer to an admitted request does.
    admitted: bool,
}

impl Answer {
    /// Returns whether it is a 503 with `Retry-After`.
    fn is_refusal(&self) -> bool {
        self.status == 503 && self.retry_after.is_some()
    }

    fn of(asked: Instant, response: &Response) -> Self {
        let header = |name| response.headers().get(name)?.to_str().ok();
        Self {
            status: response.status().as_u16(),
            took: asked.elapsed(),
            retry_after: header("retry-after").and_then(|seconds| seconds.parse().ok()),
            admitted: header("ratelimit").is_some(),
        }
    }
}

async fn ask(gateway: &Gateway, key: &Key) -> Answer {
    let asked = Instant::now();
    let response = gateway.post("xml", key, &request(1, "10.00")).await;
    Answer::of(asked, &response)
}

/// Callers in a closed loop, and their answers.
struct Load {
    answers: Arc<Mutex<Vec<Answer>>>,
    enough: Arc<AtomicBool>,
    callers: Vec<JoinHandle<()>>,
}

impl Load {
    fn start(gateway: &Gateway, key: &Key) -> Self {
        let (answers, enough) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let callers = (0..6).map(|_| {
            let (answers, enough) = (Arc::clone(&answers), Arc::clone(&enough));
            let body = request(1, "10.00").to_string();
            let request = gateway.asking("xml", key).body(body);
            tokio::spawn(async move {
                while !enough.load(Ordering::SeqCst) {
                    let (asked, request) = (Instant::now(), request.try_clone().unwrap());
                    let answer = Answer::of(asked, &request.send().await.unwrap());
                    let answers: &Mutex<Vec<Answer>> = &answers;
                    answers.lock().unwrap().push(answer);
                    // The rate of a busy caller, not the highest possible.
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            })
        });
        let callers = callers.collect();
        Self {
            answers,
            enough,
            callers,
        }
    }

    fn delivered(&self) -> usize {
        let answers = self.answers.lock().unwrap();
        answers.iter().filter(|answer| answer.status == 200).count()
    }

    /// Waits until so many more proofs were delivered.
    async fn delivers(&self, more: usize, patience: Duration) {
        let before = self.delivered();
        let what = format!("{more} proofs are delivered");
        eventually(&what, patience, async || self.delivered() >= before + more).await;
    }

    async fn stop(self) -> Vec<Answer> {
        self.enough.store(true, Ordering::SeqCst);
        for caller in self.callers {
            caller.await.unwrap();
        }
        let answers = self.answers.lock().unwrap();
        answers.clone()
    }
}

/// A key's charged requests of the month in the database.
async fn in_database(servers: &Servers, key: &Key, month: Month) -> MonthlyUse {
    let store = Store::open(&servers.database_url()).await.unwrap();
    let key = KeyId(key.id.parse().unwrap());
    let snapshot = store.snapshot(key, month).await.unwrap();
    snapshot.unwrap().used
}

/// The month that an answer belongs to, by the gateway's clock.
fn month_of(answer: &Response) -> Month {
    let date = answer.headers()["date"].to_str().unwrap();
    Month::of(DateTime::parse_from_rfc2822(date).unwrap().to_utc())
}

/// Waits until Redis and the database agree on a month in which at least so many proofs were
/// delivered.
async fn agree(servers: &Servers, gateway: &Gateway, key: &Key, delivered: usize) {
    let patience = Duration::from_secs(15);
    eventually("Redis and the database agree", patience, async || {
        let answer = gateway.post("xml", key, &request(1, "10.00")).await;
        let used = in_database(servers, key, month_of(&answer)).await;
        let counted = usize::try_from(used.charged).unwrap();
        assert!(
            counted > delivered,
            "{counted} counted, {delivered} delivered"
        );
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
    assert!(migrate(&servers).status.success());
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
    let load = Load::start(&gateway, &key);
    load.delivers(30, RECOVERY).await;
    let begun = Instant::now();
    outage.begin(&mut servers);
    // A hung server doesn't end by itself; this is how long it hangs.
    tokio::time::sleep(Duration::from_secs(1)).await;
    outage.end(&mut servers);
    let lasted = begun.elapsed();
    load.delivers(30, RECOVERY).await;
    let answers = load.stop().await;
    for answer in &answers {
        assert!(answer.took < HELD_BACK + SLACK, "{answer:?}");
        // On a machine that took longer, callers get a 503.
        let is_told = lasted > HELD_BACK / 2 && answer.is_refusal();
        assert!(answer.status == 200 || is_told, "{answer:?}");
    }
    let delivered = answers.iter().filter(|answer| answer.status == 200);
    agree(&servers, &gateway, &key, delivered.count()).await;
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
    let load = Load::start(&gateway, &key);
    load.delivers(30, RECOVERY).await;
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
        assert!(answer.is_refusal() && answer.took < SLACK / 2, "{answer:?}");
        assert!(!answer.admitted, "something was taken for it: {answer:?}");
    }

    outage.end(&mut servers);
    load.delivers(30, RECOVERY).await;
    eventually("it is ready again", RECOVERY, async || {
        let (status, ready) = readiness(&gateway).await;
        status == 200 && !ready.to_string().contains("degraded")
    })
    .await;
    assert_eq!(person.keys().await.len(), 0, "people are back, too");
    let answers = load.stop().await;
    for answer in &answers {
        assert!(answer.status == 200 || answer.is_refusal(), "{answer:?}");
        assert!(answer.took < HELD_BACK + SLACK, "{answer:?}");
    }
    let delivered = answers.iter().filter(|answer| answer.status == 200);
    agree(&servers, &gateway, &key, delivered.count()).await;
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
    let load = Load::start(&gateway, &key);
    is_unready(&gateway, HELD_BACK * 2 + SLACK).await;
    for _ in 0..5 {
        let answer = ask(&gateway, &key).await;
        assert!(answer.is_refusal(), "{answer:?}");
    }
    for answer in load.stop().await {
        assert!(answer.is_refusal(), "{answer:?}");
        assert!(
            !answer.admitted && answer.took < HELD_BACK + SLACK,
            "{answer:?}"
        );
    }
    // The database alone is enough, in a degraded mode.
    servers.database.own_server().start_again();
    eventually("it serves without Redis", RECOVERY, async || {
        ask(&gateway, &key).await.status == 200
    })
    .await;
    servers.redis.start_again();
    // The three before and those delivered afterwards, and nothing of the time between.
    let month = month_of(&gateway.get("/healthz").await);
    assert_eq!(in_database(&servers, &key, month).await.charged, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_waits_for_no_database_though_redis_is_gone() {
    let Some((mut servers, gateway, _)) = scene() else {
        return;
    };
    servers.redis.kill();
    eventually("it says that it is degraded", RECOVERY, async || {
        readiness(&gateway).await.1.to_string().contains("degraded")
    })
    .await;
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
