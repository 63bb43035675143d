//! Changes of keys by other processes reach the limiter, each of them, whatever fails.

use std::sync::Arc;
use std::time::Duration;

use crate::support::fixture::key_order;
use crate::support::{Elsewhere, limits, noon, operator};
use application::ChangeFeed;
use domain::key::{ApiKey, Environment};
use domain::month::Month;
use futures::FutureExt;
use futures::future::join;
use ports::inbound::KeyAdministration;
use ports::outbound::{KeyStore, Limiter, StoreError, Verdict};
use testkit::fakes::{FaultyLimiter, ManualClock, MemoryStore};
use testkit::people::PeopleServices;

/// This process, and another one on the same data.
struct Fixture {
    clock: Arc<ManualClock>,
    /// This process's store.
    store: Arc<MemoryStore>,
    limiter: Arc<FaultyLimiter>,
    feed: ChangeFeed,
    /// The data, which another process changes.
    elsewhere: MemoryStore,
    /// A key that this process's limiter knows: ten a minute.
    key: ApiKey,
}

/// A key that another process created.
async fn a_key(store: &MemoryStore) -> ApiKey {
    let services = PeopleServices::over(store.clone(), Arc::new(store.clone()), noon());
    let order = key_order(Environment::Test, Some(limits(10, Some(1_000))));
    let created = services.keys.create(&operator(), order).await;
    created.unwrap().key.key
}

async fn start_feed(
    store: &Arc<MemoryStore>,
    limiter: Arc<dyn Limiter>,
    clock: Arc<ManualClock>,
) -> Result<ChangeFeed, StoreError> {
    ChangeFeed::start(store.clone(), limiter, Arc::default(), clock).await
}

async fn fixture() -> Fixture {
    let elsewhere = MemoryStore::default();
    let key = a_key(&elsewhere).await;
    fixture_with(elsewhere, key).await
}

async fn fixture_with(elsewhere: MemoryStore, key: ApiKey) -> Fixture {
    let store = Arc::new(elsewhere.elsewhere());
    let clock = Arc::new(ManualClock::at(noon()));
    let limiter = Arc::new(FaultyLimiter::new(clock.clone()));
    let feed = start_feed(&store, limiter.clone(), clock.clone()).await;
    let month = Month::of(noon());
    let snapshot = elsewhere.snapshot(key.id, month).await.unwrap().unwrap();
    limiter.hydrate(key.counted(), snapshot).await.unwrap();
    Fixture {
        feed: feed.unwrap(),
        clock,
        store,
        limiter,
        elsewhere,
        key,
    }
}

impl Fixture {
    async fn ask(&self) -> Verdict {
        self.limiter.admit(self.key.counted()).await.unwrap()
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
        self.elsewhere.set_key_limits(self.key.id, limits).await;
    }
}

#[tokio::test]
async fn a_change_by_another_process_holds_after_the_next_poll() {
    let fixture = fixture().await;
    fixture.set_per_minute(3).await;
    assert_eq!(fixture.per_minute().await, 10);
    assert_eq!(fixture.feed.poll().await.unwrap(), 1);
    assert_eq!(fixture.per_minute().await, 3);
    fixture.elsewhere.revoke_key(fixture.key.id).await;
    assert!(matches!(fixture.ask().await, Verdict::Admitted { .. }));
    assert_eq!(fixture.feed.poll().await.unwrap(), 1);
    assert_eq!(fixture.ask().await, Verdict::Revoked);
}

#[tokio::test]
async fn without_a_change_no_change_is_read() {
    let fixture = fixture().await;
    assert_eq!(fixture.feed.poll().await.unwrap(), 0);
    fixture.set_per_minute(3).await;
    fixture.feed.poll().await.unwrap();
    assert_eq!(fixture.feed.poll().await.unwrap(), 0);
    assert_eq!(fixture.store.faults().sizes_of("changes"), [1]);
}

#[tokio::test]
async fn changes_from_before_the_start_are_not_applied() {
    let elsewhere = MemoryStore::default();
    let key = a_key(&elsewhere).await;
    for per_minute in 1..=5 {
        let limits = limits(per_minute, None);
        elsewhere.set_key_limits(key.id, limits).await;
    }
    let fixture = fixture_with(elsewhere, key).await;
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
    assert_eq!(
        fixture.store.faults().sizes_of("changes"),
        [1_000, 1_000, 500]
    );
    assert_eq!(fixture.per_minute().await, 2_500);
}

#[tokio::test]
async fn a_key_that_the_limiter_does_not_know_stays_unknown() {
    let fixture = fixture().await;
    let limiter = Arc::new(FaultyLimiter::new(fixture.clock.clone()));
    let feed = start_feed(&fixture.store, limiter.clone(), fixture.clock.clone());
    let feed = feed.await.unwrap();
    fixture.set_per_minute(3).await;
    assert_eq!(feed.poll().await.unwrap(), 1);
    let verdict = limiter.admit(fixture.key.counted()).await.unwrap();
    assert!(matches!(verdict, Verdict::Unknown { .. }));
}

#[tokio::test]
async fn a_store_that_fails_loses_nothing() {
    let fixture = fixture().await;
    fixture.store.go_down();
    fixture.feed.poll().await.unwrap_err();
    fixture.set_per_minute(3).await;
    fixture.feed.poll().await.unwrap_err();
    fixture.elsewhere.revoke_key(fixture.key.id).await;
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
    let store = Arc::new(MemoryStore::default());
    store.go_down();
    let clock = Arc::new(ManualClock::at(noon()));
    let limiter = Arc::new(FaultyLimiter::new(clock.clone()));
    let started = start_feed(&store, limiter, clock).await;
    assert!(started.is_err());
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

#[tokio::test]
async fn a_limiter_that_fails_is_no_trouble_of_the_store() {
    let fixture = fixture().await;
    fixture.set_per_minute(3).await;
    fixture.limiter.faults().fail_once_after(0);
    fixture.feed.poll().await.unwrap_err();
    assert!(fixture.feed.trouble().is_none());
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
