//! Quotas are charged in the store while the shared limiter is down.

use super::*;

#[tokio::test]
async fn a_quota_is_charged_in_the_store_before_the_verdict() {
    let replica = Replica::one_of(1, limits(100, Some(10))).await;
    replica.shared.faults().inject(Fault::Fails);
    for used in 1..=10 {
        let Verdict::Admitted {
            limit_status,
            charge,
            ..
        } = replica.ask().await.unwrap()
        else {
            panic!("not admitted");
        };
        assert_eq!(charge, Charge::Written);
        assert_eq!(limit_status.month.unwrap().used, used);
        assert_eq!(replica.in_store().await.used.charged, used);
    }
    let Verdict::QuotaExceeded {
        limit_status,
        month,
    } = replica.ask().await.unwrap()
    else {
        panic!("admitted");
    };
    assert_eq!((month.used, month.remaining()), (10, 0));
    let left = limit_status.minute.remaining;
    assert_eq!(left, 90, "a refusal counts nothing");
    assert_eq!(replica.in_store().await.used.charged, 10);
    // Idle states are dropped; the store forgets nothing.
    replica.clock.advance(Duration::from_mins(2));
    replica.own.forget_idle();
    replica.is_over_quota().await;
}

#[tokio::test]
async fn a_full_minute_is_answered_before_the_month_and_charges_nothing() {
    let replica = Replica::degraded(1, limits(5, Some(5))).await;
    assert_eq!(replica.admitted_of(2).await, 2);
    let month = replica.is_over_rate().await.month;
    assert_eq!(month.unwrap().used, 5);
    assert_eq!(replica.in_store().await.used.charged, 5);
}

#[tokio::test]
async fn of_two_degraded_replicas_one_has_the_last_of_the_quota() {
    let one = Replica::one_of(2, limits(200, Some(7))).await;
    let other = one.beside(2);
    assert_eq!(one.degrade().await, 3);
    assert_eq!(other.degrade().await, 3);
    assert_eq!(one.admitted_of(5).await, 1);
    assert_eq!(other.admitted_of(5).await, 0);
}

#[tokio::test]
async fn a_request_that_loses_the_last_of_the_quota_to_another_is_refused() {
    let one = Replica::one_of(2, limits(200, Some(6))).await;
    let other = one.beside(2);
    assert_eq!(one.degrade().await, 3);
    other.shared.faults().inject(Fault::Fails);
    // Between the look at the month and its charge.
    let meanwhile = one.data.clone();
    other.store.after_next_snapshot(async move {
        for _ in 0..3 {
            let month = Month::of(noon());
            meanwhile.charge(KEY, month, noon()).await.unwrap().unwrap();
        }
    });
    assert_eq!(other.is_over_quota().await.used, 6);
    assert_eq!(one.in_store().await.used.charged, 6);
}

#[tokio::test]
async fn a_key_that_is_revoked_between_two_readings_is_refused() {
    let replica = Replica::one_of(1, limits(200, Some(6))).await;
    replica.shared.faults().inject(Fault::Fails);
    let meanwhile = replica.data.clone();
    let revoking = async move { meanwhile.revoke_key(KEY.id).await };
    replica.store.after_next_snapshot(revoking);
    assert_eq!(replica.ask().await.unwrap(), Verdict::Revoked);
    assert_eq!(replica.in_store().await.used.charged, 0);
}

#[tokio::test]
async fn an_uncapped_key_is_left_to_the_journal() {
    let replica = Replica::one_of(1, limits(100, None)).await;
    replica.shared.faults().inject(Fault::Fails);
    let Verdict::Admitted { charge, .. } = replica.ask().await.unwrap() else {
        panic!("not admitted");
    };
    assert_eq!(charge, Charge::Unwritten);
    assert_eq!(replica.in_store().await.used.charged, 0);
}

/// Each of them would hold a connection, and wait there for the row that one of them changes.
#[tokio::test]
async fn a_hot_key_is_charged_by_one_request_at_a_time() {
    let replica = Replica::degraded(1, limits(100, Some(50))).await;
    replica.store.faults().inject_into("charge", Fault::Hangs);
    let mut asking: Vec<_> = (0..60).map(|_| Box::pin(replica.ask())).collect();
    let charges = replica.store.faults().calls_of("charge");
    for asker in &mut asking {
        assert!(asker.as_mut().now_or_never().is_none());
    }
    assert_eq!(replica.store.faults().calls_of("charge"), charges + 1);
    replica.store.come_back();
    let verdicts = futures::future::join_all(asking).await;
    let admitted = |verdict: &Result<Verdict, _>| matches!(verdict, Ok(Verdict::Admitted { .. }));
    assert_eq!(verdicts.iter().filter(|it| admitted(it)).count(), 47);
    assert_eq!(replica.in_store().await.used.charged, 50);
}

#[tokio::test]
async fn a_request_that_waited_too_long_for_its_charge_is_refused_without_one() {
    let replica = Replica::degraded(1, limits(100, Some(50))).await;
    replica.store.faults().inject_into("charge", Fault::Hangs);
    let mut first = Box::pin(replica.ask());
    assert!(first.as_mut().now_or_never().is_none());
    let mut waiting: Vec<_> = (0..5).map(|_| Box::pin(replica.ask())).collect();
    for asker in &mut waiting {
        assert!(asker.as_mut().now_or_never().is_none());
    }
    replica.clock.advance(Duration::from_secs(5));
    replica.store.come_back();
    first.await.unwrap();
    for asker in waiting {
        asker.await.unwrap_err();
    }
    assert_eq!(replica.in_store().await.used.charged, 4);
}
