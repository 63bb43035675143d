//! Leases: one process at a time makes lookups of a batch's rows, and another goes on when it dies.

use std::num::NonZeroU32;
use std::sync::Arc;

use application::{FallbackLimiter, GatekeeperService, ReplicaCount};
use chrono::TimeDelta;
use ports::outbound::Lease;
use testkit::fakes::{CountingRandom, FaultyLimiter};
use uuid::Uuid;

use super::*;
use crate::support::hasher;

impl World {
    /// Takes the lease of each batch that is due, as a process does that hears of a lost one.
    async fn take_leases(&self) -> usize {
        let now = self.base.clock.now();
        let lease = Lease {
            token: Uuid::from_u128(7),
            until: now + TimeDelta::seconds(30),
        };
        let claimed = self.base.data.claim_batches(9, now, lease).await;
        claimed.unwrap().len()
    }
}

#[tokio::test]
async fn a_batch_that_is_worked_on_is_left_alone() {
    let (world, process, other, holder) = start_two().await;
    process.create(&holder, ready(600)).await;
    assert_eq!(process.feed().await, 1);
    for _ in 0..60 {
        assert_eq!(other.feed().await, 0, "the lease was lost");
        world.pass(seconds(1)).await;
    }
    assert!(process.is_feeding());
}

#[tokio::test]
async fn another_process_goes_on_thirty_seconds_after_one_died() {
    let (world, process, other, holder) = start_two().await;
    let id = process.create(&holder, ready(600)).await;
    process.feed().await;
    let begun = process.begun(id).await.len() as u64;
    assert!((1..600).contains(&begun));
    process.die();
    settle().await;
    other.work().await;
    world.pass(seconds(29)).await;
    assert_eq!(other.feed().await, 0);
    world.charged(&holder, begun).await;
    world.pass(seconds(1)).await;
    assert_eq!(other.feed().await, 1);
    world.until(&other, id, Finished).await;
    assert_eq!(other.begun(id).await, (0..600).collect::<Vec<_>>());
    world.charged(&holder, 600).await;
    assert_eq!(world.bank.times_asked(), 600);
}

#[tokio::test]
async fn a_process_that_dies_before_it_stores_charged_rows_loses_none() {
    let (world, process, other, holder) = start_two().await;
    let id = process.create(&holder, ready(50)).await;
    process.faults().inject_into("feed_batch", Fault::Hangs);
    process.feed().await;
    process.die();
    settle().await;
    world.pass(seconds(30)).await;
    world.until(&other, id, Finished).await;
    assert_eq!(other.begun(id).await, (0..50).collect::<Vec<_>>());
    assert_eq!(world.stored_use(&holder).await, 50);
}

#[tokio::test]
async fn charges_are_given_back_when_the_lease_is_lost_before_the_rows_are_stored() {
    let (world, process, other, holder) = start_two().await;
    let id = process.create(&holder, ready(50)).await;
    process.faults().inject_into("feed_batch", Fault::Hangs);
    process.feed().await;
    assert_eq!(world.counted(&holder).await, 50);
    world.pass(seconds(30)).await;
    assert_eq!(other.feed().await, 1);
    assert_eq!(world.counted(&holder).await, 100);
    process.faults().clear();
    settle().await;
    assert!(!process.is_feeding());
    world.charged(&holder, 50).await;
    world.until(&other, id, Finished).await;
    world.charged(&holder, 50).await;
    assert_eq!(other.begun(id).await, (0..50).collect::<Vec<_>>());
}

#[tokio::test]
async fn charges_that_the_limiter_wrote_are_counted_once_and_given_back() {
    let (mut world, _, holder) = start().await;
    // While the shared limiter is down, each charge of a month is written into the store at once.
    let base = &world.base;
    let shared = Arc::new(FaultyLimiter::new(base.clock.clone()));
    shared.faults().inject(Fault::Fails);
    let limiter = FallbackLimiter::new(
        shared,
        base.limiter.in_process().clone(),
        Arc::new(base.data.elsewhere()),
        base.clock.clone(),
        Arc::new(ReplicaCount::new(NonZeroU32::MIN)),
    );
    world.base.gatekeeper = Arc::new(GatekeeperService::new(
        base.store.clone(),
        Arc::new(limiter),
        base.journal.clone(),
        base.clock.clone(),
        Arc::<CountingRandom>::default(),
        hasher(),
        Arc::default(),
    ));
    let process = world.process(secrets(&[1]));
    let id = process.create(&holder, ready(50)).await;
    let faults = process.faults();
    faults.inject_into("feed_batch", Fault::Fails);
    process.feed().await;
    world.charged(&holder, 0).await;
    faults.clear();
    world.until(&process, id, Finished).await;
    world.charged(&holder, 50).await;
}

#[tokio::test]
async fn a_process_that_lost_its_lease_stops() {
    let (world, process, _holder, id) = start_batch(ready(600)).await;
    process.feed().await;
    process.faults().inject_into("renew_batch", Fault::Hangs);
    world.pass(seconds(30)).await;
    assert_eq!(world.take_leases().await, 1);
    let begun = process.begun(id).await;
    process.faults().clear();
    settle().await;
    assert!(!process.is_feeding());
    process.work().await;
    world.pass(seconds(5)).await;
    assert_eq!(process.feed().await, 0);
    assert_eq!(process.begun(id).await, begun);
}

#[tokio::test]
async fn a_panic_frees_the_place_of_a_batch() {
    let (world, process, holder, id) = start_batch(ready(2)).await;
    process.faults().inject_into("renew_batch", Fault::Panics);
    for _ in 0..40 {
        assert_eq!(process.feed().await, 1);
        world.pass(seconds(30)).await;
    }
    process.faults().clear();
    world.until(&process, id, Finished).await;
    world.charged(&holder, 2).await;
}

#[tokio::test]
async fn two_processes_share_batches_and_charge_each_row_once() {
    let (world, process, other, holder) = start_two().await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(process.create(&holder, ready(120)).await);
    }
    for _ in 0..20 {
        let (one, two) = (&process, &other);
        tokio::join!(one.feed(), two.feed());
        tokio::join!(one.work(), two.work());
        world.pass(seconds(1)).await;
    }
    for id in ids {
        assert_eq!(process.state(id).await, Finished);
    }
    world.charged(&holder, 600).await;
}
