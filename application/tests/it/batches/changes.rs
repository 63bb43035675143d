//! Changes of a batch that somebody follows.

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;

type Told = UnboundedReceiver<Result<BatchView, BatchError>>;

/// Follows a batch as its owner. What is told comes through a channel, which ends with the changes.
async fn follow(process: &Process, id: BatchId) -> Told {
    let access = BatchAccess::Person(operator());
    let mut changes = process.batches.changes(&access, id).await.unwrap();
    let (sender, told) = unbounded_channel();
    drop(tokio::spawn(async move {
        while let Some(change) = changes.next().await.transpose() {
            let is_last = change.is_err();
            if sender.send(change).is_err() || is_last {
                return;
            }
        }
    }));
    settle().await;
    told
}

/// The next change, which was due already.
fn view(told: &mut Told) -> BatchView {
    told.try_recv().unwrap().unwrap()
}

#[tokio::test]
async fn the_present_state_and_changes_are_told_once_a_second_until_the_end() {
    let (world, process, _holder, id) = start_batch(ready(3)).await;
    let mut told = follow(&process, id).await;
    let first = view(&mut told);
    assert_eq!((first.state, first.not_begun), (BatchState::Queued, 3));
    process.feed().await;
    settle().await;
    assert!(told.try_recv().is_err(), "before a second is over");
    world.pass(seconds(1)).await;
    let fed = view(&mut told);
    assert_eq!((fed.not_begun, fed.in_state(LookupState::Queued)), (0, 3));
    world.until(&process, id, Finished).await;
    world.pass(seconds(1)).await;
    let mut last = view(&mut told);
    while let Ok(next) = told.try_recv() {
        last = next.unwrap();
    }
    assert_eq!(last.state, Finished);
    assert_eq!(last.in_state(LookupState::Delivered), 3);
    assert!(told.recv().await.is_none());
}

#[tokio::test]
async fn a_batch_that_nothing_happens_to_is_read_once_a_second_and_not_told_again() {
    let (world, process, _holder, id) = start_batch(ready(1)).await;
    let mut told = follow(&process, id).await;
    view(&mut told);
    process.faults().forget_calls();
    world.pass_tenths(100).await;
    assert!(told.try_recv().is_err());
    assert_eq!(process.faults().calls_of("batch"), 10);
}

#[tokio::test]
async fn a_canceled_batch_an_erased_one_and_a_failing_store_end_the_changes() {
    let (world, process, holder, id) = start_batch(ready(1)).await;
    let mut told = follow(&process, id).await;
    view(&mut told);
    process.cancel(&holder, id).await.unwrap();
    world.pass(seconds(1)).await;
    assert_eq!(view(&mut told).state, BatchState::Canceled);
    assert!(told.recv().await.is_none());
    let mut final_already = follow(&process, id).await;
    assert_eq!(view(&mut final_already).state, BatchState::Canceled);
    assert!(final_already.recv().await.is_none());

    let erased = process.create(&holder, ready(1)).await;
    let kept = process.create(&holder, ready(1)).await;
    let (mut of_erased, mut of_kept) =
        (follow(&process, erased).await, follow(&process, kept).await);
    view(&mut of_erased);
    view(&mut of_kept);
    process.cancel(&holder, erased).await.unwrap();
    process.erase(&holder, erased).await.unwrap();
    world.pass(seconds(1)).await;
    let end = of_erased.recv().await.unwrap();
    assert!(matches!(end, Err(BatchError::Unknown)), "{end:?}");
    process.faults().inject_into("batch", Fault::Fails);
    world.pass(seconds(1)).await;
    let end = of_kept.recv().await.unwrap();
    assert!(matches!(end, Err(BatchError::Refused(_))), "{end:?}");
}
