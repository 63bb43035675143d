//! Starts by a clock that is far ahead: nothing is erased by them, also not by the second one.

use chrono::{DateTime, TimeDelta, Utc};
use tempfile::TempDir;

use crate::clock::Clock;
use crate::gateway::{Gateway, Plan, soon};

/// A gateway that starts by this clock, once it has erased.
async fn started(folder: TempDir, clock: &Clock) -> Gateway {
    let gateway = Plan::in_folder(folder)
        .with_all(clock.variables(TimeDelta::zero()))
        .with("CEP_LOG", "info,cep_gateway=debug")
        .start();
    soon("it has erased", async || {
        gateway.log().contains("what was past its retention")
    })
    .await;
    gateway
}

fn erased_nothing(gateway: &Gateway) -> bool {
    let log = gateway.log();
    let mut lines = log.lines();
    let erased = lines.find(|line| line.contains("what was past its retention"));
    let erased = erased.unwrap();
    ["requests: 0", "usage: 0", "lookups: 0"]
        .iter()
        .all(|none| erased.contains(none))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_by_a_wrong_clock_erases_nothing_not_even_the_second_one() {
    let right: DateTime<Utc> = "2026-11-20T18:00:00Z".parse().unwrap();
    let clock = Clock::at(right);
    let gateway = started(tempfile::tempdir().unwrap(), &clock).await;
    let key = gateway.roomy_key();
    assert_eq!(gateway.status_of(&key).await, 200);
    assert_eq!(gateway.state_of("clock").await, "up");
    let mut folder = gateway.stopped().await;
    for (days, state) in [
        (500, "degraded"),
        (500, "degraded"),
        (0, "up"),
        (500, "degraded"),
        (0, "up"),
        (100, "degraded"),
    ] {
        clock.set(right + TimeDelta::days(days));
        let gateway = started(folder, &clock).await;
        assert!(erased_nothing(&gateway), "{days}: {}", gateway.log());
        assert_eq!(gateway.state_of("clock").await, state, "{days}");
        // Its time is one that the database knows.
        assert_eq!(gateway.status_of(&key).await, 200);
        folder = gateway.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_a_clock_that_was_ahead_is_gone_on_with_and_told_of() {
    let right: DateTime<Utc> = "2026-11-20T18:00:00Z".parse().unwrap();
    let clock = Clock::at(right + TimeDelta::days(500));
    let gateway = started(tempfile::tempdir().unwrap(), &clock).await;
    let key = gateway.roomy_key();
    assert_eq!(gateway.status_of(&key).await, 200);
    let folder = gateway.stopped().await;
    clock.set(right);
    let gateway = started(folder, &clock).await;
    assert_eq!(gateway.state_of("clock").await, "up");
    let log = gateway.log();
    let warned = log
        .lines()
        .find(|line| line.contains("one of them is wrong"));
    let names_both = ["2028-04-03", "2026-11-20"];
    let names_both = names_both.map(|day| warned.is_some_and(|line| line.contains(day)));
    assert_eq!(names_both, [true; 2], "{log}");
    let folder = gateway.stopped().await;
    clock.set(right + TimeDelta::days(10));
    let gateway = started(folder, &clock).await;
    assert_eq!(gateway.state_of("clock").await, "degraded");
}
