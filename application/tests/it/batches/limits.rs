//! Limits of keys: a minute's makes rows wait, a month's pauses the batch.

use domain::batch::BatchState;
use domain::outcome::Outcome;
use ports::inbound::KeyAdministration as _;
use ports::outbound::Clock as _;
use testkit::fakes::Fault;

use super::rows::ready;
use super::steps::{seconds, start_with};
use crate::support::{limits, operator};

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
    world.until(&process, id, BatchState::Finished).await;
    world.charged(&holder, 25).await;
    let taken = (world.base.clock.now() - begin).num_seconds();
    assert!((60..=150).contains(&taken), "{taken} s");
}

#[tokio::test]
async fn a_used_up_month_pauses_the_batch_until_the_limits_are_raised() {
    let (world, process, holder) = start_with(limits(1_000, Some(7))).await;
    let id = process.create(&holder, ready(12)).await;
    process.feed().await;
    process.work().await;
    let paused = process.view(&holder, id).await;
    assert_eq!(paused.state, BatchState::Paused);
    assert_eq!(paused.reason, Some(Outcome::QuotaExceeded));
    assert_eq!((paused.ended(), paused.not_begun, paused.eta), (7, 5, None));
    world.charged(&holder, 7).await;
    // It stays so while there is no quota, and its last change is the pause.
    world.pass(seconds(59)).await;
    assert_eq!(process.feed().await, 0);
    world.pass(seconds(1)).await;
    assert_eq!(process.feed().await, 1);
    let still = process.view(&holder, id).await;
    assert_eq!(
        (still.state, still.updated_at),
        (paused.state, paused.updated_at)
    );
    let raised = limits(1_000, Some(12)).into();
    let raised = world
        .base
        .keys
        .set_limits(&operator(), holder.id, raised)
        .await;
    raised.unwrap();
    world.pass(seconds(60)).await;
    process.feed().await;
    assert_eq!(process.state(id).await, BatchState::Running);
    world.until(&process, id, BatchState::Finished).await;
    world.charged(&holder, 12).await;
}

#[tokio::test]
async fn a_paused_batch_stays_paused_while_the_limiter_fails() {
    let (world, process, holder) = start_with(limits(1_000, Some(7))).await;
    let id = process.create(&holder, ready(12)).await;
    process.feed().await;
    process.work().await;
    let paused = process.view(&holder, id).await;
    assert_eq!(paused.state, BatchState::Paused);
    let standing = async || {
        let view = process.view(&holder, id).await;
        (view.state, view.updated_at)
    };
    let faults = world.base.limiter.faults();
    faults.inject_into("admit", Fault::Fails);
    world.pass(seconds(60)).await;
    assert_eq!(process.feed().await, 1);
    assert_eq!(standing().await, (BatchState::Paused, paused.updated_at));
    // There is no quota still: it is the same pause, of which webhooks are told once.
    faults.clear();
    world.pass(seconds(10)).await;
    assert_eq!(process.feed().await, 1);
    assert_eq!(standing().await, (BatchState::Paused, paused.updated_at));
    world.charged(&holder, 7).await;
}

#[tokio::test]
async fn a_paused_batch_goes_on_in_the_next_month() {
    let (world, process, holder) = start_with(limits(1_000, Some(7))).await;
    let id = process.create(&holder, ready(12)).await;
    process.feed().await;
    process.work().await;
    world.charged(&holder, 7).await;
    // The last half hour of the month.
    world
        .base
        .clock
        .set_wall("2026-11-30T23:30:00Z".parse().unwrap());
    process.feed().await;
    assert_eq!(process.state(id).await, BatchState::Paused);
    for _ in 0..31 {
        world.pass(seconds(60)).await;
        process.feed().await;
        process.work().await;
    }
    assert_ne!(process.state(id).await, BatchState::Paused);
    world.until(&process, id, BatchState::Finished).await;
    world.charged(&holder, 5).await;
    let months = process.lookups_of(id).await;
    let months: Vec<_> = months.iter().map(|lookup| lookup.facts.month).collect();
    assert_eq!(months[..7], [months[0]; 7]);
    assert_eq!(months[7..], [months[11]; 5]);
    assert_ne!(months[0], months[11]);
}

#[tokio::test]
async fn a_batch_whose_rows_all_have_lookups_is_not_paused() {
    let (world, process, holder) = start_with(limits(1_000, Some(7))).await;
    let id = process.create(&holder, ready(7)).await;
    world.until(&process, id, BatchState::Finished).await;
    world.charged(&holder, 7).await;
}

#[tokio::test]
async fn a_refusal_of_a_row_is_not_recorded_for_nobody_asked() {
    let (world, process, holder) = start_with(limits(1_000, Some(2))).await;
    process.create(&holder, ready(4)).await;
    process.feed().await;
    assert!(world.base.written.refusals().is_empty());
}
