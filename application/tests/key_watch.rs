//! Changes of keys that other processes made reach the limiter, each of them, whatever fails.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use application::{KeyService, KeyWatch};
use domain::key::{ApiKey, Environment, KeyName};
use futures::FutureExt;
use futures::future::join;
use memory::InProcessLimiter;
use ports::inbound::{KeyAdministration, NewKey};
use ports::outbound::{KeyStore, Limiter, Verdict};
use support::{Elsewhere, WatchedLimiter, WatchedStore, hasher, limits, noon, operator};
use testkit::fakes::{CountingRandom, ManualClock, MemoryStore};

/// This process, and another one on the same data.
struct House {
    clock: Arc<ManualClock>,
    /// This process's store.
    store: Arc<WatchedStore>,
    limiter: Arc<WatchedLimiter>,
    watch: KeyWatch,
    /// What another process changes.
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

async fn house() -> House {
    let elsewhere = MemoryStore::default();
    let key = a_key(&elsewhere).await;
    house_with(elsewhere, key).await
}

async fn house_with(elsewhere: MemoryStore, key: ApiKey) -> House {
    let store = Arc::new(WatchedStore::over(elsewhere.clone()));
    let clock = Arc::new(ManualClock::at(noon()));
    let in_process = Arc::new(InProcessLimiter::new(clock.clone()));
    let limiter = Arc::new(WatchedLimiter::over(in_process));
    let watch = KeyWatch::start(store.clone(), limiter.clone(), clock.clone())
        .await
        .unwrap();
    let month = domain::month::Month::of(noon());
    let snapshot = elsewhere.snapshot(key.id, month).await.unwrap().unwrap();
    limiter.hydrate(key.id, snapshot).await.unwrap();
    House {
        clock,
        store,
        limiter,
        watch,
        elsewhere,
        key,
    }
}

impl House {
    async fn ask(&self) -> Verdict {
        self.limiter.admit(self.key.id).await.unwrap()
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
async fn a_revocation_by_another_process_is_refused_once_it_is_caught_up_with() {
    let house = house().await;
    house.elsewhere.revoke_key(house.key.id).await;
    assert!(matches!(house.ask().await, Verdict::Admitted { .. }));
    assert_eq!(house.watch.catch_up().await.unwrap(), 1);
    assert_eq!(house.ask().await, Verdict::Revoked);
}

#[tokio::test]
async fn new_limits_by_another_process_hold_once_they_are_caught_up_with() {
    let house = house().await;
    house.set_per_minute(3).await;
    assert_eq!(house.per_minute().await, 10);
    assert_eq!(house.watch.catch_up().await.unwrap(), 1);
    assert_eq!(house.per_minute().await, 3);
}

#[tokio::test]
async fn without_a_change_no_change_is_read() {
    let house = house().await;
    assert_eq!(house.watch.catch_up().await.unwrap(), 0);
    house.set_per_minute(3).await;
    house.watch.catch_up().await.unwrap();
    assert_eq!(house.watch.catch_up().await.unwrap(), 0);
    assert_eq!(house.store.pages(), [1]);
}

#[tokio::test]
async fn what_was_changed_before_the_start_is_not_applied() {
    let elsewhere = MemoryStore::default();
    let key = a_key(&elsewhere).await;
    for per_minute in 1..=5 {
        elsewhere
            .set_key_limits(key.id, limits(per_minute, None))
            .await;
    }
    let house = house_with(elsewhere, key).await;
    assert_eq!(house.watch.catch_up().await.unwrap(), 0);
    assert_eq!(house.limiter.applied(), []);
    assert_eq!(house.per_minute().await, 5);
}

#[tokio::test]
async fn any_number_of_changes_is_caught_up_with_in_order() {
    let house = house().await;
    for change in 1..=2_500 {
        house.set_per_minute(change).await;
    }
    assert_eq!(house.watch.catch_up().await.unwrap(), 2_500);
    assert_eq!(house.store.pages(), [1_000, 1_000, 500]);
    assert_eq!(house.per_minute().await, 2_500);
}

#[tokio::test]
async fn a_key_that_the_limiter_does_not_know_stays_unknown() {
    let house = house().await;
    let limiter = Arc::new(InProcessLimiter::new(Arc::new(ManualClock::at(noon()))));
    let watch = KeyWatch::start(house.store.clone(), limiter.clone(), house.clock.clone())
        .await
        .unwrap();
    house.set_per_minute(3).await;
    assert_eq!(watch.catch_up().await.unwrap(), 1);
    let verdict = limiter.admit(house.key.id).await.unwrap();
    assert!(matches!(verdict, Verdict::Unknown { .. }));
}

#[tokio::test]
async fn a_store_that_fails_loses_nothing() {
    let house = house().await;
    house.store.go_down();
    house.watch.catch_up().await.unwrap_err();
    house.set_per_minute(3).await;
    house.watch.catch_up().await.unwrap_err();
    house.elsewhere.revoke_key(house.key.id).await;
    house.store.come_back();
    assert_eq!(house.watch.catch_up().await.unwrap(), 2);
    assert_eq!(house.ask().await, Verdict::Revoked);
}

#[tokio::test]
async fn a_limiter_that_fails_is_told_again_from_where_it_failed() {
    let house = house().await;
    for per_minute in 1..=5 {
        house.set_per_minute(per_minute).await;
    }
    house.limiter.fail_once_after(2);
    house.watch.catch_up().await.unwrap_err();
    assert_eq!(house.limiter.applied().len(), 2);
    assert_eq!(house.watch.catch_up().await.unwrap(), 3);
    assert_eq!(house.limiter.applied().len(), 5, "a change was told twice");
    assert_eq!(house.per_minute().await, 5);
}

#[tokio::test]
async fn two_who_catch_up_at_once_apply_each_change_once() {
    let house = house().await;
    for per_minute in 1..=100 {
        house.set_per_minute(per_minute).await;
    }
    let (one, other) = join(house.watch.catch_up(), house.watch.catch_up()).await;
    assert_eq!(one.unwrap() + other.unwrap(), 100);
    assert_eq!(house.limiter.applied().len(), 100);
}

#[tokio::test]
async fn nobody_watches_a_store_that_cannot_be_read() {
    let store = Arc::new(WatchedStore::over(MemoryStore::default()));
    store.go_down();
    let clock = Arc::new(ManualClock::at(noon()));
    let limiter = Arc::new(InProcessLimiter::new(clock.clone()));
    assert!(KeyWatch::start(store, limiter, clock).await.is_err());
}

#[tokio::test]
async fn a_store_that_fails_or_says_nothing_is_in_trouble_until_it_answers() {
    let house = house().await;
    let in_trouble = || house.watch.trouble().map(|cause| cause.to_string());
    assert_eq!(in_trouble(), None, "it answered when the watch began");
    house.store.go_down();
    house.watch.catch_up().await.unwrap_err();
    assert!(in_trouble().is_some());
    house.store.come_back();
    assert!(in_trouble().is_some(), "nobody asked it yet");
    house.watch.catch_up().await.unwrap();
    assert_eq!(in_trouble(), None);
    house.clock.advance(Duration::from_millis(1_999));
    assert_eq!(in_trouble(), None);
    house.clock.advance(Duration::from_millis(1));
    assert!(in_trouble().unwrap().contains("2s"));
    house.watch.catch_up().await.unwrap();
    assert_eq!(in_trouble(), None);
}

#[tokio::test]
async fn a_limiter_that_fails_is_no_trouble_of_the_store() {
    let house = house().await;
    house.set_per_minute(3).await;
    house.limiter.fail_once_after(0);
    house.watch.catch_up().await.unwrap_err();
    assert!(house.watch.trouble().is_none());
}

/// A store that nobody asks while a slow limiter is told says nothing either.
#[tokio::test]
async fn many_changes_that_are_told_slowly_are_no_trouble_of_the_store() {
    let house = house().await;
    for per_minute in 1..=100 {
        house.set_per_minute(per_minute).await;
    }
    house
        .limiter
        .takes(house.clock.clone(), Duration::from_millis(400));
    let mut catching_up = std::pin::pin!(house.watch.catch_up());
    while catching_up.as_mut().now_or_never().is_none() {
        let trouble = house.watch.trouble().map(|cause| cause.to_string());
        assert_eq!(trouble, None);
    }
    assert_eq!(house.limiter.applied().len(), 100);
}
