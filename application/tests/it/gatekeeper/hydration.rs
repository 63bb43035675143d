//! Hydration of a key that the limiter doesn't know, with changes meanwhile.

use futures::future::join_all;

use super::*;
use crate::support::fixture::{Fixture, Holder};

#[tokio::test]
async fn a_burst_of_first_requests_reads_the_key_once() {
    let fixture = Arc::new(fixture());
    let holder = Arc::new(fixture.holder(limits(1_000, Some(1_000))).await);
    fixture.store.hold_snapshots();
    // Its credential is known, its counters aren't.
    fixture.gatekeeper.warm_up().await.unwrap();
    let askers = (0..100).map(|_| {
        let (fixture, holder) = (fixture.clone(), holder.clone());
        async move { fixture.ask(&holder).await.unwrap() }
    });
    let release = async {
        // All futures before this one have been polled: they wait for the one that reads.
        assert_eq!(fixture.store.snapshots_read(), 1);
        fixture.store.come_back();
    };
    let (admissions, ()) = futures::join!(join_all(askers), release);
    let readings = fixture.store.snapshots_read();
    assert_eq!(readings, 2, "one hydration reads twice");
    let mut used: Vec<_> = admissions.iter().map(month_used).collect();
    used.sort_unstable();
    assert!(used.into_iter().eq(1..=100), "the counts are not exact");
}

#[tokio::test]
async fn a_key_revoked_between_the_two_readings_of_a_hydrate_is_refused() {
    let (fixture, holder) = fixture_with(limits(10, None)).await;
    let feed = fixture.change_feed().await;
    let (data, id) = (fixture.data.clone(), holder.id);
    fixture.store.after_next_snapshot(async move {
        data.revoke_key(id).await;
        // The change feed skips it, as the limiter doesn't know the key yet.
        assert_eq!(feed.poll().await.unwrap(), 1);
    });
    assert_invalid_key(fixture.ask(&holder).await);
}

#[tokio::test]
async fn a_key_whose_second_reading_fails_does_not_stay_known() {
    let (fixture, holder) = fixture_with(limits(10, None)).await;
    let feed = Arc::new(fixture.change_feed().await);
    let (data, id) = (fixture.data.clone(), holder.id);
    let (store, passing_over) = (fixture.store.clone(), feed.clone());
    fixture.store.after_next_snapshot(async move {
        data.revoke_key(id).await;
        assert_eq!(passing_over.poll().await.unwrap(), 1);
        store.go_down();
    });
    assert_unavailable(fixture.ask(&holder).await);
    fixture.store.come_back();
    assert_eq!(feed.poll().await.unwrap(), 0);
    assert_invalid_key(fixture.ask(&holder).await);
}

#[tokio::test]
async fn a_key_that_cannot_be_brought_up_to_date_does_not_stay_known() {
    let (fixture, holder) = fixture_with(limits(10, None)).await;
    let (data, id) = (fixture.data.clone(), holder.id);
    let limiter = fixture.limiter.clone();
    fixture.store.after_next_snapshot(async move {
        data.revoke_key(id).await;
        // The hydrate succeeds, the change after it doesn't.
        limiter.faults().fail_once_after(1);
    });
    assert_unavailable(fixture.ask(&holder).await);
    assert_invalid_key(fixture.ask(&holder).await);
}

#[tokio::test]
async fn limits_set_between_the_two_readings_of_a_hydrate_hold() {
    let (fixture, holder) = fixture_with(limits(10, None)).await;
    let (data, id) = (fixture.data.clone(), holder.id);
    fixture.store.after_next_snapshot(async move {
        data.set_key_limits(id, limits(4, Some(9))).await;
    });
    let admission = fixture.ask(&holder).await.unwrap();
    assert_eq!(admission.limit_status.minute.limit, 4);
    assert_eq!(admission.limit_status.month.unwrap().limit, 9);
}

#[tokio::test]
async fn a_forgotten_key_waits_for_the_journal_so_that_no_count_is_missed() {
    let (fixture, holder) = fixture_with(limits(10, Some(5))).await;
    fixture.ask(&holder).await.unwrap();
    fixture.journal.hold();
    let unwritten = fixture.ask(&holder).await.unwrap();
    fixture.clock.advance(Duration::from_mins(1));
    fixture.limiter.in_process().forget_idle();
    let mut asked = Box::pin(fixture.ask(&holder));
    let early = futures::poll!(&mut asked);
    assert!(early.is_pending(), "counters were read too early");
    fixture.journal.release();
    assert_eq!(month_used(&asked.await.unwrap()), 3);
    drop(unwritten);
}

/// The revocation's answer comes after the limiter was told: from then on nobody is admitted, not
/// even a request that finds the key known by a snapshot from before.
#[tokio::test]
async fn nobody_is_admitted_between_the_readings_once_a_revocation_was_answered() {
    let fixture = Arc::new(fixture());
    let holder = Arc::new(fixture.holder(limits(10, None)).await);
    let (revoking, id) = (fixture.clone(), holder.id);
    let (store, asking) = (fixture.store.clone(), (fixture.clone(), holder.clone()));
    let (told, seen) = futures::channel::oneshot::channel();
    fixture.store.after_next_snapshot(async move {
        let operator = operator();
        let revoked = revoking.keys.revoke(&operator, RequestedScope::All, id);
        revoked.await.unwrap();
        // Between the hydration and the second reading's return.
        store.after_next_snapshot(async move {
            let (fixture, holder) = asking;
            let limiter = fixture.limiter.in_process();
            let verdict = limiter.admit(CountedKey::first(holder.id)).await.unwrap();
            told.send(verdict).unwrap();
        });
    });
    assert_invalid_key(fixture.ask(&holder).await);
    assert_eq!(seen.await.unwrap(), Verdict::Revoked);
}

/// A fixture with so many keys whose counters are held back; each may ask once a minute more than the one before.
async fn start_held(keys: u32) -> (Fixture, Vec<Holder>) {
    let fixture = fixture();
    let mut holders = Vec::new();
    for number in 0..keys {
        holders.push(fixture.holder(limits(10 + number, None)).await);
    }
    fixture.gatekeeper.warm_up().await.unwrap();
    fixture.store.hold_snapshots();
    (fixture, holders)
}

#[tokio::test]
async fn keys_that_wait_to_be_read_share_a_query() {
    let (fixture, holders) = start_held(30).await;
    let askers = join_all(holders.iter().map(|holder| fixture.ask(holder)));
    let release = async { fixture.store.come_back() };
    let (admissions, ()) = futures::join!(askers, release);
    let limits = admissions.iter().map(|it| it.as_ref().unwrap());
    let limits = limits.map(|it| it.limit_status.minute.limit);
    assert!(limits.eq(10..40), "a key was given the limits of another");
    // Only keys that share a stripe of the keyed mutex with another one come later.
    let together = fixture.store.batches();
    // Thirty, one of which was held.
    assert!(together.iter().any(|keys| *keys >= 12), "{together:?}");
}

#[tokio::test]
async fn keys_are_read_one_by_one_when_they_cannot_be_read_together() {
    let (fixture, holders) = start_held(10).await;
    let askers = join_all(holders.iter().map(|holder| fixture.ask(holder)));
    let release = async {
        fixture.store.come_back();
        let faults = fixture.store.faults();
        faults.inject_into("snapshots", Fault::Fails);
    };
    let (admissions, ()) = futures::join!(askers, release);
    assert!(admissions.iter().all(Result::is_ok), "{admissions:?}");
    assert!(!fixture.store.batches().is_empty());
}
