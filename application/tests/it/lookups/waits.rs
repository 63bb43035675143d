//! Reads that wait for a change.

use std::time::Duration;

use domain::lookup::{LookupId, LookupState};
use futures::future::join_all;
use ports::inbound::{LookupError, LookupView, Lookups as _, Read};
use testkit::fakes::Fault;
use tokio::task::JoinHandle;

use super::steps::{Process, Settings, access, lookup, seconds, settle, start};
use crate::support::fixture::Holder;

pub(super) type Found = Result<Read<LookupView>, LookupError>;

impl Process {
    /// Begins a read that waits for 25 seconds.
    pub(super) async fn wait(&self, holder: &Holder, id: LookupId) -> JoinHandle<Found> {
        let (lookups, access) = (self.lookups.clone(), access(holder));
        let waiting = tokio::spawn(async move { lookups.find(access, id, seconds(25)).await });
        settle().await;
        assert!(!waiting.is_finished(), "it doesn't wait");
        waiting
    }
}

pub(super) async fn view(waiting: JoinHandle<Found>) -> LookupView {
    waiting.await.unwrap().unwrap().found
}

#[tokio::test]
async fn a_change_in_this_process_is_heard_at_once() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    world.bank.hold();
    let waiting = process.wait(&holder, id).await;
    process.work().await;
    assert_eq!(view(waiting).await.state, LookupState::Running);
    let waiting = process.wait(&holder, id).await;
    world.bank.release();
    let found = view(waiting).await;
    assert_eq!(found.state, LookupState::Delivered);
    assert!(found.delivery.is_some());
    assert_eq!(world.elapsed(), 0);
}

#[tokio::test]
async fn a_change_by_another_process_is_seen_within_400_milliseconds() {
    let (world, process, holder) = start().await;
    let other = world.process(Settings::default());
    let id = process.create(&holder, lookup("10.00")).await.id;
    let waiting = process.wait(&holder, id).await;
    other.work().await;
    settle().await;
    assert!(!waiting.is_finished());
    world.pass(Duration::from_millis(400)).await;
    assert!(waiting.is_finished());
    assert_eq!(view(waiting).await.state, LookupState::Delivered);
}

#[tokio::test]
async fn a_cancellation_is_heard_by_all_who_wait() {
    let (_world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    let waiting = [
        process.wait(&holder, id).await,
        process.wait(&holder, id).await,
    ];
    process.remove(&holder, id).await.unwrap();
    for found in join_all(waiting.map(view)).await {
        assert_eq!(found.state, LookupState::Canceled);
    }
}

#[tokio::test]
async fn a_read_waits_no_longer_than_told_and_reads_the_store_now_and_then() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    process.store.faults().forget_calls();
    let waiting = process.wait(&holder, id).await;
    for _ in 0..249 {
        world.pass(Duration::from_millis(100)).await;
    }
    assert!(!waiting.is_finished());
    world.pass(Duration::from_millis(100)).await;
    assert_eq!(view(waiting).await.state, LookupState::Queued);
    let reads = process.store.faults().calls()["lookup"];
    // Two at first, one each 400 ms, the last one when the time is over.
    assert_eq!(reads, 2 + 62 + 1);
}

#[tokio::test]
async fn a_final_lookup_is_not_waited_for() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    process.work().await;
    process.store.faults().forget_calls();
    let found = process.lookups.find(access(&holder), id, seconds(25)).await;
    assert_eq!(found.unwrap().found.state, LookupState::Delivered);
    assert_eq!(process.store.faults().calls()["lookup"], 1);
    assert_eq!(world.elapsed(), 0);
}

#[tokio::test]
async fn a_lookup_that_is_erased_meanwhile_is_unknown() {
    let (world, process, holder) = start().await;
    let other = world.process(Settings::default());
    let id = process.create(&holder, lookup("10.00")).await.id;
    let waiting = process.wait(&holder, id).await;
    other.remove(&holder, id).await.unwrap();
    other.remove(&holder, id).await.unwrap();
    world.pass(Duration::from_millis(400)).await;
    let found = waiting.await.unwrap();
    assert!(matches!(found, Err(LookupError::Unknown)));
}

#[tokio::test]
async fn a_store_that_fails_ends_the_wait() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    let waiting = process.wait(&holder, id).await;
    process.store.faults().inject_into("lookup", Fault::Fails);
    world.pass(Duration::from_millis(400)).await;
    let found = waiting.await.unwrap();
    assert!(matches!(found, Err(LookupError::Refused(_))));
}
