//! What a limiter is told of a key that it doesn't know, and what happens meanwhile.

use application::KeyWatch;
use futures::future::join_all;
use support::house::House;

use super::*;

async fn watch(house: &House) -> KeyWatch {
    let watch = KeyWatch::start(
        house.store.clone(),
        house.limiter.clone(),
        house.clock.clone(),
    );
    watch.await.unwrap()
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
    let watch = watch(&house).await;
    let (data, id) = (house.data.clone(), holder.id);
    house.store.after_next_snapshot(async move {
        data.revoke_key(id).await;
        // Who applies changes passes it over, as the limiter doesn't know the key yet.
        assert_eq!(watch.catch_up().await.unwrap(), 1);
    });
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, AdmissionError::InvalidKey), "{refusal:?}");
}

#[tokio::test]
async fn a_key_whose_second_reading_fails_does_not_stay_known() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    let watch = Arc::new(watch(&house).await);
    let (data, id) = (house.data.clone(), holder.id);
    let (store, passing_over) = (house.store.clone(), watch.clone());
    house.store.after_next_snapshot(async move {
        data.revoke_key(id).await;
        assert_eq!(passing_over.catch_up().await.unwrap(), 1);
        store.go_down();
    });
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(
        matches!(refusal, AdmissionError::Unavailable { .. }),
        "{refusal:?}"
    );
    house.store.come_back();
    assert_eq!(watch.catch_up().await.unwrap(), 0);
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, AdmissionError::InvalidKey), "{refusal:?}");
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
        matches!(refusal, AdmissionError::Unavailable { .. }),
        "{refusal:?}"
    );
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, AdmissionError::InvalidKey), "{refusal:?}");
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
    assert_eq!(admission.limit_status.minute.limit, 4);
    assert_eq!(admission.limit_status.month.unwrap().limit, 9);
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
