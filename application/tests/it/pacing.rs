//! Pacing of queries to the bank while the shared pacer fails, and after.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use application::FallbackPacer;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::pacing::{BackOff, BankBudget, FIRST_BACK_OFF, Lane, Pacing, Throttled};
use memory::InProcessPacer;
use ports::contract::pacer::{LANE, ManualTime, PacerUnderTest};
use ports::outbound::{AcquireError, Clock, Pacer, PacerError, PacerState};
use tokio::time::Instant;

const AT_ONCE: Duration = Duration::ZERO;
const REPLICAS: NonZeroU32 = NonZeroU32::new(3).unwrap();
/// A slot every 4 s; a share of a third is one every 12 s, without a burst.
const BUDGET: u32 = 15;

/// A pacer that fails while it is down, and misses what it is given then.
struct FaultyPacer {
    pacer: InProcessPacer,
    is_down: AtomicBool,
    asked: AtomicUsize,
    /// Seconds that it keeps a caller waiting before it goes down.
    goes_down_after: AtomicU64,
}

impl FaultyPacer {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            pacer: InProcessPacer::new(pacing()),
            is_down: AtomicBool::new(false),
            asked: AtomicUsize::new(0),
            goes_down_after: AtomicU64::new(0),
        })
    }

    fn works(&self) -> Result<&InProcessPacer, PacerError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.is_down.load(Ordering::SeqCst) {
            let cause = Arc::from(Box::<dyn std::error::Error + Send + Sync>::from("down"));
            return Err(PacerError { cause });
        }
        Ok(&self.pacer)
    }

    fn go_down(&self) {
        self.is_down.store(true, Ordering::SeqCst);
    }

    fn come_back(&self) {
        self.is_down.store(false, Ordering::SeqCst);
    }

    fn times_asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Pacer for FaultyPacer {
    async fn acquire(&self, lane: Lane, patience: Duration) -> Result<(), AcquireError> {
        let wait = self.goes_down_after.load(Ordering::SeqCst);
        if wait > 0 {
            tokio::time::sleep(seconds(wait)).await;
            self.go_down();
        }
        self.works()?.acquire(lane, patience).await
    }

    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError> {
        self.works()?.record_throttled(under_way).await
    }

    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError> {
        self.works()?.record_success(under_way).await
    }

    async fn merge(&self, news: &PacerState) -> Result<(), PacerError> {
        self.works()?.merge(news).await
    }

    async fn budget(&self) -> Result<BankBudget, PacerError> {
        self.works()?.budget().await
    }
}

/// Tokio's clock, which is paused in tests.
struct TokioTime(Instant);

impl Clock for TokioTime {
    fn now(&self) -> DateTime<Utc> {
        unreachable!("spans alone are measured");
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

#[async_trait]
impl ManualTime for TokioTime {
    async fn advance(&self, by: Duration) {
        tokio::time::advance(by).await;
    }

    async fn settle(&self) {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
}

fn pacing() -> Pacing {
    Pacing::new(NonZeroU32::new(BUDGET).unwrap())
}

fn replica(shared: Arc<dyn Pacer>) -> FallbackPacer {
    fallback(shared, pacing().share_of(REPLICAS))
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

async fn advance(by: u64) {
    tokio::time::advance(seconds(by)).await;
}

fn backing_off(answer: Result<(), AcquireError>) -> Duration {
    match answer {
        Err(AcquireError::Refused(Throttled::BackingOff { retry_after })) => retry_after,
        other => panic!("a back-off was expected: {other:?}"),
    }
}

fn used_up(answer: Result<(), AcquireError>) -> Duration {
    match answer {
        Err(AcquireError::Refused(Throttled::BudgetUsedUp { retry_after })) => retry_after,
        other => panic!("the budget was used up: {other:?}"),
    }
}

fn fallback(shared: Arc<dyn Pacer>, local: Pacing) -> FallbackPacer {
    let clock = Arc::new(TokioTime(Instant::now()));
    FallbackPacer::new(shared, Arc::new(InProcessPacer::new(local)), clock)
}

mod while_the_shared_pacer_answers {
    use super::*;

    ports::pacer!(
        #[tokio::test(start_paused = true)]
        async |pacing: Pacing| {
            let shared = Arc::new(InProcessPacer::new(pacing));
            under_test(fallback(shared, pacing.share_of(REPLICAS)))
        }
    );
}

mod while_it_is_down {
    use super::*;

    ports::pacer!(
        #[tokio::test(start_paused = true)]
        async |pacing: Pacing| {
            let shared = FaultyPacer::new();
            shared.go_down();
            under_test(fallback(shared, pacing))
        }
    );
}

fn under_test(pacer: FallbackPacer) -> PacerUnderTest {
    PacerUnderTest {
        pacer: Arc::new(pacer),
        time: Arc::new(TokioTime(Instant::now())),
    }
}

#[tokio::test(start_paused = true)]
async fn without_the_shared_pacer_each_replica_has_its_share() {
    let shared = FaultyPacer::new();
    let replicas: Vec<_> = (0..3).map(|_| replica(shared.clone())).collect();
    shared.go_down();
    let mut acquired = 0;
    for _ in 0..60 {
        for pacer in &replicas {
            acquired += u32::from(pacer.acquire(LANE, AT_ONCE).await.is_ok());
        }
        advance(1).await;
    }
    assert_eq!(acquired, BUDGET);
    let left = replicas[0].budget().await.unwrap();
    assert_eq!(left.per_minute, BUDGET / REPLICAS);
}

#[tokio::test(start_paused = true)]
async fn the_degraded_mode_begins_with_the_third_failure_and_ends_with_the_first_answer() {
    let shared = FaultyPacer::new();
    let pacer = replica(shared.clone());
    shared.go_down();
    for _ in 0..3 {
        assert!(!pacer.is_degraded());
        pacer.budget().await.unwrap();
    }
    assert!(pacer.is_degraded());
    let asked = shared.times_asked();
    pacer.budget().await.unwrap();
    assert_eq!(shared.times_asked(), asked, "the circuit is open");
    shared.come_back();
    advance(1).await;
    assert_eq!(pacer.budget().await.unwrap().per_minute, BUDGET);
    assert!(!pacer.is_degraded());
}

#[tokio::test(start_paused = true)]
async fn a_known_back_off_outlives_the_shared_pacer() {
    let shared = FaultyPacer::new();
    let [met, refused, unaware] = [(); 3].map(|()| replica(shared.clone()));
    met.acquire(LANE, AT_ONCE).await.unwrap();
    met.record_throttled(seconds(1)).await.unwrap();
    backing_off(refused.acquire(LANE, AT_ONCE).await);
    shared.go_down();
    advance(20).await;
    for pacer in [&met, &refused] {
        for _ in 0..5 {
            let left = backing_off(pacer.acquire(LANE, AT_ONCE).await);
            assert_eq!(left, FIRST_BACK_OFF.saturating_sub(seconds(20)));
        }
        assert!(pacer.is_degraded());
        assert!(pacer.budget().await.unwrap().paused_for.is_some());
    }
    // Only as far as a process knows of it.
    unaware.acquire(LANE, AT_ONCE).await.unwrap();
    advance(100).await;
    met.acquire(LANE, AT_ONCE).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_shared_pacer_that_lost_a_back_off_gets_it_again() {
    let [before, after] = [(); 2].map(|()| FaultyPacer::new());
    let pacer = replica(before);
    pacer.acquire(LANE, AT_ONCE).await.unwrap();
    pacer.record_throttled(seconds(1)).await.unwrap();
    // The same process, with a shared pacer that has no state.
    let left = pacer.budget().await.unwrap().paused_for.unwrap();
    let own = InProcessPacer::new(pacing().share_of(REPLICAS));
    own.merge(&PacerState::backing_off(left)).await.unwrap();
    let clock = Arc::new(TokioTime(Instant::now()));
    let pacer = FallbackPacer::new(after.clone(), Arc::new(own), clock);
    backing_off(pacer.acquire(LANE, AT_ONCE).await);
    backing_off(replica(after).acquire(LANE, AT_ONCE).await);
}

#[tokio::test(start_paused = true)]
async fn the_shared_pacer_merges_what_happened_while_it_was_down() {
    let shared = FaultyPacer::new();
    let pacer = replica(shared.clone());
    shared.go_down();
    for _ in 0..4 {
        pacer.acquire(LANE, AT_ONCE).await.unwrap();
        advance(13).await;
    }
    assert!(pacer.is_degraded());
    shared.come_back();
    let other = replica(shared.clone());
    assert_eq!(other.budget().await.unwrap().remaining, BUDGET);
    // 52, 39, 26 and 13 s ago.
    assert_eq!(pacer.budget().await.unwrap().remaining, BUDGET - 4);
    assert_eq!(other.budget().await.unwrap().remaining, BUDGET - 4);
    advance(10).await;
    assert_eq!(other.budget().await.unwrap().remaining, BUDGET - 3);

    shared.go_down();
    let back_off = pacer.record_throttled(seconds(1)).await.unwrap();
    assert_eq!(back_off, BackOff::Began(FIRST_BACK_OFF));
    shared.come_back();
    let paused_for = pacer.budget().await.unwrap().paused_for;
    assert_eq!(paused_for, Some(FIRST_BACK_OFF));
    backing_off(other.acquire(LANE, AT_ONCE).await);
}

#[tokio::test(start_paused = true)]
async fn slots_of_the_shared_pacer_count_against_the_share() {
    let shared = FaultyPacer::new();
    let pacer = replica(shared.clone());
    pacer.acquire(LANE, AT_ONCE).await.unwrap();
    advance(5).await;
    shared.go_down();
    // The share is a slot every 12.2 s.
    let left = Duration::from_millis(7_200);
    assert_eq!(used_up(pacer.acquire(LANE, AT_ONCE).await), left);
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_waits_for_the_shared_pacer_when_it_fails_goes_on_locally_with_the_rest_of_its_patience()
 {
    // The share's next slot is 12.2 s after the one that was merged. Of 14 s of patience 4 are left
    // after ten, half of them for the wait; of 15 there are 5.
    let slot = Duration::from_millis(12_200);
    for (patience, slot_at) in [(14, None), (15, Some(slot))] {
        let shared = FaultyPacer::new();
        shared.goes_down_after.store(10, Ordering::SeqCst);
        let pacer = replica(shared);
        pacer.merge(&PacerState::acquired_now()).await.unwrap();
        let asked = Instant::now();
        let answer = pacer.acquire(LANE, seconds(patience)).await;
        match slot_at {
            None => assert_eq!(used_up(answer), Duration::from_millis(2_200)),
            Some(_) => answer.unwrap(),
        }
        assert_eq!(asked.elapsed(), slot_at.unwrap_or(seconds(10)));
    }
}
