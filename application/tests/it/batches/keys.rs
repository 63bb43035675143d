//! Keys that are revoked or rotated while their batches run.

use domain::batch::{BatchId, BatchState};
use domain::key::Grace;
use domain::lookup::LookupState;
use domain::outcome::Outcome;
use ports::inbound::{KeyAdministration as _, RequestedScope};

use super::rows::{NOT_ISSUED, payment, query, ready, rows};
use super::steps::{Process, World, seconds, start};
use crate::support::fixture::Holder;
use crate::support::{Elsewhere as _, operator};

impl World {
    async fn revoke(&self, holder: &Holder) {
        let keys = &self.base.keys;
        let revoked = keys
            .revoke(&operator(), RequestedScope::Own, holder.id)
            .await;
        revoked.unwrap();
    }

    async fn rotate(&self, holder: &Holder, grace: Grace) -> Holder {
        let rotated = self.base.keys.rotate(&operator(), holder.id, grace).await;
        let rotated = rotated.unwrap().new;
        Holder {
            id: rotated.key.key.id,
            secret: rotated.secret,
        }
    }

    /// Feeds for some seconds.
    async fn feed_for(&self, process: &Process, time: u64) {
        for _ in 0..time {
            process.feed().await;
            self.pass(seconds(1)).await;
        }
    }
}

impl Process {
    /// Rows of a batch whose lookups were charged to this key.
    async fn charged_to(&self, holder: &Holder, id: BatchId) -> usize {
        let lookups = self.lookups_of(id).await.into_iter();
        lookups
            .filter(|lookup| lookup.facts.key.id == holder.id)
            .count()
    }
}

#[tokio::test]
async fn the_batch_of_a_revoked_key_is_canceled() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, ready(5)).await;
    world.revoke(&holder).await;
    process.feed().await;
    assert_eq!(process.state(id).await, BatchState::Canceled);
    assert!(process.begun(id).await.is_empty());
    assert_eq!(world.stored_use(&holder).await, 0);
}

#[tokio::test]
async fn a_revocation_ends_a_batch_that_is_worked_on_and_its_lookups() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, ready(600)).await;
    process.feed().await;
    assert_eq!(world.stored_use(&holder).await, 200);
    world.revoke(&holder).await;
    // Rows end, so that there is room for others.
    process.work().await;
    world.feed_for(&process, 5).await;
    assert_eq!(process.state(id).await, BatchState::Canceled);
    assert!(!process.is_feeding());
    let lookups = process.lookups_of(id).await;
    assert!(lookups.iter().all(|lookup| lookup.state.is_final()));
    assert_eq!(world.bank.times_asked(), 200);
}

#[tokio::test]
async fn rows_that_nobody_began_are_refunded_when_the_key_is_revoked() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, ready(600)).await;
    process.feed().await;
    process.die();
    world.revoke(&holder).await;
    world.pass(seconds(30)).await;
    process.feed().await;
    assert_eq!(process.state(id).await, BatchState::Canceled);
    assert_eq!(world.stored_use(&holder).await, 0);
    let written = world.base.written.requests();
    assert_eq!(
        written.len(),
        200,
        "the ends of requests aren't written down"
    );
    assert!(
        written
            .iter()
            .all(|entry| entry.outcome == Outcome::Canceled)
    );
}

#[tokio::test]
async fn a_resting_batch_of_a_revoked_key_is_canceled() {
    let (world, process, holder) = start().await;
    let id = process
        .create(&holder, rows([payment(0), query(NOT_ISSUED)]))
        .await;
    world.feed_for(&process, 1).await;
    process.work().await;
    world.feed_for(&process, 2).await;
    world.revoke(&holder).await;
    world.feed_for(&process, 31).await;
    assert_eq!(process.state(id).await, BatchState::Canceled);
    let states: Vec<_> = process.lookups_of(id).await;
    let states: Vec<_> = states.iter().map(|lookup| lookup.state).collect();
    assert_eq!(states, [LookupState::Delivered, LookupState::Canceled]);
    assert_eq!(world.stored_use(&holder).await, 2);
}

#[tokio::test]
async fn a_revocation_that_the_limiter_has_not_heard_of_is_seen_at_the_next_claim() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, ready(5)).await;
    world.base.data.revoke_key(holder.id).await;
    process.feed().await;
    assert_eq!(process.state(id).await, BatchState::Canceled);
}

#[tokio::test]
async fn rows_are_charged_to_the_successor_of_a_rotated_key() {
    let (world, process, old) = start().await;
    let id = process.create(&old, ready(600)).await;
    process.feed().await;
    world.pass(seconds(1)).await;
    let new = world.rotate(&old, Grace::from_hours(0).unwrap()).await;
    world.until(&process, id, BatchState::Finished).await;
    let of_old = process.charged_to(&old, id).await;
    assert_eq!((of_old, process.charged_to(&new, id).await), (200, 400));
    world.charged(&new, 600).await;
    assert_eq!(process.begun(id).await, (0..600).collect::<Vec<_>>());
    let view = process.view(&new, id).await;
    assert_eq!((view.key, view.state), (old.id, BatchState::Finished));
}

#[tokio::test]
async fn a_batch_outlives_the_grace_of_its_key() {
    let (world, process, old) = start().await;
    let id = process.create(&old, ready(5)).await;
    world.pass(seconds(1)).await;
    let new = world.rotate(&old, Grace::from_hours(1).unwrap()).await;
    world.until(&process, id, BatchState::Finished).await;
    let of_old = process.charged_to(&old, id).await;
    assert_eq!((of_old, process.charged_to(&new, id).await), (0, 5));
    world.charged(&new, 5).await;
}
