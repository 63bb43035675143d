//! Whether we say truly, and at once, that we can serve.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use application::{HealthService, KeyWatch};
use futures::FutureExt;
use ports::inbound::{Component, ComponentState, Health};
use support::house::{House, house};
use support::{disk_full, limits};

/// A house and its health.
struct Looked {
    house: House,
    watch: Arc<KeyWatch>,
    health: HealthService,
}

async fn looked() -> Looked {
    let house = house();
    let (store, limiter) = (house.store.clone(), house.limiter.clone());
    let watch = KeyWatch::start(store, limiter.clone(), house.clock.clone()).await;
    let watch = Arc::new(watch.unwrap());
    let health = HealthService::new(watch.clone(), house.journal.clone(), limiter);
    Looked {
        house,
        watch,
        health,
    }
}

impl Looked {
    /// The states of store, journal and limiter, which are known without waiting for anything.
    fn states(&self) -> [ComponentState; 3] {
        let components = self.health.components().now_or_never();
        let components = components.expect("looking at our health waits for something");
        let names: Vec<_> = components.iter().map(|component| component.name).collect();
        assert_eq!(names, ["store", "journal", "limiter"]);
        let state = |component: &Component| component.state;
        [0, 1, 2].map(|place| state(&components[place]))
    }
}

use ComponentState::{Degraded, Failed, Up};

#[tokio::test]
async fn we_are_ready_when_store_and_journal_work() {
    assert_eq!(looked().await.states(), [Up, Up, Up]);
}

/// Keys that were seen before are served without it, as long as the journal writes.
#[tokio::test]
async fn a_store_that_is_down_is_named_and_we_serve() {
    let looked = looked().await;
    looked.house.store.go_down();
    looked.watch.catch_up().await.unwrap_err();
    assert_eq!(looked.states(), [Degraded, Up, Up]);
    looked.house.store.come_back();
    looked.watch.catch_up().await.unwrap();
    assert_eq!(looked.states(), [Up, Up, Up]);
}

#[tokio::test]
async fn whoever_looks_often_asks_the_store_of_nothing() {
    let looked = looked().await;
    looked.house.store.go_down();
    assert_eq!(looked.states(), [Up, Up, Up], "known from its watch alone");
}

#[tokio::test]
async fn a_journal_that_accepts_nothing_is_named_although_nobody_waits_for_it() {
    let looked = looked().await;
    looked.house.written.fail_with(Some(disk_full()));
    assert_eq!(
        looked.states(),
        [Up, Degraded, Up],
        "what waits may still be written"
    );
    looked.house.written.refuse_with(Some(disk_full()));
    assert_eq!(looked.states(), [Up, Failed, Up]);
    looked.house.written.fail_with(None);
    looked.house.written.refuse_with(None);
    assert_eq!(looked.states(), [Up, Up, Up]);
}

#[tokio::test]
async fn a_limiter_that_fails_is_named() {
    let looked = looked().await;
    looked.house.limiter.fail_once_after(0);
    assert_eq!(looked.states(), [Up, Up, Failed]);
    assert_eq!(looked.states(), [Up, Up, Up]);
}

#[tokio::test]
async fn a_slow_disk_makes_nobody_wait_for_our_health() {
    let looked = looked().await;
    let house = &looked.house;
    let holder = house.holder(limits(10, None)).await;
    house.ask(&holder).await.unwrap();
    house.journal.hold();
    let waiting = house.ask(&holder).await.unwrap();
    assert_eq!(looked.states(), [Up, Up, Up]);
    drop(waiting);
}
