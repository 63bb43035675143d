//! Limits of keys: a minute's makes rows wait, a month's pauses the batch.

use super::imports::{delivered, file, import};
use super::*;
use crate::support::limits;

#[tokio::test]
async fn a_minutes_limit_makes_rows_wait_until_it_returns() {
    let (world, process, holder) = start_with(limits(10, Some(1_000))).await;
    let id = process.create(&holder, ready(25)).await;
    process.feed().await;
    world.charged(&holder, 10).await;
    assert!(!process.is_feeding(), "it holds the batch");
    assert_eq!(process.feed().await, 0, "it is tried again at once");
    let waiting = process.view(&holder, id).await;
    assert_eq!((waiting.state, waiting.reason), (BatchState::Running, None));
    assert_eq!(waiting.not_begun, 15);
    let begin = world.base.clock.now();
    world.until(&process, id, Finished).await;
    world.charged(&holder, 25).await;
    let taken = (world.base.clock.now() - begin).num_seconds();
    assert!((60..=150).contains(&taken), "{taken} s");
}

#[tokio::test]
async fn a_used_up_month_pauses_the_batch_until_the_limits_are_raised() {
    let (world, process, holder, paused) = start_paused().await;
    assert_eq!(paused.reason, Some(Outcome::QuotaExceeded));
    assert_eq!((paused.not_begun, paused.eta), (5, None));
    let outcomes = process.outcomes(&holder, paused.id).await;
    assert!(
        outcomes.ends_with(&["not begun, paused".to_owned()]),
        "{outcomes:?}"
    );
    world.charged(&holder, 7).await;
    // Nobody asked: a refusal of a row isn't recorded.
    assert!(world.base.journal.refusals().is_empty());
    // It stays so while there is no quota, and its last change is the pause.
    world.pass(seconds(59)).await;
    assert_eq!(process.feed().await, 0);
    world.pass(seconds(1)).await;
    assert_eq!(process.feed().await, 1);
    stands_paused(&process, &holder, &paused).await;
    let (keys, raised) = (&world.base.keys, monthly(12).into());
    let raised = keys.set_limits(&operator(), holder.id, raised).await;
    raised.unwrap();
    world.pass(seconds(60)).await;
    process.feed().await;
    assert_eq!(process.state(paused.id).await, BatchState::Running);
    world.until(&process, paused.id, Finished).await;
    world.charged(&holder, 12).await;
}

/// Asserts that it is the same pause, of which webhooks are told once.
async fn stands_paused(process: &Process, holder: &Holder, paused: &BatchView) {
    let still = process.view(holder, paused.id).await;
    let standing = (still.state, still.updated_at);
    assert_eq!(standing, (Paused, paused.updated_at));
}

#[tokio::test]
async fn a_paused_batch_stays_paused_while_the_limiter_fails_and_when_its_next_row_is_imported() {
    let (world, process, holder, paused) = start_paused().await;
    let faults = world.base.limiter.faults();
    faults.inject_into("admit", Fault::Fails);
    world.pass(seconds(60)).await;
    assert_eq!(process.feed().await, 1);
    stands_paused(&process, &holder, &paused).await;
    // There is no quota still.
    faults.clear();
    world.pass(seconds(10)).await;
    assert_eq!(process.feed().await, 1);
    stands_paused(&process, &holder, &paused).await;
    let files = vec![file(&payment(7))];
    let report = import(&process, &holder, paused.id, files).await;
    assert_eq!(delivered(&report), [7]);
    world.pass(seconds(60)).await;
    assert_eq!(process.feed().await, 1);
    stands_paused(&process, &holder, &paused).await;
    world.charged(&holder, 7).await;
}

#[tokio::test]
async fn a_paused_batch_goes_on_in_the_next_month() {
    let (world, process, holder, paused) = start_paused().await;
    let id = paused.id;
    // The last half hour of the month.
    let late = "2026-11-30T23:30:00Z".parse().unwrap();
    world.base.clock.set_wall(late);
    process.feed().await;
    assert_eq!(process.state(id).await, Paused);
    for _ in 0..31 {
        world.pass(seconds(60)).await;
        process.feed_and_work().await;
    }
    assert_ne!(process.state(id).await, Paused);
    world.until(&process, id, Finished).await;
    world.charged(&holder, 5).await;
    let months = process.lookups_of(id).await;
    let months: Vec<_> = months.iter().map(|lookup| lookup.facts.month).collect();
    assert_eq!(months[..7], [months[0]; 7]);
    assert_eq!(months[7..], [months[11]; 5]);
    assert_ne!(months[0], months[11]);
}

#[tokio::test]
async fn a_batch_whose_rows_all_have_lookups_is_not_paused() {
    let (world, process, holder) = start_with(monthly(7)).await;
    let id = process.create(&holder, ready(7)).await;
    world.until(&process, id, Finished).await;
    world.charged(&holder, 7).await;
}
