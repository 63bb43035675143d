//! Changes of keys by other processes reach the limiter, each of them, whatever fails.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{Elsewhere, WatchedStore, hasher, limits, noon, operator};
use application::{ChangeFeed, KeyService};
use domain::key::{ApiKey, Environment, KeyName};
use futures::FutureExt;
use futures::future::join;
use memory::InProcessLimiter;
use ports::inbound::{KeyAdministration, NewKey};
use ports::outbound::{KeyStore, Limiter, Verdict};
use testkit::fakes::{CountingRandom, FaultyLimiter, ManualClock, MemoryStore};

/// This process, and another one on the same data.
struct Fixture {
    clock: Arc<ManualClock>,
    /// This process's store.
    store: Arc<WatchedStore>,
    limiter: Arc<FaultyLimiter>,
    feed: ChangeFeed,
    /// The data, which another process changes.
    elsewhere: MemoryStore,
    /// A key that this process's limiter knows: ten a minute.
    key: ApiKey,
}

async fn a_key(store: &MemoryStore) -> ApiKey {
    let clock = Arc::new(ManualClock::at(noon()));
    let limiter = Arc::new(InProcessLimiter::new(clock.clone()));
    let random = Arc::new(CountingRandom::default());
    let order = NewKey {
        name: KeyName::parse("till").unwrap(),
        environment: Environment::Test,
        limits: Some(limits(10, Some(1_000))),
    };
    let store = Arc::new(store.clone());
    let keys = KeyService::new(
        store.clone(),
        store,
        limiter,
        clock.clone(),
        clock,
        random,
        hasher(),
    );
    keys.create(&operator(), order).await.unwrap().key.key
}

async fn fixture() -> Fixture {
    let elsewhere = MemoryStore::default();
    let key = a_key(&elsewhere).await;
    fixture_with(elsewhere, key).await
}

async fn fixture_with(elsewhere: MemoryStore, key: ApiKey) -> Fixture {
    let store = Arc::new(WatchedStore::over(&elsewhere));
    let clock = Arc::new(ManualClock::at(noon()));
    let limiter = Arc::new(FaultyLimiter::new(clock.clone()));
    let feed = ChangeFeed::start(
        store.clone(),
        limiter.clone(),
        Arc::default(),
        clock.clone(),
    )
    .await
    .unwrap();
    let month = domain::month::Month::of(noon());
    let snapshot = elsewhere.snapshot(key.id, month).await.unwrap().unwrap();
    limiter.hydrate(key.counted(), snapshot).await.unwrap();
    Fixture {
        clock,
        store,
        limiter,
        feed,
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
async fn a_revocation_by_another_process_is_refused_after_the_next_poll() {
    let fixture = fixture().await;
    fixture.elsewhere.revoke_key(fixture.key.id).await;
    assert!(matches!(fixture.ask().await, Verdict::Admitted { .. }));
    assert_eq!(fixture.feed.poll().await.unwrap(), 1);
    assert_eq!(fixture.ask().await, Verdict::Revoked);
}

#[tokio::test]
async fn new_limits_by_another_process_hold_after_the_next_poll() {
    let fixture = fixture().await;
    fixture.set_per_minute(3).await;
    assert_eq!(fixture.per_minute().await, 10);
    assert_eq!(fixture.feed.poll().await.unwrap(), 1);
    assert_eq!(fixture.per_minute().await, 3);
}

#[tokio::test]
async fn without_a_change_no_change_is_read() {
    let fixture = fixture().await;
    assert_eq!(fixture.feed.poll().await.unwrap(), 0);
    fixture.set_per_minute(3).await;
    fixture.feed.poll().await.unwrap();
    assert_eq!(fixture.feed.poll().await.unwrap(), 0);
    assert_eq!(fixture.store.pages(), [1]);
}

#[tokio::test]
async fn changes_from_before_the_start_are_not_applied() {
    let elsewhere = MemoryStore::default();
    let key = a_key(&elsewhere).await;
    for per_minute in 1..=5 {
        elsewhere
            .set_key_limits(key.id, limits(per_minute, None))
            .await;
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
    assert_eq!(fixture.store.pages(), [1_000, 1_000, 500]);
    assert_eq!(fixture.per_minute().await, 2_500);
}

#[tokio::test]
async fn a_key_that_the_limiter_does_not_know_stays_unknown() {
    let fixture = fixture().await;
    let limiter = Arc::new(InProcessLimiter::new(Arc::new(ManualClock::at(noon()))));
    let feed = ChangeFeed::start(
        fixture.store.clone(),
        limiter.clone(),
        Arc::default(),
        fixture.clock.clone(),
    )
    .await
    .unwrap();
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
    assert_eq!(
        fixture.limiter.applied().len(),
        5,
        "a change was applied twice"
    );
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
    let store = Arc::new(WatchedStore::over(&MemoryStore::default()));
    store.go_down();
    let clock = Arc::new(ManualClock::at(noon()));
    let limiter = Arc::new(InProcessLimiter::new(clock.clone()));
    let started = ChangeFeed::start(store, limiter, Arc::default(), clock).await;
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
    fixture
        .limiter
        .delay_changes(fixture.clock.clone(), Duration::from_millis(400));
    let mut polling = std::pin::pin!(fixture.feed.poll());
    while polling.as_mut().now_or_never().is_none() {
        let trouble = fixture.feed.trouble().map(|cause| cause.to_string());
        assert_eq!(trouble, None);
        // Without it the runtime's budget for one task would run out, and nothing be ready any more.
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.limiter.applied().len(), 100);
}
