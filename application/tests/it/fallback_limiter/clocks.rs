//! A replica whose clock is ahead of the shared limiter, or goes back.

use super::*;

const MONTH: Duration = Duration::from_hours(24 * 31);

#[tokio::test]
async fn a_clock_that_is_ahead_moves_no_month_of_the_shared_limiter() {
    // Of fifteen charges the shared limiter knows some; the others are of a third, degraded replica.
    for (shared, written) in [(15, 0), (5, 10)] {
        let replica = Replica::one_of(2, limits(100, Some(20))).await;
        assert_eq!(replica.admitted_of(shared).await, shared);
        for _ in 0..written {
            replica.write_down(Month::of(noon()));
        }
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
}

#[tokio::test]
async fn a_clock_that_goes_back_brings_no_old_month_back_to_a_degraded_replica() {
    let replica = Replica::degraded(1, limits(100, Some(20))).await;
    replica.clock.set_wall(noon() + MONTH);
    let month_charged = async || match replica.ask().await.unwrap() {
        Verdict::Admitted { month, .. } => month,
        verdict => panic!("{verdict:?}"),
    };
    let next = month_charged().await;
    assert_eq!(next, Month::of(noon() + MONTH));
    replica.clock.set_wall(noon());
    assert_eq!(month_charged().await, next);
}
