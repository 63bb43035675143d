//! A replica whose clock is ahead of the shared limiter's.

use super::*;

const MONTH: Duration = Duration::from_hours(24 * 31);

#[tokio::test]
async fn a_clock_that_is_ahead_moves_no_month_of_the_shared_limiter() {
    let replica = Replica::one_of(2, limits(100, Some(20))).await;
    assert_eq!(replica.admitted_of(15).await, 15);
    let ahead = replica.ahead_by(MONTH);
    // After a single failure the shared limiter is resynchronised: it may have missed something.
    ahead.shared.faults().inject(Fault::Fails);
    let _ = ahead.limiter.apply(KEY, ahead.in_store().await.state).await;
    ahead.shared.faults().clear();
    let verdict = ahead.ask().await.unwrap();
    let Verdict::Admitted { month, .. } = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(month, Month::of(noon()));
    assert_eq!(replica.admitted_of(20).await, 4, "the quota began anew");
}

#[tokio::test]
async fn the_shared_limiter_is_hydrated_with_the_month_of_its_own_clock() {
    let replica = Replica::one_of(2, limits(100, Some(20))).await;
    assert_eq!(replica.admitted_of(5).await, 5);
    // The charges of a third, degraded replica.
    for _ in 0..10 {
        replica.write_down(Month::of(noon()));
    }
    let ahead = replica.ahead_by(MONTH);
    ahead.shared.faults().inject(Fault::Fails);
    let _ = ahead.limiter.apply(KEY, ahead.in_store().await.state).await;
    ahead.shared.faults().clear();
    assert!(matches!(
        ahead.ask().await.unwrap(),
        Verdict::Admitted { .. }
    ));
    assert_eq!(replica.admitted_of(20).await, 4);
}
