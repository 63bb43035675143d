//! The number of rows that are charged and unfinished at the same time.

use domain::batch::{BatchState, window};
use domain::key::Environment;
use domain::lookup::LookupState;
use ports::inbound::BatchView;

use super::rows::{NOT_ISSUED, payment, query, ready, rows};
use super::steps::{Process, World, ample, seconds, start};
use crate::support::fixture::Holder;
use crate::support::operator;

/// Lookups that take room.
fn taken(view: &BatchView) -> u32 {
    view.in_state(LookupState::Queued) + view.in_state(LookupState::Running)
}

async fn never_more_than(world: &World, process: &Process, holder: &Holder, most: u32) {
    let id = process.create(holder, ready(600)).await;
    let mut largest = 0;
    for _ in 0..200 {
        process.feed().await;
        let view = process.view(holder, id).await;
        assert!(taken(&view) <= most, "{} of {most}", taken(&view));
        largest = largest.max(taken(&view));
        process.work().await;
        world.pass(seconds(1)).await;
        if process.state(id).await == BatchState::Finished {
            break;
        }
    }
    assert_eq!(process.state(id).await, BatchState::Finished);
    assert!(largest > most / 2, "{largest} of {most}");
    world.charged(holder, 600).await;
}

#[tokio::test]
async fn a_test_batch_never_has_more_than_its_window() {
    let (world, process, holder) = start().await;
    never_more_than(&world, &process, &holder, window(Environment::Test, 60)).await;
}

#[tokio::test]
async fn a_live_batch_never_has_more_than_the_window_of_the_banks_budget() {
    let (world, process, _) = start().await;
    let live = world.holder(&operator(), Environment::Live, ample()).await;
    never_more_than(&world, &process, &live, window(Environment::Live, 60)).await;
}

#[tokio::test]
async fn rows_that_nobody_works_on_hold_the_others_back() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, ready(600)).await;
    for _ in 0..20 {
        process.feed().await;
        world.pass(seconds(1)).await;
    }
    let view = process.view(&holder, id).await;
    assert_eq!(taken(&view), 200);
    world.charged(&holder, 200).await;
    assert!(view.eta.is_some());
}

#[tokio::test]
async fn rows_that_wait_for_a_later_attempt_take_no_room() {
    let (world, process, _) = start().await;
    let live = world.holder(&operator(), Environment::Live, ample()).await;
    let unissued = |number| domain::query::ProofQuery {
        tracking_key: domain::tracking_key::TrackingKey::parse(&format!(
            "MBAN010026111800000{number:05}"
        ))
        .unwrap(),
        ..query(NOT_ISSUED)
    };
    let all = (0..40).map(unissued).chain((0..10).map(payment));
    let id = process.create(&live, rows(all)).await;
    for _ in 0..10 {
        process.feed().await;
        process.work().await;
        world.pass(seconds(1)).await;
    }
    let view = process.view(&live, id).await;
    assert_eq!(view.in_state(LookupState::Waiting), 40);
    assert_eq!(view.in_state(LookupState::Delivered), 10);
    assert_eq!(view.not_begun, 0);
    world.charged(&live, 50).await;
    // The batch rests until the first of them is due, and ends with the last.
    assert!(!process.is_feeding(), "it holds the batch");
    world.live_bank.answer_by(|transfer| {
        testkit::fakes::Script::Issue(testkit::fakes::unsealed_proof(transfer))
    });
    world.until(&process, id, BatchState::Finished).await;
    world.charged(&live, 50).await;
}

#[tokio::test]
async fn a_batch_whose_rows_all_wait_rests_for_half_a_minute() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, rows([query(NOT_ISSUED)])).await;
    process.feed().await;
    process.work().await;
    world.pass(seconds(1)).await;
    // It learns that the row waits.
    assert_eq!(process.feed().await, 1);
    let waiting = process.view(&holder, id).await;
    assert_eq!(waiting.in_state(LookupState::Waiting), 1);
    for _ in 0..29 {
        world.pass(seconds(1)).await;
        assert_eq!(process.feed().await, 0);
    }
    world.pass(seconds(1)).await;
    assert_eq!(process.feed().await, 1);
}

#[tokio::test]
async fn a_worker_that_waits_hears_of_new_rows_at_once() {
    let (world, process, holder) = start().await;
    let working = process.run_worker().await;
    let id = process.create(&holder, ready(3)).await;
    process.feed().await;
    assert_eq!(process.outcomes(&holder, id).await, ["delivered"; 3]);
    working.abort();
    world.charged(&holder, 3).await;
}

#[tokio::test]
async fn batches_that_wait_for_room_do_not_keep_others_from_being_worked_on() {
    let (world, process, holder) = start().await;
    let live = world.holder(&operator(), Environment::Live, ample()).await;
    let other = crate::support::person("ana", domain::customer::Role::Admin);
    let of_other = world.holder(&other, Environment::Live, ample()).await;
    world.live_bank.hold();
    for owner in [&live, &of_other] {
        for _ in 0..17 {
            process.create(owner, ready(40)).await;
        }
    }
    for _ in 0..10 {
        process.feed().await;
        process.work().await;
        world.pass(seconds(1)).await;
    }
    let id = process.create(&holder, ready(3)).await;
    for _ in 0..10 {
        process.feed().await;
        process.work().await;
        world.pass(seconds(1)).await;
    }
    assert_eq!(process.state(id).await, BatchState::Finished);
}
