//! Health checks tell the truth, at once.

use std::sync::Arc;
use std::time::Duration;

use crate::support::fixture::{Fixture, fixture};
use crate::support::{disk_full, limits};
use application::{ChangeFeed, Component, ComponentState, HealthService};
use chrono::TimeDelta;
use domain::erasure::ErasureClock;
use futures::FutureExt;
use ports::outbound::Clock as _;

struct Looked {
    fixture: Fixture,
    feed: Arc<ChangeFeed>,
    health: HealthService,
}

async fn looked() -> Looked {
    let fixture = fixture();
    let feed = Arc::new(fixture.change_feed().await);
    let (limiter, clock) = (fixture.limiter.clone(), fixture.clock.clone());
    let health = HealthService::new(feed.clone(), fixture.journal.clone(), limiter, clock);
    Looked {
        fixture,
        feed,
        health,
    }
}

impl Looked {
    /// The states of store, journal and limiter a second later, after a look at the changes of keys.
    async fn states(&self) -> [ComponentState; 3] {
        self.fixture.clock.advance(Duration::from_secs(1));
        let _ = self.feed.poll().await;
        self.recent_states()
    }

    /// The states as they are reported, which may be those of the last second, without waiting for
    /// anything.
    fn recent_states(&self) -> [ComponentState; 3] {
        let components = self.health.components().now_or_never();
        let components = components.expect("looking at our health waits for something");
        let names: Vec<_> = components.iter().map(|component| component.name).collect();
        assert_eq!(names, ["store", "journal", "limiter"]);
        let state = |component: &Component| component.state;
        [0, 1, 2].map(|place| state(&components[place]))
    }
}

use ComponentState::{Degraded, Failed, Up};

/// A gateway that was off for a week serves, too.
#[tokio::test]
async fn a_clock_that_erasure_does_not_follow_is_degraded_until_it_does() {
    let Looked {
        fixture, health, ..
    } = looked().await;
    let (now, started) = (fixture.clock.now(), fixture.clock.monotonic());
    let stored = now - TimeDelta::days(3);
    let health = health.with_erasure(ErasureClock::new(Some(stored), now, started));
    let clock = async || {
        let components = health.components().await;
        let found = components.iter().find(|found| found.name == "clock");
        found.unwrap().state
    };
    assert_eq!(clock().await, Degraded);
    fixture.clock.advance(Duration::from_hours(3));
    assert_eq!(clock().await, Up);
}

/// Keys that were seen before are served without it, as long as the journal writes.
#[tokio::test]
async fn a_store_that_is_down_is_named_by_the_change_feed_and_we_serve() {
    let looked = looked().await;
    looked.fixture.store.go_down();
    let known = looked.recent_states();
    assert_eq!(known, [Up, Up, Up], "from the change feed alone");
    looked.feed.poll().await.unwrap_err();
    assert_eq!(looked.states().await, [Degraded, Up, Up]);
    looked.fixture.store.come_back();
    looked.feed.poll().await.unwrap();
    assert_eq!(looked.states().await, [Up, Up, Up]);
}

#[tokio::test]
async fn a_journal_that_accepts_nothing_is_reported_without_a_wait() {
    let looked = looked().await;
    looked.fixture.journal.fail_with(Some(disk_full()));
    // What waits may still be written.
    assert_eq!(looked.states().await, [Up, Degraded, Up]);
    looked.fixture.journal.refuse_with(Some(disk_full()));
    assert_eq!(looked.states().await, [Up, Failed, Up]);
    looked.fixture.journal.fail_with(None);
    looked.fixture.journal.refuse_with(None);
    assert_eq!(looked.states().await, [Up, Up, Up]);
}

#[tokio::test]
async fn a_slow_disk_does_not_delay_health_checks() {
    let looked = looked().await;
    let fixture = &looked.fixture;
    let holder = fixture.holder(limits(10, None)).await;
    fixture.ask(&holder).await.unwrap();
    fixture.journal.hold();
    let waiting = fixture.ask(&holder).await.unwrap();
    assert_eq!(looked.states().await, [Up, Up, Up]);
    drop(waiting);
}

#[tokio::test]
async fn ten_thousand_probes_within_a_second_are_one_call_of_the_limiter() {
    let looked = looked().await;
    let faults = looked.fixture.limiter.faults();
    let peeks = || faults.calls_of("peek");
    let before = peeks();
    let probes = (0..10_000).map(|_| looked.health.components());
    futures::future::join_all(probes).await;
    assert_eq!(peeks(), before + 1);

    faults.fail_once_after(0);
    looked.fixture.clock.advance(Duration::from_millis(999));
    assert_eq!(looked.recent_states(), [Up, Up, Up]);
    looked.fixture.clock.advance(Duration::from_millis(1));
    assert_eq!(looked.recent_states(), [Up, Up, Failed]);
    assert_eq!(peeks(), before + 2);
    assert_eq!(looked.states().await, [Up, Up, Up]);
}

#[tokio::test]
async fn a_change_of_state_is_one_line_of_the_log() {
    let looked = looked().await;
    let (lines, _guard) = testkit::log::listen();
    looked.fixture.journal.refuse_with(Some(disk_full()));
    for _ in 0..10 {
        looked.states().await;
    }
    looked.fixture.journal.refuse_with(None);
    for _ in 0..10 {
        looked.states().await;
    }
    let levels = lines.of("application::health").into_iter();
    let levels: Vec<_> = levels.map(|line| line["level"].clone()).collect();
    assert_eq!(levels, ["WARN", "INFO"]);
}
