//! Reads that wait for a change of a batch's state.

use tokio::task::JoinHandle;

use super::*;

type Waiting = JoinHandle<Result<BatchView, BatchError>>;

/// Begins to read a batch, and to wait for a change of its state for 25 s.
async fn wait(process: &Process, access: BatchAccess, id: BatchId) -> Waiting {
    let batches = process.batches.clone();
    let waiting = tokio::spawn(async move {
        let found = batches.find(&access, id, seconds(25)).await;
        found.map(|read| read.found)
    });
    settle().await;
    waiting
}

/// The answer of a read that doesn't wait any more.
async fn answer(waiting: Waiting) -> Result<BatchView, BatchError> {
    assert!(waiting.is_finished(), "it waits");
    waiting.await.unwrap()
}

#[tokio::test]
async fn a_wait_for_a_change_that_does_not_come_ends_with_its_time() {
    let (world, process, holder, id) = start_batch(ready(2)).await;
    process.faults().forget_calls();
    let waiting = wait(&process, access(&holder), id).await;
    world.pass_tenths(249).await;
    assert!(!waiting.is_finished());
    let calls = |method| process.faults().calls_of(method);
    assert_eq!((calls("batch"), calls("batch_state")), (1, 24));
    world.pass(seconds(1) / 10).await;
    assert_eq!(answer(waiting).await.unwrap().state, BatchState::Queued);
    assert_eq!(process.faults().calls_of("batch"), 2);
}

#[tokio::test]
async fn a_wait_ends_within_a_second_of_another_processs_change_and_at_once_after_the_end() {
    let (world, process, holder, id) = start_batch(ready(2)).await;
    let other = world.process(secrets(&[1]));
    let waiting = wait(&process, access(&holder), id).await;
    world.pass(seconds(3)).await;
    other.feed().await;
    assert!(!waiting.is_finished());
    world.pass(seconds(1)).await;
    let changed = answer(waiting).await.unwrap();
    assert_eq!(changed.state, BatchState::Running);
    // It is read as it is now.
    assert_eq!(changed.not_begun, 0);
    world.until(&process, id, Finished).await;
    let waiting = wait(&process, access(&holder), id).await;
    assert_eq!(answer(waiting).await.unwrap().state, Finished);
}

#[tokio::test]
async fn an_erased_batch_and_a_failing_store_end_the_wait() {
    let (world, process, holder, id) = start_batch(ready(2)).await;
    let kept = process.create(&holder, ready(1)).await;
    let waiting = wait(&process, access(&holder), id).await;
    let of_kept = wait(&process, access(&holder), kept).await;
    process.cancel(&holder, id).await.unwrap();
    process.erase(&holder, id).await.unwrap();
    world.pass(seconds(1)).await;
    let gone = answer(waiting).await;
    assert!(matches!(gone, Err(BatchError::Unknown)), "{gone:?}");
    process.faults().inject_into("batch_state", Fault::Fails);
    world.pass(seconds(1)).await;
    let failed = answer(of_kept).await;
    assert!(matches!(failed, Err(BatchError::Refused(_))), "{failed:?}");
}

#[tokio::test]
async fn the_seventeenth_reader_of_a_customer_is_answered_at_once() {
    let (world, process, holder, id) = start_batch(ready(2)).await;
    let second = process.create(&holder, ready(1)).await;
    let mut waiting = Vec::new();
    // Of any batch, with a key or a session.
    for number in 0..16 {
        let (access, id) = match number % 2 {
            0 => (access(&holder), id),
            _ => (BatchAccess::Person(operator()), second),
        };
        waiting.push(wait(&process, access, id).await);
    }
    assert!(waiting.iter().all(|waiting| !waiting.is_finished()));
    let answered = wait(&process, access(&holder), id).await;
    assert_eq!(answer(answered).await.unwrap().state, BatchState::Queued);
    // Another customer has its own places.
    let ana = person("ana", Role::Admin);
    let of_ana = world.holder(&ana, Environment::Test).await;
    let others = process.create(&of_ana, ready(1)).await;
    assert!(!wait(&process, access(&of_ana), others).await.is_finished());
    // A place is free again when a reader hangs up.
    waiting.remove(0).abort();
    settle().await;
    let next = wait(&process, access(&holder), id).await;
    assert!(!next.is_finished());
    let answered = wait(&process, access(&holder), id).await;
    assert!(answered.is_finished());
    // And once the waits are over.
    world.pass(Duration::from_secs(25)).await;
    assert!(waiting.iter().all(JoinHandle::is_finished));
    assert!(!wait(&process, access(&holder), id).await.is_finished());
}
