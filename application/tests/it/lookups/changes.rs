//! Changes of a lookup that a person follows.

use application::PersonLookupError;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;

type Told = UnboundedReceiver<Result<LookupView, PersonLookupError>>;

/// Follows a lookup as its owner. What is told comes through a channel, which ends with the changes.
async fn follow(process: &Process, id: LookupId) -> Told {
    let changes = process.people.changes(&operator(), id).await;
    let mut changes = changes.unwrap();
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

/// The state that is told next, which was told already.
fn state(told: &mut Told) -> LookupState {
    told.try_recv().unwrap().unwrap().state
}

/// A queued lookup, whose owner was told so.
async fn start_with_follower() -> (World, Process, Holder, LookupId, Told) {
    let (world, process, holder, id) = start_queued("10.00").await;
    let mut told = follow(&process, id).await;
    assert_eq!(state(&mut told), Queued);
    (world, process, holder, id, told)
}

#[tokio::test]
async fn the_present_state_and_each_change_are_told_until_the_end() {
    let (world, process, _holder, id, mut told) = start_with_follower().await;
    world.bank.hold();
    process.work().await;
    settle().await;
    assert_eq!(state(&mut told), Running);
    world.release_bank().await;
    let last = told.try_recv().unwrap().unwrap();
    assert_eq!(last.state, Delivered);
    assert!(last.delivery.is_some());
    assert!(told.recv().await.is_none());
    let mut final_already = follow(&process, id).await;
    assert_eq!(state(&mut final_already), Delivered);
    assert!(final_already.recv().await.is_none());
    assert_eq!(world.elapsed(), 0);
}

#[tokio::test]
async fn a_lookup_that_nothing_happens_to_is_read_now_and_then_and_not_told_again() {
    let (world, process, _holder, _id, mut told) = start_with_follower().await;
    process.faults().forget_calls();
    world.pass_tenths(100).await;
    assert!(told.try_recv().is_err());
    assert_eq!(process.faults().calls_of("lookup"), 25);
}

#[tokio::test]
async fn an_erased_lookup_and_a_failing_store_end_the_changes() {
    let (world, process, holder, kept, mut of_kept) = start_with_follower().await;
    let erased = process.queue(&holder, "11.00").await;
    let mut of_erased = follow(&process, erased).await;
    assert_eq!(state(&mut of_erased), Queued);
    let other = world.process(Settings::default());
    other.remove(&holder, erased).await.unwrap();
    other.remove(&holder, erased).await.unwrap();
    world.pass(millis(400)).await;
    let told = of_erased.recv().await.unwrap();
    assert!(matches!(told, Err(PersonLookupError::NotFound)));
    process.faults().inject_into("lookup", Fault::Fails);
    world.pass(millis(400)).await;
    let told = of_kept.recv().await.unwrap();
    assert!(matches!(told, Err(PersonLookupError::Store(_))), "{kept}");
}
