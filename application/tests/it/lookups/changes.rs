//! Changes of a lookup that a person follows.

use std::time::Duration;

use domain::lookup::{LookupId, LookupState};
use ports::inbound::{LookupChanges, LookupView, PersonLookupError, PersonLookups as _};
use testkit::fakes::Fault;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::steps::{Process, Settings, World, lookup, settle, start};
use crate::support::operator;

type Told = UnboundedReceiver<Result<LookupView, PersonLookupError>>;

impl Process {
    /// Follows a lookup as its owner. What is told comes through a channel, which ends with the changes.
    async fn follow(&self, world: &World, id: LookupId) -> Told {
        let changes = self.people(world).changes(&operator(), id).await;
        let mut changes: Box<dyn LookupChanges> = changes.unwrap();
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
}

/// The state that is told next, which was told already.
fn state(told: &mut Told) -> LookupState {
    told.try_recv().unwrap().unwrap().state
}

#[tokio::test]
async fn the_present_state_and_each_change_are_told_until_the_end() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    world.bank.hold();
    let mut told = process.follow(&world, id).await;
    assert_eq!(state(&mut told), LookupState::Queued);
    process.work().await;
    settle().await;
    assert_eq!(state(&mut told), LookupState::Running);
    world.bank.release();
    settle().await;
    let last = told.try_recv().unwrap().unwrap();
    assert_eq!(last.state, LookupState::Delivered);
    assert!(last.delivery.is_some());
    assert!(told.recv().await.is_none());
    assert_eq!(world.elapsed(), 0);
}

#[tokio::test]
async fn a_final_lookup_is_told_once() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    process.work().await;
    let mut told = process.follow(&world, id).await;
    assert_eq!(state(&mut told), LookupState::Delivered);
    assert!(told.recv().await.is_none());
}

#[tokio::test]
async fn a_change_by_another_process_is_told_within_400_milliseconds() {
    let (world, process, holder) = start().await;
    let other = world.process(Settings::default());
    let id = process.create(&holder, lookup("10.00")).await.id;
    let mut told = process.follow(&world, id).await;
    assert_eq!(state(&mut told), LookupState::Queued);
    other.work().await;
    world.pass(Duration::from_millis(400)).await;
    assert_eq!(state(&mut told), LookupState::Delivered);
}

#[tokio::test]
async fn a_lookup_that_nothing_happens_to_is_read_now_and_then_and_not_told_again() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    let mut told = process.follow(&world, id).await;
    assert_eq!(state(&mut told), LookupState::Queued);
    process.store.faults().forget_calls();
    for _ in 0..100 {
        world.pass(Duration::from_millis(100)).await;
    }
    assert!(told.try_recv().is_err());
    assert_eq!(process.store.faults().calls()["lookup"], 25);
}

#[tokio::test]
async fn an_erased_lookup_and_a_failing_store_end_the_changes() {
    let (world, process, holder) = start().await;
    let other = world.process(Settings::default());
    let erased = process.create(&holder, lookup("10.00")).await.id;
    let kept = process.create(&holder, lookup("11.00")).await.id;
    let mut of_erased = process.follow(&world, erased).await;
    let mut of_kept = process.follow(&world, kept).await;
    assert_eq!(state(&mut of_erased), LookupState::Queued);
    assert_eq!(state(&mut of_kept), LookupState::Queued);
    other.remove(&holder, erased).await.unwrap();
    other.remove(&holder, erased).await.unwrap();
    world.pass(Duration::from_millis(400)).await;
    let told = of_erased.recv().await.unwrap();
    assert!(matches!(told, Err(PersonLookupError::NotFound)));
    process.store.faults().inject_into("lookup", Fault::Fails);
    world.pass(Duration::from_millis(400)).await;
    let told = of_kept.recv().await.unwrap();
    assert!(matches!(told, Err(PersonLookupError::Store(_))));
}
