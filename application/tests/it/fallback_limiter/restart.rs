//! A process that begins over a shared limiter that went on without it.

use futures::future::join_all;

use super::*;

#[tokio::test]
async fn a_revocation_that_was_not_propagated_is_refused_from_the_first_request_on() {
    let before = Replica::one_of(1, limits(100, None)).await;
    before.shared.faults().inject(Fault::Fails);
    before.data.revoke_key(KEY.id).await;
    let state = before.in_store().await.state;
    before.limiter.apply(KEY, state).await.unwrap_err();
    let shared = before.shared.in_process().admit(KEY).await.unwrap();
    assert!(matches!(shared, Verdict::Admitted { .. }), "{shared:?}");

    for idle in [Duration::ZERO, Duration::from_hours(1)] {
        let after = before.beside(1);
        after.clock.advance(idle);
        assert_eq!(after.ask().await.unwrap(), Verdict::Revoked);
    }
}

#[tokio::test]
async fn a_month_that_was_charged_without_the_shared_limiter_is_whole_from_the_first_request_on() {
    let before = Replica::one_of(1, limits(100, Some(20))).await;
    assert_eq!(before.admitted_of(5).await, 5);
    before.shared.faults().inject(Fault::Fails);
    assert_eq!(before.admitted_of(8).await, 8);
    assert_eq!(before.beside(1).admitted_of(20).await, 7);
}

#[tokio::test]
async fn each_key_is_read_once_in_the_life_of_a_process() {
    let replica = Replica::one_of(1, limits(1_000, None)).await;
    let restarted = replica.beside(1);
    for verdict in join_all((0..50).map(|_| restarted.ask())).await {
        assert!(matches!(verdict.unwrap(), Verdict::Admitted { .. }));
    }
    for _ in 0..5 {
        restarted.clock.advance(Duration::from_mins(10));
        assert_eq!(restarted.admitted_of(10).await, 10);
    }
    assert_eq!(restarted.store.snapshots_read(), 1);
}

#[tokio::test]
async fn a_request_with_a_revoked_key_costs_one_call() {
    let replica = Replica::one_of(1, limits(100, None)).await;
    replica.data.revoke_key(KEY.id).await;
    let restarted = replica.beside(1);
    assert_eq!(restarted.ask().await.unwrap(), Verdict::Revoked);
    assert_eq!(restarted.ask().await.unwrap(), Verdict::Revoked);
    let (calls, readings) = (
        restarted.shared.faults().all_calls(),
        restarted.store.snapshots_read(),
    );
    assert_eq!(restarted.ask().await.unwrap(), Verdict::Revoked);
    assert_eq!(restarted.shared.faults().all_calls(), calls + 1);
    assert_eq!(restarted.store.snapshots_read(), readings);
}
