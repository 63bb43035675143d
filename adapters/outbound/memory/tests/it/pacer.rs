//! The in-process pacer keeps the pacer's contract, on tokio's paused clock.

use std::future::poll_fn;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{LookupClass, Pacing, Throttled, WINDOW};
use futures::future::join_all;
use memory::InProcessPacer;
use ports::contract::pacer::{LANE, ManualTime, PacerUnderTest, lane};
use ports::outbound::{AcquireError, Pacer};
use tokio::task::JoinSet;
use tokio::time::Instant;

const PATIENT: Duration = Duration::from_hours(1);

struct TokioTime;

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

ports::pacer!(
    #[tokio::test(start_paused = true)]
    async |pacing| PacerUnderTest {
        pacer: Arc::new(InProcessPacer::new(pacing)),
        time: Arc::new(TokioTime),
    }
);

fn pacer(per_minute: u32) -> Arc<InProcessPacer> {
    let pacing = Pacing::new(NonZeroU32::new(per_minute).unwrap());
    Arc::new(InProcessPacer::new(pacing))
}

#[tokio::test(start_paused = true)]
async fn waiting_tasks_are_served_in_order_and_on_time() {
    let pacer = pacer(15);
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..6 {
        let pacer = Arc::clone(&pacer);
        tasks.spawn(async move {
            pacer.acquire(LANE, PATIENT).await.unwrap();
            (number, started.elapsed().as_secs())
        });
        TokioTime.settle().await;
    }
    let mut served = Vec::new();
    while let Some(turn) = tasks.join_next().await {
        served.push(turn.unwrap());
    }
    assert_eq!(served, [(0, 0), (1, 0), (2, 0), (3, 4), (4, 8), (5, 12)]);
}

#[tokio::test(start_paused = true)]
async fn an_impatient_task_is_refused_at_once_with_the_true_time() {
    let pacer = pacer(1);
    pacer.acquire(LANE, PATIENT).await.unwrap();
    let started = Instant::now();
    // 63 s of patience leave 60 s for waiting: the lookup itself needs 3 s.
    let refused = pacer.acquire(LANE, Duration::from_secs(63)).await;
    let refused = refused.unwrap_err();
    assert!(
        matches!(
            refused,
            AcquireError::Refused(Throttled::BudgetUsedUp {
                retry_after: WINDOW
            })
        ),
        "{refused}"
    );
    assert_eq!(started.elapsed(), Duration::ZERO);
    pacer.acquire(LANE, Duration::from_secs(64)).await.unwrap();
    assert_eq!(started.elapsed(), WINDOW);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_dropped_gives_its_turn_to_the_next() {
    let pacer = pacer(1);
    pacer.acquire(LANE, PATIENT).await.unwrap();
    let waiting = |pacer: &Arc<InProcessPacer>| {
        let pacer = Arc::clone(pacer);
        tokio::spawn(async move { pacer.acquire(LANE, PATIENT).await })
    };
    let first = waiting(&pacer);
    TokioTime.settle().await;
    let second = waiting(&pacer);
    TokioTime.settle().await;
    let started = Instant::now();
    first.abort();
    second.await.unwrap().unwrap();
    assert_eq!(started.elapsed(), WINDOW);
}

/// A large queue would have no time for anything else if each acquisition woke all of it.
#[tokio::test(start_paused = true)]
async fn who_waits_is_woken_for_its_own_turn_alone() {
    const CROWD: usize = 500;
    let pacer = pacer(6_000);
    let looks = AtomicUsize::new(0);
    let waiting = (0..CROWD).map(|number| {
        let lane = lane(u128::try_from(number).unwrap(), 1, LookupClass::Interactive);
        let mut turn = pacer.acquire(lane, PATIENT);
        let looks = &looks;
        poll_fn(move |context| {
            looks.fetch_add(1, Ordering::Relaxed);
            turn.as_mut().poll(context)
        })
    });
    for turn in join_all(waiting).await {
        turn.unwrap();
    }
    // On arrival, when it becomes the first, and when its time has come.
    let looks = looks.into_inner();
    assert!(looks <= 3 * CROWD, "{looks} looks");
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_changes_holds_for_the_turns_before_and_after() {
    let per_minute = Arc::new(AtomicU32::new(6));
    let read = Arc::clone(&per_minute);
    let current = move || Pacing::new(NonZeroU32::new(read.load(Ordering::SeqCst)).unwrap());
    let pacer = InProcessPacer::following(current);
    let started = Instant::now();
    let mut begun = Vec::new();
    for budget in [6, 2, 2, 6, 6] {
        per_minute.store(budget, Ordering::SeqCst);
        assert_eq!(pacer.budget().await.unwrap().per_minute, budget);
        pacer.acquire(LANE, PATIENT).await.unwrap();
        begun.push(started.elapsed().as_secs());
    }
    // The third turn waits for the end of the first one's minute, which holds two; those after it are
    // spaced as six a minute are.
    assert_eq!(begun, [0, 0, 61, 71, 81]);
}
