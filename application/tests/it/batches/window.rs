//! The number of rows that are charged and unfinished at the same time.

use domain::batches::window;
use rstest::rstest;
use testkit::fakes::{Script, unsealed_proof};

use super::*;

/// Lookups that take room.
fn taken(view: &BatchView) -> u32 {
    view.in_state(LookupState::Queued) + view.in_state(LookupState::Running)
}

#[rstest]
#[case::of_a_test_batch(Environment::Test)]
#[case::of_the_banks_budget(Environment::Live)]
#[tokio::test]
async fn a_batch_never_has_more_rows_charged_and_unfinished_than_its_window(
    #[case] environment: Environment,
) {
    let (world, process, _) = start().await;
    let holder = world.holder(&operator(), environment).await;
    let most = window(environment, 60);
    let id = process.create(&holder, ready(600)).await;
    let mut largest = 0;
    for _ in 0..200 {
        process.feed().await;
        let taken = taken(&process.view(&holder, id).await);
        assert!(taken <= most, "{taken} of {most}");
        largest = largest.max(taken);
        process.work().await;
        world.pass(seconds(1)).await;
        if process.state(id).await == Finished {
            break;
        }
    }
    assert_eq!(process.state(id).await, Finished);
    assert!(largest > most / 2, "{largest} of {most}");
    world.charged(&holder, 600).await;
}

#[tokio::test]
async fn rows_that_nobody_works_on_hold_the_others_back() {
    let (world, process, holder, id) = start_batch(ready(600)).await;
    world.feed_for(&process, 20).await;
    let view = process.view(&holder, id).await;
    assert_eq!(taken(&view), 200);
    world.charged(&holder, 200).await;
    assert!(view.eta.is_some());
}

#[tokio::test]
async fn rows_that_wait_for_a_later_attempt_take_no_room() {
    let (world, process, _) = start().await;
    let live = world.live_holder().await;
    let unissued = |number| {
        let key = format!("MBAN010026111800000{number:05}");
        with_key(&key, query(NOT_ISSUED))
    };
    let all = (0..40).map(unissued).chain((0..10).map(payment));
    let id = process.create(&live, rows(all)).await;
    world.run_for(&process, 10).await;
    let view = process.view(&live, id).await;
    let (waiting, delivered) = (LookupState::Waiting, LookupState::Delivered);
    let states = [waiting, delivered].map(|state| view.in_state(state));
    assert_eq!((states, view.not_begun), ([40, 10], 0));
    world.charged(&live, 50).await;
    // The batch rests until the first of them is due, and ends with the last.
    assert!(!process.is_feeding(), "it holds the batch");
    let issue = |transfer: &_| Script::Issue(unsealed_proof(transfer));
    world.live_bank.answer_by(issue);
    world.until(&process, id, Finished).await;
    world.charged(&live, 50).await;
}

#[tokio::test]
async fn a_batch_whose_rows_all_wait_rests_for_half_a_minute() {
    let (world, process, holder, id) = start_batch(rows([query(NOT_ISSUED)])).await;
    process.feed_and_work().await;
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
    let live = world.live_holder().await;
    let other = person("ana", Role::Admin);
    let of_other = world.holder(&other, Environment::Live).await;
    world.live_bank.hold();
    for owner in [&live, &of_other] {
        for _ in 0..17 {
            process.create(owner, ready(40)).await;
        }
    }
    world.run_for(&process, 10).await;
    let id = process.create(&holder, ready(3)).await;
    world.run_for(&process, 10).await;
    assert_eq!(process.state(id).await, Finished);
}
