//! Who is admitted, in which order it is found out, and what that asks of the store.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use application::KeyWatch;
use chrono::{DateTime, TimeDelta, Utc};
use domain::key::{Environment, FullKey};
use domain::limits::MonthlyUse;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use futures::future::join_all;
use ports::inbound::{KeyAdministration, Reach, Refusal};
use ports::outbound::{Limiter, RefusalEntry};
use support::house::{HERE, house, month_used};
use support::{Elsewhere, disk_full, limits, noon, operator};

/// The same key with another last character.
fn with_wrong_secret(secret: &FullKey) -> String {
    let mut text = secret.reveal().to_owned();
    let last = text.pop().unwrap();
    text.push(if last == 'a' { 'b' } else { 'a' });
    text
}

#[tokio::test]
async fn a_missing_or_malformed_key_is_refused_without_asking_the_store() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    let cut = &holder.secret.reveal()[..41];
    for key in [
        None,
        Some(""),
        Some("cep_live_"),
        Some("Bearer x"),
        Some(cut),
    ] {
        let refusal = house.present(key, HERE).await.unwrap_err();
        assert!(matches!(refusal, Refusal::InvalidKey), "{key:?}");
    }
    assert_eq!((house.store.look_ups(), house.store.snapshots()), (0, 0));
}

#[tokio::test]
async fn a_key_is_looked_up_once_and_then_remembered() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    for _ in 0..5 {
        house.ask(&holder).await.unwrap();
    }
    assert_eq!(house.store.look_ups(), 1);
}

#[tokio::test]
async fn a_wrong_secret_is_refused_before_limits_are_read() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    let wrong = with_wrong_secret(&holder.secret);
    for _ in 0..3 {
        let refusal = house.present(Some(&wrong), HERE).await.unwrap_err();
        assert!(matches!(refusal, Refusal::InvalidKey));
    }
    assert_eq!(house.store.snapshots(), 0);
    assert_eq!(house.used(holder.id).await, MonthlyUse::default());
    let admission = house.ask(&holder).await.unwrap();
    assert_eq!(admission.standing.minute.remaining, 9);
}

#[tokio::test]
async fn a_revoked_key_is_refused_at_once_and_counts_nothing() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    house.ask(&holder).await.unwrap();
    let (operator, id) = (operator(), holder.id);
    let revoked = house.keys.revoke(&operator, Reach::Own, id).await;
    revoked.unwrap();
    for _ in 0..3 {
        let refusal = house.ask(&holder).await.unwrap_err();
        assert!(matches!(refusal, Refusal::InvalidKey));
    }
    assert_eq!(house.used(holder.id).await.charged, 1);
}

#[tokio::test]
async fn a_key_that_another_process_revoked_before_its_first_request_is_refused() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    house.data.revoke_key(holder.id).await;
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, Refusal::InvalidKey));
}

#[tokio::test]
async fn an_admission_says_what_was_admitted() {
    let house = house();
    let holder = house.holder(limits(10, Some(100))).await;
    let first = house.ask(&holder).await.unwrap();
    assert_eq!(
        (first.key, first.environment),
        (holder.id, Environment::Test)
    );
    assert_eq!(
        (first.endpoint, first.request_id.as_str()),
        (Endpoint::Xml, "till-7")
    );
    assert_eq!(
        (first.admitted_at, first.month),
        (noon(), Month::of(noon()))
    );
    assert_eq!(
        (first.standing.minute.limit, first.standing.minute.remaining),
        (10, 9)
    );
    let month = first.standing.month.unwrap();
    assert_eq!((month.limit, month.used), (100, 1));
    let second = house.ask(&holder).await.unwrap();
    assert_ne!(first.id, second.id, "an id was given twice");
}

#[tokio::test]
async fn a_minute_that_is_used_up_is_refused_until_a_unit_returns() {
    let house = house();
    let holder = house.holder(limits(3, Some(100))).await;
    for _ in 0..3 {
        house.ask(&holder).await.unwrap();
        house.clock.advance(Duration::from_secs(10));
    }
    let Err(Refusal::RateLimited {
        standing,
        retry_after,
    }) = house.ask(&holder).await
    else {
        panic!("the fourth request of a minute was not refused");
    };
    assert_eq!((standing.minute.limit, standing.minute.remaining), (3, 0));
    assert_eq!(standing.month.unwrap().used, 3, "a refusal was charged");
    assert_eq!(retry_after, Duration::from_secs(30));
    house.clock.advance(retry_after);
    house.ask(&holder).await.unwrap();
    assert_eq!(house.used(holder.id).await.charged, 4);
}

#[tokio::test]
async fn a_month_that_is_used_up_is_refused_until_it_ends() {
    let house = house();
    let holder = house.holder(limits(100, Some(3))).await;
    for _ in 0..3 {
        house.ask(&holder).await.unwrap();
    }
    let Err(Refusal::QuotaExceeded { standing, month }) = house.ask(&holder).await else {
        panic!("the fourth request of a month was not refused");
    };
    assert_eq!((month.limit, month.used, month.remaining()), (3, 3, 0));
    assert_eq!(
        month.reset_at,
        "2026-12-01T00:00:00Z".parse::<DateTime<Utc>>().unwrap()
    );
    assert_eq!(standing.month, Some(month));
    assert_eq!(
        standing.minute.remaining, 97,
        "a refusal took from the minute"
    );
    assert_eq!(house.used(holder.id).await.charged, 3);
    house.clock.advance(month.reset);
    house.ask(&holder).await.unwrap();
}

#[tokio::test]
async fn what_a_limit_refused_is_told_to_the_journal_and_nothing_else_is() {
    let house = house();
    let holder = house.holder(limits(2, Some(3))).await;
    let customer = house.ask(&holder).await.unwrap().customer;
    house.ask(&holder).await.unwrap();
    house.ask(&holder).await.unwrap_err();
    house.clock.advance(Duration::from_mins(1));
    house.ask(&holder).await.unwrap();
    house.ask(&holder).await.unwrap_err();
    let refusal = |outcome, minutes| RefusalEntry {
        key: holder.id,
        customer,
        endpoint: Endpoint::Xml,
        outcome,
        at: noon() + TimeDelta::minutes(minutes),
    };
    let expected = [
        refusal(Outcome::RateLimited, 0),
        refusal(Outcome::QuotaExceeded, 1),
    ];
    assert_eq!(house.written.refusals(), expected);

    let wrong = with_wrong_secret(&holder.secret);
    house.present(Some(&wrong), HERE).await.unwrap_err();
    house.present(None, HERE).await.unwrap_err();
    let unknown = Some("cep_test_Unknown1.0123456789abcdefghijABCD");
    house.present(unknown, HERE).await.unwrap_err();
    house.data.revoke_key(holder.id).await;
    house.in_process.forget(holder.id).await.unwrap();
    house.ask(&holder).await.unwrap_err();
    assert_eq!(house.written.refusals().len(), 2, "no key, no statistics");
}

#[tokio::test]
async fn when_both_limits_are_used_up_the_minute_is_answered() {
    let house = house();
    let holder = house.holder(limits(2, Some(2))).await;
    for _ in 0..2 {
        house.ask(&holder).await.unwrap();
    }
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, Refusal::RateLimited { .. }));
}

#[tokio::test]
async fn a_burst_of_first_requests_reads_the_key_once() {
    let house = Arc::new(house());
    let holder = Arc::new(house.holder(limits(1_000, Some(1_000))).await);
    house.store.hold_snapshots();
    // Its credential is known, its counters aren't.
    let wrong = with_wrong_secret(&holder.secret);
    house.present(Some(&wrong), HERE).await.unwrap_err();
    let askers = (0..100).map(|_| {
        let (house, holder) = (house.clone(), holder.clone());
        async move { house.ask(&holder).await.unwrap() }
    });
    let release = async {
        // Everybody before this one has been polled: they all wait for the one who reads.
        assert_eq!(house.store.snapshots(), 1);
        house.store.release_snapshots();
    };
    let (admissions, ()) = futures::join!(join_all(askers), release);
    assert_eq!(house.store.snapshots(), 2, "one hydration reads twice");
    let mut used: Vec<_> = admissions.iter().map(month_used).collect();
    used.sort_unstable();
    assert!(used.into_iter().eq(1..=100), "the counts are not exact");
}

#[tokio::test]
async fn a_key_revoked_between_the_two_readings_of_a_hydrate_is_refused() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    let watch = KeyWatch::start(
        house.store.clone(),
        house.limiter.clone(),
        house.clock.clone(),
    );
    let watch = watch.await.unwrap();
    let (data, id) = (house.data.clone(), holder.id);
    house.store.after_next_snapshot(async move {
        data.revoke_key(id).await;
        // Who applies changes passes it over, as the limiter doesn't know the key yet.
        assert_eq!(watch.catch_up().await.unwrap(), 1);
    });
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, Refusal::InvalidKey), "{refusal:?}");
}

#[tokio::test]
async fn a_key_whose_second_reading_fails_does_not_stay_known() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    let watch = KeyWatch::start(
        house.store.clone(),
        house.limiter.clone(),
        house.clock.clone(),
    );
    let watch = Arc::new(watch.await.unwrap());
    let (data, id) = (house.data.clone(), holder.id);
    let (store, passing_over) = (house.store.clone(), watch.clone());
    house.store.after_next_snapshot(async move {
        data.revoke_key(id).await;
        assert_eq!(passing_over.catch_up().await.unwrap(), 1);
        store.go_down();
    });
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(
        matches!(refusal, Refusal::Unavailable { .. }),
        "{refusal:?}"
    );
    house.store.come_back();
    assert_eq!(watch.catch_up().await.unwrap(), 0);
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, Refusal::InvalidKey), "{refusal:?}");
}

#[tokio::test]
async fn a_key_that_cannot_be_brought_up_to_date_does_not_stay_known() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    let (data, id) = (house.data.clone(), holder.id);
    let limiter = house.limiter.clone();
    house.store.after_next_snapshot(async move {
        data.revoke_key(id).await;
        // The hydrate succeeds, the change after it doesn't.
        limiter.fail_once_after(1);
    });
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(
        matches!(refusal, Refusal::Unavailable { .. }),
        "{refusal:?}"
    );
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, Refusal::InvalidKey), "{refusal:?}");
}

#[tokio::test]
async fn limits_set_between_the_two_readings_of_a_hydrate_hold() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    let (data, id) = (house.data.clone(), holder.id);
    house.store.after_next_snapshot(async move {
        data.set_key_limits(id, limits(4, Some(9))).await;
    });
    let admission = house.ask(&holder).await.unwrap();
    assert_eq!(admission.standing.minute.limit, 4);
    assert_eq!(admission.standing.month.unwrap().limit, 9);
}

#[tokio::test]
async fn a_forgotten_key_waits_for_the_journal_so_that_no_count_is_missed() {
    let house = house();
    let holder = house.holder(limits(10, Some(5))).await;
    house.ask(&holder).await.unwrap();
    house.journal.hold();
    let unwritten = house.ask(&holder).await.unwrap();
    house.clock.advance(Duration::from_mins(1));
    house.in_process.forget_idle();
    let mut asked = Box::pin(house.ask(&holder));
    assert!(
        futures::poll!(&mut asked).is_pending(),
        "counters were read too early"
    );
    house.journal.release();
    assert_eq!(month_used(&asked.await.unwrap()), 3);
    drop(unwritten);
}

#[tokio::test]
async fn a_store_that_fails_admits_nobody_it_does_not_know() {
    let house = house();
    let known = house.holder(limits(10, None)).await;
    let stranger = house.holder(limits(10, None)).await;
    house.ask(&known).await.unwrap();
    house.store.go_down();
    house.ask(&known).await.expect("the limiter knows this key");
    for _ in 0..100 {
        let Err(Refusal::Unavailable { retry_after, cause }) = house.ask(&stranger).await else {
            panic!("a key that can't be read was not refused as such");
        };
        assert!(retry_after > Duration::ZERO);
        assert!(cause.to_string().contains("the store is down"), "{cause}");
    }
    house.store.come_back();
    let served = house.ask(&stranger).await;
    served.expect("a failing store was counted as guessing");
}

#[tokio::test]
async fn counters_that_cannot_be_read_admit_nobody() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    house.written.fail_with(Some(disk_full()));
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, Refusal::Unavailable { .. }));
    house.written.fail_with(None);
    house.ask(&holder).await.unwrap();
}

#[tokio::test]
async fn what_could_not_be_written_down_is_not_admitted() {
    let house = house();
    let holder = house.holder(limits(10, Some(100))).await;
    house.ask(&holder).await.unwrap();
    house.written.refuse_with(Some(disk_full()));
    for _ in 0..20 {
        let Err(Refusal::Unavailable { retry_after, cause }) = house.ask(&holder).await else {
            panic!("admitted although nothing can be written");
        };
        assert!(retry_after > Duration::ZERO);
        assert!(cause.to_string().contains("the disk is full"), "{cause}");
    }
    // Whoever has no key hears nothing else than before.
    let refusal = house.present(Some("cep_live_nonsense"), HERE).await;
    assert!(matches!(refusal, Err(Refusal::InvalidKey)));
    house.written.refuse_with(None);
    let admission = house.ask(&holder).await.unwrap();
    let (minute, month) = (admission.standing.minute, admission.standing.month.unwrap());
    assert_eq!(
        (minute.remaining, month.used),
        (8, 2),
        "something was taken for refusals"
    );
}

#[tokio::test]
async fn while_nothing_can_be_written_the_store_is_asked_of_nothing() {
    let house = house();
    let stranger = house.holder(limits(10, None)).await;
    house.written.refuse_with(Some(disk_full()));
    house.store.go_down();
    let Err(Refusal::Unavailable { cause, .. }) = house.ask(&stranger).await else {
        panic!("admitted although nothing can be written");
    };
    assert!(cause.to_string().contains("the disk is full"), "{cause}");
}

#[tokio::test]
async fn a_limiter_that_fails_admits_nobody() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    house.ask(&holder).await.unwrap();
    house.limiter.fail_once_after(0);
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, Refusal::Unavailable { .. }));
    let admission = house.ask(&holder).await.unwrap();
    assert_eq!(
        admission.standing.minute.remaining, 8,
        "a failure was counted"
    );
}
