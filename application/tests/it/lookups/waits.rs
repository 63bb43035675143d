//! Reads that wait for a change.

use futures::future::join_all;

use super::*;

pub(super) type Found = Result<Read<LookupView>, LookupError>;

/// Begins a read that waits for 25 seconds.
pub(super) async fn wait(process: &Process, holder: &Holder, id: LookupId) -> JoinHandle<Found> {
    let (lookups, access) = (process.lookups.clone(), access(holder));
    let waiting = tokio::spawn(async move { lookups.find(access, id, seconds(25)).await });
    settle().await;
    assert!(!waiting.is_finished(), "it doesn't wait");
    waiting
}

/// A queued lookup, and a read that waits for its change.
async fn start_with_reader() -> (World, Process, Holder, LookupId, JoinHandle<Found>) {
    let (world, process, holder, id) = start_queued("10.00").await;
    process.faults().forget_calls();
    let waiting = wait(&process, &holder, id).await;
    (world, process, holder, id, waiting)
}

pub(super) async fn view(waiting: JoinHandle<Found>) -> LookupView {
    waiting.await.unwrap().unwrap().found
}

#[tokio::test]
async fn a_change_in_this_process_is_heard_at_once() {
    let (world, process, holder, id, waiting) = start_with_reader().await;
    world.bank.hold();
    process.work().await;
    assert_eq!(view(waiting).await.state, Running);
    let waiting = wait(&process, &holder, id).await;
    world.bank.release();
    let found = view(waiting).await;
    assert_eq!(found.state, Delivered);
    assert!(found.delivery.is_some());
    assert_eq!(world.elapsed(), 0);
}

#[tokio::test]
async fn a_change_by_another_process_is_seen_within_400_milliseconds() {
    let (world, _process, _holder, _id, waiting) = start_with_reader().await;
    world.process(Settings::default()).work().await;
    settle().await;
    assert!(!waiting.is_finished());
    world.pass(millis(400)).await;
    assert!(waiting.is_finished());
    assert_eq!(view(waiting).await.state, Delivered);
}

#[tokio::test]
async fn a_cancellation_is_heard_by_all_who_wait() {
    let (_world, process, holder, id, first) = start_with_reader().await;
    let second = wait(&process, &holder, id).await;
    process.remove(&holder, id).await.unwrap();
    for found in join_all([first, second].map(view)).await {
        assert_eq!(found.state, Canceled);
    }
}

#[tokio::test]
async fn a_read_waits_no_longer_than_told_and_reads_the_store_now_and_then() {
    let (world, process, _holder, _id, waiting) = start_with_reader().await;
    for _ in 0..249 {
        world.pass(millis(100)).await;
    }
    assert!(!waiting.is_finished());
    world.pass(millis(100)).await;
    assert_eq!(view(waiting).await.state, Queued);
    // Two at first, one each 400 ms, the last one when the time is over.
    assert_eq!(process.faults().calls_of("lookup"), 2 + 62 + 1);
}

#[tokio::test]
async fn a_final_lookup_is_not_waited_for() {
    let (world, process, holder, id) = start_queued("10.00").await;
    process.work().await;
    process.faults().forget_calls();
    let found = process.lookups.find(access(&holder), id, seconds(25)).await;
    assert_eq!(found.unwrap().found.state, Delivered);
    assert_eq!(process.faults().calls_of("lookup"), 1);
    assert_eq!(world.elapsed(), 0);
}

#[tokio::test]
async fn a_lookup_that_is_erased_meanwhile_is_unknown() {
    let (world, _process, holder, id, waiting) = start_with_reader().await;
    let other = world.process(Settings::default());
    other.remove(&holder, id).await.unwrap();
    other.remove(&holder, id).await.unwrap();
    world.pass(millis(400)).await;
    let found = waiting.await.unwrap();
    assert!(matches!(found, Err(LookupError::Unknown)));
}

#[tokio::test]
async fn a_store_that_fails_ends_the_wait() {
    let (world, process, _holder, _id, waiting) = start_with_reader().await;
    process.faults().inject_into("lookup", Fault::Fails);
    world.pass(millis(400)).await;
    let found = waiting.await.unwrap();
    assert!(matches!(found, Err(LookupError::Refused(_))));
}
