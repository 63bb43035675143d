//! Changes of keys by other processes reach the limiter, each of them, whatever fails.

use std::sync::Arc;
use std::time::Duration;

use application::ChangeFeed;
use domain::keys::CountedKey;
use domain::month::Month;
use futures::FutureExt;
use futures::future::join;
use ports::outbound::{KeyStore, Limiter, Verdict};

use crate::support::{Elsewhere, fixture, limits, noon};

/// This process, and another one on the same data.
struct Fixture {
    process: fixture::Fixture,
    feed: ChangeFeed,
    /// A key that this process's limiter knows: ten a minute.
    key: CountedKey,
}

impl std::ops::Deref for Fixture {
    type Target = fixture::Fixture;

    fn deref(&self) -> &Self::Target {
        &self.process
    }
}

async fn fixture() -> Fixture {
    fixture_after(0).await
}

/// A fixture whose process began after so many changes of the key's limits, the last of which is their number.
async fn fixture_after(changes: u32) -> Fixture {
    let process = fixture::fixture();
    let key = process.holder(limits(10, Some(1_000))).await.id;
    for per_minute in 1..=changes {
        let limits = limits(per_minute, None);
        process.data.set_key_limits(key, limits).await;
    }
    let feed = process.change_feed().await;
    let snapshot = process.data.snapshot(key, Month::of(noon())).await;
    let (key, snapshot) = (CountedKey::first(key), snapshot.unwrap().unwrap());
    process.limiter.hydrate(key, snapshot).await.unwrap();
    Fixture { process, feed, key }
}

impl Fixture {
    async fn ask(&self) -> Verdict {
        self.limiter.admit(self.key).await.unwrap()
    }

    /// The minute's limit as the limiter knows it.
    async fn per_minute(&self) -> u32 {
        match self.ask().await {
            Verdict::Admitted { limit_status, .. } | Verdict::RateLimited { limit_status, .. } => {
                limit_status.minute.limit
            }
            other => panic!("{other:?}"),
        }
    }

    async fn set_per_minute(&self, per_minute: u32) {
        let limits = limits(per_minute, Some(1_000));
        self.data.set_key_limits(self.key.id, limits).await;
    }
}

#[tokio::test]
async fn a_change_by_another_process_holds_after_the_next_poll() {
    let fixture = fixture().await;
    assert_eq!(fixture.feed.poll().await.unwrap(), 0);
    fixture.set_per_minute(3).await;
    assert_eq!(fixture.per_minute().await, 10);
    assert_eq!(fixture.feed.poll().await.unwrap(), 1);
    assert_eq!(fixture.feed.poll().await.unwrap(), 0);
    let readings = fixture.store.faults().sizes_of("changes");
    assert_eq!(readings, [1], "no change is read without one");
    assert_eq!(fixture.per_minute().await, 3);
    fixture.data.revoke_key(fixture.key.id).await;
    assert!(matches!(fixture.ask().await, Verdict::Admitted { .. }));
    assert_eq!(fixture.feed.poll().await.unwrap(), 1);
    assert_eq!(fixture.ask().await, Verdict::Revoked);
}

#[tokio::test]
async fn changes_from_before_the_start_are_not_applied() {
    let fixture = fixture_after(5).await;
    assert_eq!(fixture.feed.poll().await.unwrap(), 0);
    assert_eq!(fixture.limiter.applied(), []);
    assert_eq!(fixture.per_minute().await, 5);
}

#[tokio::test]
async fn any_number_of_changes_is_applied_in_order() {
    let fixture = fixture().await;
    for change in 1..=2_500 {
        fixture.set_per_minute(change).await;
    }
    assert_eq!(fixture.feed.poll().await.unwrap(), 2_500);
    let readings = fixture.store.faults().sizes_of("changes");
    assert_eq!(readings, [1_000, 1_000, 500]);
    assert_eq!(fixture.per_minute().await, 2_500);
}

#[tokio::test]
async fn a_key_that_the_limiter_does_not_know_stays_unknown() {
    let fixture = fixture().await;
    fixture.limiter.forget(fixture.key).await.unwrap();
    fixture.set_per_minute(3).await;
    assert_eq!(fixture.feed.poll().await.unwrap(), 1);
    assert!(matches!(fixture.ask().await, Verdict::Unknown { .. }));
}

#[tokio::test]
async fn a_store_that_fails_loses_nothing() {
    let fixture = fixture().await;
    fixture.store.go_down();
    fixture.feed.poll().await.unwrap_err();
    fixture.set_per_minute(3).await;
    fixture.feed.poll().await.unwrap_err();
    fixture.data.revoke_key(fixture.key.id).await;
    fixture.store.come_back();
    assert_eq!(fixture.feed.poll().await.unwrap(), 2);
    assert_eq!(fixture.ask().await, Verdict::Revoked);
}

#[tokio::test]
async fn changes_are_applied_again_from_where_the_limiter_failed() {
    let fixture = fixture().await;
    for per_minute in 1..=5 {
        fixture.set_per_minute(per_minute).await;
    }
    fixture.limiter.faults().fail_once_after(2);
    fixture.feed.poll().await.unwrap_err();
    assert!(fixture.feed.trouble().is_none(), "the store works");
    assert_eq!(fixture.limiter.applied().len(), 2);
    assert_eq!(fixture.feed.poll().await.unwrap(), 3);
    let applied = fixture.limiter.applied().len();
    assert_eq!(applied, 5, "a change was applied twice");
    assert_eq!(fixture.per_minute().await, 5);
}

#[tokio::test]
async fn two_polls_at_once_apply_each_change_once() {
    let fixture = fixture().await;
    for per_minute in 1..=100 {
        fixture.set_per_minute(per_minute).await;
    }
    let (one, other) = join(fixture.feed.poll(), fixture.feed.poll()).await;
    assert_eq!(one.unwrap() + other.unwrap(), 100);
    assert_eq!(fixture.limiter.applied().len(), 100);
}

#[tokio::test]
async fn no_feed_starts_on_a_store_that_cannot_be_read() {
    let fixture = fixture().await;
    fixture.store.go_down();
    let (store, limiter) = (fixture.store.clone(), fixture.limiter.clone());
    let (credentials, clock) = (Arc::default(), fixture.clock.clone());
    let started = ChangeFeed::start(store, limiter, credentials, clock);
    assert!(started.await.is_err());
}

#[tokio::test]
async fn a_store_that_fails_or_is_silent_is_in_trouble_until_it_answers() {
    let fixture = fixture().await;
    let in_trouble = || fixture.feed.trouble().map(|cause| cause.to_string());
    assert_eq!(in_trouble(), None, "it answered when the feed started");
    fixture.store.go_down();
    fixture.feed.poll().await.unwrap_err();
    assert!(in_trouble().is_some());
    fixture.store.come_back();
    assert!(in_trouble().is_some(), "nobody asked it yet");
    fixture.feed.poll().await.unwrap();
    assert_eq!(in_trouble(), None);
    fixture.clock.advance(Duration::from_millis(1_999));
    assert_eq!(in_trouble(), None);
    fixture.clock.advance(Duration::from_millis(1));
    assert!(in_trouble().unwrap().contains("2s"));
    fixture.feed.poll().await.unwrap();
    assert_eq!(in_trouble(), None);
}

/// A store that isn't called while a slow limiter applies changes would seem silent.
#[tokio::test]
async fn many_changes_that_are_applied_slowly_are_no_trouble_of_the_store() {
    let fixture = fixture().await;
    for per_minute in 1..=100 {
        fixture.set_per_minute(per_minute).await;
    }
    let (limiter, clock) = (&fixture.limiter, fixture.clock.clone());
    limiter.delay_changes(clock, Duration::from_millis(400));
    let mut polling = std::pin::pin!(fixture.feed.poll());
    while polling.as_mut().now_or_never().is_none() {
        let trouble = fixture.feed.trouble().map(|cause| cause.to_string());
        assert_eq!(trouble, None);
        // Without it the runtime's budget for one task would run out, and nothing be ready any more.
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.limiter.applied().len(), 100);
}
