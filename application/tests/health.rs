//! Health checks tell the truth, at once.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use application::{ChangeFeed, HealthService};
use futures::FutureExt;
use ports::inbound::{Component, ComponentState, Health};
use support::fixture::{Fixture, fixture};
use support::{disk_full, limits};

/// A fixture and its health.
struct Looked {
    fixture: Fixture,
    feed: Arc<ChangeFeed>,
    health: HealthService,
}

async fn looked() -> Looked {
    let fixture = fixture();
    let (store, limiter) = (fixture.store.clone(), fixture.limiter.clone());
    let feed = ChangeFeed::start(store, limiter.clone(), fixture.clock.clone()).await;
    let feed = Arc::new(feed.unwrap());
    let health = HealthService::new(feed.clone(), fixture.journal.clone(), limiter);
    Looked {
        fixture,
        feed,
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
    looked.fixture.store.go_down();
    looked.feed.poll().await.unwrap_err();
    assert_eq!(looked.states(), [Degraded, Up, Up]);
    looked.fixture.store.come_back();
    looked.feed.poll().await.unwrap();
    assert_eq!(looked.states(), [Up, Up, Up]);
}

#[tokio::test]
async fn frequent_health_checks_do_not_read_the_store() {
    let looked = looked().await;
    looked.fixture.store.go_down();
    assert_eq!(
        looked.states(),
        [Up, Up, Up],
        "known from the change feed alone"
    );
}

#[tokio::test]
async fn a_journal_that_accepts_nothing_is_reported_without_a_wait() {
    let looked = looked().await;
    looked.fixture.written.fail_with(Some(disk_full()));
    assert_eq!(
        looked.states(),
        [Up, Degraded, Up],
        "what waits may still be written"
    );
    looked.fixture.written.refuse_with(Some(disk_full()));
    assert_eq!(looked.states(), [Up, Failed, Up]);
    looked.fixture.written.fail_with(None);
    looked.fixture.written.refuse_with(None);
    assert_eq!(looked.states(), [Up, Up, Up]);
}

#[tokio::test]
async fn a_limiter_that_fails_is_named() {
    let looked = looked().await;
    looked.fixture.limiter.fail_once_after(0);
    assert_eq!(looked.states(), [Up, Up, Failed]);
    assert_eq!(looked.states(), [Up, Up, Up]);
}

#[tokio::test]
async fn a_slow_disk_does_not_delay_health_checks() {
    let looked = looked().await;
    let fixture = &looked.fixture;
    let holder = fixture.holder(limits(10, None)).await;
    fixture.ask(&holder).await.unwrap();
    fixture.journal.hold();
    let waiting = fixture.ask(&holder).await.unwrap();
    assert_eq!(looked.states(), [Up, Up, Up]);
    drop(waiting);
}
