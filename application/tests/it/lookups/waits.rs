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
async fn a_change_in_this_process_is_heard_at_once_and_nobody_waits_after_the_end() {
    let (world, process, holder, id, waiting) = start_with_reader().await;
    world.bank.hold();
    process.work().await;
    assert_eq!(view(waiting).await.state, Running);
    let waiting = wait(&process, &holder, id).await;
    world.bank.release();
    let found = view(waiting).await;
    assert_eq!(found.state, Delivered);
    assert!(found.delivery.is_some());
    // Nobody waits for one that has ended.
    process.faults().forget_calls();
    let found = process.lookups.find(access(&holder), id, seconds(25)).await;
    assert_eq!(found.unwrap().found.state, Delivered);
    assert_eq!(process.faults().calls_of("lookup"), 1);
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
    world.pass_tenths(249).await;
    assert!(!waiting.is_finished());
    world.pass(millis(100)).await;
    assert_eq!(view(waiting).await.state, Queued);
    // Two at first, one each 400 ms, the last one when the time is over.
    assert_eq!(process.faults().calls_of("lookup"), 2 + 62 + 1);
}

#[tokio::test]
async fn an_erased_lookup_and_a_failing_store_end_the_wait() {
    let (world, process, holder, id, waiting) = start_with_reader().await;
    let kept = process.queue(&holder, "11.00").await;
    let of_kept = wait(&process, &holder, kept).await;
    let other = world.process(Settings::default());
    other.remove(&holder, id).await.unwrap();
    other.remove(&holder, id).await.unwrap();
    world.pass(millis(400)).await;
    let found = waiting.await.unwrap();
    assert!(matches!(found, Err(LookupError::Unknown)));
    process.faults().inject_into("lookup", Fault::Fails);
    world.pass(millis(400)).await;
    let found = of_kept.await.unwrap();
    assert!(matches!(found, Err(LookupError::Refused(_))));
}
