//! The pacer in Redis.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::pacing::{BackOff, FIRST_BACK_OFF, Pacing, Throttled};
use futures::future::{Either, join, join_all, select};
use limiter_redis::{RedisLimiter, RedisPacer};
use ports::contract::pacer::{LANE, MakePacer, ManualTime, PacerUnderTest};
use ports::outbound::{AcquireError, Pacer, PacerState};
use testkit::redis::Redis;
use testkit::until;
use uuid::Uuid;

use crate::support::{cluster, limiter_on, options, redis};

const START: i64 = 1_800_000_000_000_000;
/// Patience of a caller that doesn't wait.
const HURRIED: Duration = Duration::ZERO;
/// Spacing of 15 turns a minute, rounded up.
const SPACING: Duration = Duration::from_micros(4_066_667);
const PATIENT: Duration = Duration::from_mins(1);

/// A clock in microseconds that only the test moves.
pub(crate) struct FrozenClock(pub(crate) Arc<AtomicI64>);

impl FrozenClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(START)))
    }

    pub(crate) fn move_by(&self, by: Duration) {
        let micros = i64::try_from(by.as_micros()).unwrap();
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

#[async_trait]
impl ManualTime for FrozenClock {
    async fn advance(&self, by: Duration) {
        self.move_by(by);
    }

    async fn settle(&self) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn pacing(per_minute: u32) -> Pacing {
    Pacing::new(NonZeroU32::new(per_minute).unwrap())
}

/// The suite's pacer, without recent turns on `servers`.
pub(crate) async fn fresh(
    servers: &[Redis],
    limiter: &RedisLimiter,
    pacing: Pacing,
) -> PacerUnderTest {
    for server in servers {
        server.tell(&["FLUSHALL"]);
    }
    let time = FrozenClock::new();
    let pacer = limiter
        .pacer(Uuid::from_u128(1), pacing)
        .with_frozen_clock(Arc::clone(&time.0));
    rest(&pacer, &time).await;
    PacerUnderTest {
        pacer: Arc::new(pacer),
        time: Arc::new(time),
    }
}

/// Takes a turn and lets time pass: a server without any record assumes a burst.
async fn rest(pacer: &RedisPacer, time: &FrozenClock) {
    pacer.acquire(LANE, HURRIED).await.unwrap();
    time.move_by(Duration::from_mins(2));
}

ports::pacer!(kept: on_one_server());

fn on_one_server() -> Option<(impl MakePacer, Arc<[Redis; 1]>)> {
    let servers = Arc::new([redis()?]);
    let limiter = limiter_on(&servers[0]);
    let kept = Arc::clone(&servers);
    let make = async move |pacing| fresh(&*servers, &limiter, pacing).await;
    Some((make, kept))
}

#[tokio::test]
async fn the_pacer_fulfils_the_contract_on_a_cluster() {
    let Some(cluster) = cluster() else { return };
    let limiter = RedisLimiter::cluster(&cluster.urls(), &options()).unwrap();
    ports::pacer!(in turn: async |pacing| fresh(&cluster.nodes, &limiter, pacing).await);
}

/// Three replicas with connections of their own, without recent turns.
async fn replicas(server: &Redis, per_minute: u32, time: &FrozenClock) -> Vec<RedisPacer> {
    let replica = |number| {
        let pacer = limiter_on(server).pacer(Uuid::from_u128(number), pacing(per_minute));
        pacer.with_frozen_clock(Arc::clone(&time.0))
    };
    let replicas: Vec<_> = (0..3).map(replica).collect();
    rest(&replicas[0], time).await;
    replicas
}

/// Returns how many of twenty callers get a turn at once.
async fn immediate_turns(replicas: &[RedisPacer]) -> usize {
    let asked = (0..20).map(|number| replicas[number % 3].acquire(LANE, HURRIED));
    let answers = join_all(asked).await;
    answers.iter().filter(|answer| answer.is_ok()).count()
}

#[tokio::test]
async fn a_server_that_lost_its_data_grants_no_second_burst() {
    let Some(server) = redis() else { return };
    let time = FrozenClock::new();
    let replicas = replicas(&server, 15, &time).await;
    assert_eq!(immediate_turns(&replicas).await, 3);
    server.tell(&["FLUSHALL"]);
    assert_eq!(immediate_turns(&replicas).await, 1);
    for _ in 0..20 {
        time.move_by(SPACING);
        assert_eq!(immediate_turns(&replicas).await, 1);
    }
    time.move_by(3 * SPACING);
    assert_eq!(immediate_turns(&replicas).await, 3);
}

#[tokio::test]
async fn a_server_that_lost_its_data_merges_a_pacers_turns() {
    let Some(server) = redis() else { return };
    let time = FrozenClock::new();
    let replicas = replicas(&server, 15, &time).await;
    server.tell(&["FLUSHALL"]);
    let turns = |ago: &[u64]| PacerState {
        turns: ago.iter().copied().map(Duration::from_secs).collect(),
        paused_for: None,
    };
    replicas[0].merge(&turns(&[50, 40, 30])).await.unwrap();
    assert_eq!(immediate_turns(&replicas).await, 1);
    assert_eq!(replicas[0].budget().await.unwrap().remaining, 11);
    replicas[1].merge(&turns(&[1; 11])).await.unwrap();
    time.move_by(Duration::from_secs(9));
    assert_eq!(immediate_turns(&replicas).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_is_one_over_all_replicas() {
    let Some(server) = redis() else { return };
    let time = FrozenClock::new();
    let replicas = replicas(&server, 5, &time).await;
    let mut began = Vec::new();
    // Ninety seconds, and at each half of one thirty callers at once.
    for half in 0..180_u64 {
        let asked = (0..30).map(|number| replicas[number % 3].acquire(LANE, HURRIED));
        let answers = join_all(asked).await;
        let went = answers.iter().filter(|answer| answer.is_ok()).count();
        began.extend(std::iter::repeat_n(half * 500, went));
        time.move_by(Duration::from_millis(500));
    }
    let minutes: Vec<_> = began.windows(6).map(|six| six[5] - six[0]).collect();
    assert!(minutes.iter().all(|span| *span >= 60_000), "{began:?}");
    let seconds: Vec<_> = began.iter().map(|at| at / 1_000).collect();
    assert_eq!(seconds, [0, 0, 0, 12, 24, 61, 61, 61, 73, 85]);
}

/// Waits until a fourth turn of fifteen is promised.
async fn until_somebody_waits(pacer: &RedisPacer) {
    while pacer.budget().await.unwrap().remaining > 11 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_back_off_of_one_replica_is_all_replicas() {
    let Some(server) = redis() else { return };
    let time = FrozenClock::new();
    let replicas = replicas(&server, 15, &time).await;
    for pacer in &replicas {
        pacer.acquire(LANE, HURRIED).await.unwrap();
    }
    let waiting = replicas[1].acquire(LANE, PATIENT);
    let meeting = async {
        until_somebody_waits(&replicas[2]).await;
        let throttled = replicas[0].record_throttled(Duration::from_secs(1)).await;
        throttled.unwrap()
    };
    let (waiting, back_off) = join(waiting, meeting).await;
    assert_eq!(back_off, BackOff::Began(FIRST_BACK_OFF));
    let is_sent_away = |answer: Result<(), AcquireError>| {
        let Err(AcquireError::Refused(Throttled::BackingOff { retry_after })) = answer else {
            panic!("{answer:?}");
        };
        assert_eq!(retry_after, FIRST_BACK_OFF);
    };
    is_sent_away(waiting);
    for pacer in &replicas {
        is_sent_away(pacer.acquire(LANE, PATIENT).await);
    }
    let joined = replicas[2].record_throttled(Duration::from_secs(1)).await;
    assert_eq!(joined.unwrap(), BackOff::Joined(FIRST_BACK_OFF));
}

#[tokio::test]
async fn a_turn_that_comes_at_once_is_one_round_trip() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    let pacer = limiter.pacer(Uuid::from_u128(1), pacing(60_000_000));
    pacer.acquire(LANE, HURRIED).await.unwrap();
    server.tell(&["CONFIG", "RESETSTAT"]);
    for _ in 0..20 {
        pacer.acquire(LANE, HURRIED).await.unwrap();
    }
    assert_eq!(server.calls_of("evalsha"), 20);
    assert_eq!(server.calls_of("eval") + server.calls_of("ping"), 0);
}

#[tokio::test]
async fn a_turn_by_the_servers_clock_comes_at_the_promised_time() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    // A turn every 300 ms.
    let pacer = limiter.pacer(Uuid::from_u128(1), pacing(200));
    let asked = Instant::now();
    for _ in 0..5 {
        pacer.acquire(LANE, PATIENT).await.unwrap();
    }
    assert!(asked.elapsed() >= Duration::from_millis(1_200));
    let keys = server.ask(&["KEYS", "*"]);
    assert!(keys.lines().all(|key| key.starts_with("cep:{bank}:")));
    until("a minute's turns and places end by themselves", || {
        let lives = |key: &str| server.number(&["PTTL", key]);
        lives("cep:{bank}:w") > 0 && lives("cep:{bank}:s") > 0 && lives("cep:{bank}:q") == -2
    });
}

#[tokio::test]
async fn the_tickets_of_a_process_that_ended_expire() {
    let Some(server) = redis() else { return };
    let time = FrozenClock::new();
    let replicas = replicas(&server, 15, &time).await;
    for _ in 0..3 {
        replicas[0].acquire(LANE, HURRIED).await.unwrap();
    }
    let waiting = replicas[0].acquire(LANE, PATIENT);
    let queued = std::pin::pin!(until_somebody_waits(&replicas[1]));
    let Either::Left(((), waiting)) = select(queued, waiting).await else {
        panic!("its turn has not come");
    };
    // The process is gone: no ticket is given back.
    std::mem::forget(waiting);
    time.move_by(Duration::from_secs(4));
    let behind = replicas[1].acquire(LANE, HURRIED).await;
    assert!(behind.is_err(), "somebody is before it: {behind:?}");
    time.move_by(Duration::from_secs(1));
    replicas[1].acquire(LANE, HURRIED).await.unwrap();
}
