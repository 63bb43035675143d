//! Processes that listen to each other.

use super::waits::{view, wait};
use super::*;

/// A world with two processes, the second of which works and listens.
async fn start_with_worker() -> (World, Process, Process, Holder) {
    let (world, front, holder) = start().await;
    let worker = world.process(Settings::default());
    drop(worker.listen().await);
    drop(worker.run_worker().await);
    (world, front, worker, holder)
}

/// The number of looks at the queue by this process's worker since the last call.
fn looks(process: &Process) -> usize {
    let claims = process.faults().calls_of("claim_lookups");
    process.faults().forget_calls();
    // A look asks for all classes, then for interactive ones.
    claims / 2
}

#[tokio::test]
async fn a_caller_hears_at_once_of_each_change_by_another_process() {
    let (world, front, holder) = start().await;
    let other = world.process(Settings::default());
    drop(front.listen().await);
    let id = front.queue(&holder, "10.00").await;
    world.bank.hold();
    let waiting = wait(&front, &holder, id).await;
    other.work().await;
    assert_eq!(view(waiting).await.state, Running);
    let waiting = wait(&front, &holder, id).await;
    world.bank.release();
    assert_eq!(view(waiting).await.state, Delivered);
    assert_eq!(world.elapsed(), 0);
}

#[tokio::test]
async fn an_attempt_is_made_at_once_or_when_it_is_due_and_the_queue_is_seldom_looked_at() {
    let (world, front, worker, holder) = start_with_worker().await;
    let id = front.queue(&holder, "404.02").await;
    settle().await;
    assert_eq!(front.view(&holder, id).await.attempts, 1);
    assert_eq!(world.elapsed(), 0);
    looks(&worker);
    world.pass_tenths(599).await;
    assert_eq!(front.view(&holder, id).await.attempts, 1);
    assert_eq!(looks(&worker), 11);
    world.pass(millis(100)).await;
    assert_eq!(front.view(&holder, id).await.attempts, 2);
}

#[tokio::test]
async fn who_listens_still_looks_now_and_then() {
    let (world, front, worker, holder) = start_with_worker().await;
    drop(front.listen().await);
    world.bank.hold();
    let id = front.queue(&holder, "10.00").await;
    settle().await;
    front.faults().forget_calls();
    let waiting = wait(&front, &holder, id).await;
    looks(&worker);
    world.pass_tenths(250).await;
    assert_eq!(view(waiting).await.state, Running);
    assert_eq!(looks(&worker), 5);
    let reads = front.faults().calls_of("lookup");
    // Two at first, one each second, the last one when the time is over.
    assert_eq!(reads, 2 + 24 + 1);
}

#[tokio::test]
async fn without_a_connection_everything_is_looked_at_as_often_as_without_notifications() {
    let (world, front, worker, holder) = start_with_worker().await;
    drop(front.listen().await);
    world.base.data.disconnect_listeners();
    for process in [&front, &worker] {
        process.faults().inject_into("listen", Fault::Fails);
    }
    settle().await;
    looks(&worker);
    world.pass(millis(500)).await;
    assert_eq!(looks(&worker), 1);
    let id = front.queue(&holder, "10.00").await;
    let waiting = wait(&front, &holder, id).await;
    world.pass(millis(500)).await;
    world.pass(millis(400)).await;
    assert_ne!(view(waiting).await.state, Queued);
}

#[tokio::test]
async fn a_lost_connection_is_made_again_after_longer_and_longer_pauses() {
    let (world, front, holder) = start().await;
    let listening = front.listen().await;
    let calls = || front.faults().calls_of("listen");
    assert_eq!(calls(), 1);
    world.base.data.disconnect_listeners();
    front.faults().inject_into("listen", Fault::Fails);
    settle().await;
    let mut tried = Vec::new();
    for _ in 0..600 {
        world.pass(millis(250)).await;
        tried.push(calls());
    }
    // After 0.25, 0.5, 1, 2, 4, 8, then each 15 s.
    assert_eq!(tried[..8], [2, 2, 3, 3, 3, 3, 4, 4]);
    assert_eq!(*tried.last().unwrap(), 1 + 6 + (150 - 16) / 15);
    // Once it is back, everybody looks, and hears again.
    let id = front.queue(&holder, "10.00").await;
    front.faults().clear();
    world.pass(seconds(15)).await;
    let other = world.process(Settings::default());
    let waiting = wait(&front, &holder, id).await;
    other.work().await;
    assert!(waiting.is_finished());
    listening.abort();
}
