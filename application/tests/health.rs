//! Whether we say truly, and at once, that we can serve.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use application::HealthService;
use futures::FutureExt;
use ports::inbound::{Component, ComponentState, Health};
use support::house::{House, house};
use support::{disk_full, limits};

/// The states of store, journal and limiter, which are known without waiting for anything.
fn states(house: &House) -> [(&'static str, ComponentState); 3] {
    let health = HealthService::new(
        house.store.clone(),
        house.journal.clone(),
        house.limiter.clone(),
    );
    let components = health.components().now_or_never();
    let components = components.expect("looking at our health waits for something");
    let state = |component: &Component| (component.name, component.state);
    assert_eq!(components.len(), 3);
    [0, 1, 2].map(|place| state(&components[place]))
}

#[tokio::test]
async fn we_are_ready_when_store_and_journal_work() {
    let house = house();
    let up = ComponentState::Up;
    let expected = [("store", up), ("journal", up), ("limiter", up)];
    assert_eq!(states(&house), expected);
}

#[tokio::test]
async fn a_store_that_is_down_is_named() {
    let house = house();
    house.store.go_down();
    let expected = [
        ("store", ComponentState::Failed),
        ("journal", ComponentState::Up),
        ("limiter", ComponentState::Up),
    ];
    assert_eq!(states(&house), expected);
}

#[tokio::test]
async fn a_journal_that_cannot_write_is_named_although_nobody_waits_for_it() {
    let house = house();
    house.written.fail_with(Some(disk_full()));
    let expected = [
        ("store", ComponentState::Up),
        ("journal", ComponentState::Failed),
        ("limiter", ComponentState::Up),
    ];
    assert_eq!(states(&house), expected);
    house.written.fail_with(None);
    assert_eq!(states(&house)[1].1, ComponentState::Up);
}

#[tokio::test]
async fn a_limiter_that_fails_is_named() {
    let house = house();
    house.limiter.fail_once_after(0);
    assert_eq!(states(&house)[2], ("limiter", ComponentState::Failed));
    assert_eq!(states(&house)[2], ("limiter", ComponentState::Up));
}

#[tokio::test]
async fn a_slow_disk_makes_nobody_wait_for_our_health() {
    let house = house();
    let holder = house.holder(limits(10, None)).await;
    house.ask(&holder).await.unwrap();
    house.journal.hold();
    let waiting = house.ask(&holder).await.unwrap();
    assert_eq!(states(&house)[1].1, ComponentState::Up);
    drop(waiting);
}
