//! Turns given to tasks, on tokio's clock at a standstill.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::*;

const PATIENT: Duration = Duration::from_hours(1);

fn pacer(per_minute: u32) -> Arc<Pacer> {
    Arc::new(Pacer::new(PacingConfig {
        cycles_per_minute: NonZeroU32::new(per_minute).unwrap(),
    }))
}

/// Lets every task that can go on do so.
async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_tasks_are_served_in_order() {
    let pacer = pacer(15);
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..6 {
        let pacer = Arc::clone(&pacer);
        tasks.spawn(async move {
            pacer.turn(PATIENT).await.unwrap();
            (number, started.elapsed().as_secs())
        });
        settle().await;
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
    pacer.turn(PATIENT).await.unwrap();
    let started = Instant::now();
    // 62 s of patience leave 59 s for waiting: the lookup itself needs 3 s.
    let refused = pacer.turn(Duration::from_secs(62)).await.unwrap_err();
    assert_eq!(refused.retry_after, Duration::from_mins(1));
    assert_eq!(refused.reason, ThrottleReason::BudgetUsedUp);
    assert_eq!(started.elapsed(), Duration::ZERO);
    pacer.turn(Duration::from_secs(63)).await.unwrap();
    assert_eq!(started.elapsed(), Duration::from_mins(1));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_dropped_gives_its_turn_back() {
    let pacer = pacer(1);
    pacer.turn(PATIENT).await.unwrap();
    let waiting = |pacer: &Arc<Pacer>| {
        let pacer = Arc::clone(pacer);
        tokio::spawn(async move { pacer.turn(PATIENT).await })
    };
    let first = waiting(&pacer);
    settle().await;
    let second = waiting(&pacer);
    settle().await;
    let started = Instant::now();
    first.abort();
    second.await.unwrap().unwrap();
    assert_eq!(started.elapsed(), Duration::from_mins(1));
}

#[tokio::test(start_paused = true)]
async fn a_back_off_wakes_who_waits_and_ends() {
    let pacer = pacer(15);
    let turn = pacer.turn(PATIENT).await.unwrap();
    pacer.turn(PATIENT).await.unwrap();
    pacer.turn(PATIENT).await.unwrap();
    let waiting = {
        let pacer = Arc::clone(&pacer);
        tokio::spawn(async move { pacer.turn(PATIENT).await.unwrap_err() })
    };
    settle().await;
    let throttled = pacer.limited(turn, ThrottleReason::CaptchaPage);
    assert_eq!(throttled.retry_after, FIRST_BACK_OFF);
    assert_eq!(throttled.reason, ThrottleReason::CaptchaPage);
    let sent_away = waiting.await.unwrap();
    assert_eq!(sent_away.retry_after, FIRST_BACK_OFF);
    assert_eq!(sent_away.reason, ThrottleReason::BackingOff);
    tokio::time::advance(Duration::from_secs(100)).await;
    let refused = pacer.turn(PATIENT).await.unwrap_err();
    assert_eq!(refused.retry_after, Duration::from_secs(20));
    assert_eq!(refused.reason, ThrottleReason::BackingOff);
    tokio::time::advance(refused.retry_after).await;
    let turn = pacer.turn(PATIENT).await.unwrap();
    assert_eq!(
        pacer.limited(turn, ThrottleReason::CaptchaPage).retry_after,
        2 * FIRST_BACK_OFF
    );
}

#[tokio::test(start_paused = true)]
async fn a_success_makes_the_next_back_off_short_again() {
    let pacer = pacer(15);
    let turn = pacer.turn(PATIENT).await.unwrap();
    pacer.limited(turn, ThrottleReason::CaptchaPage);
    tokio::time::advance(FIRST_BACK_OFF).await;
    let turn = pacer.turn(PATIENT).await.unwrap();
    pacer.served(turn);
    let turn = pacer.turn(PATIENT).await.unwrap();
    assert_eq!(
        pacer.limited(turn, ThrottleReason::CaptchaPage).retry_after,
        FIRST_BACK_OFF
    );
}
