//! Keys that are revoked or rotated while their batches run.

use super::*;
use crate::support::Elsewhere as _;

/// Rows of a batch whose lookups were charged to this key.
async fn charged_to(process: &Process, holder: &Holder, id: BatchId) -> usize {
    let lookups = process.lookups_of(id).await.into_iter();
    let charged = lookups.filter(|lookup| lookup.facts.key.id == holder.id);
    charged.count()
}

#[tokio::test]
async fn a_revocation_ends_a_batch_that_is_worked_on_and_its_lookups() {
    let (world, process, holder, id) = start_batch(ready(600)).await;
    process.feed().await;
    assert_eq!(world.stored_use(&holder).await, 200);
    world.base.revoke(&holder).await;
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
    let (world, process, holder, id) = start_batch(ready(600)).await;
    process.feed().await;
    process.die();
    world.base.revoke(&holder).await;
    world.pass(seconds(30)).await;
    process.feed().await;
    assert_eq!(process.state(id).await, BatchState::Canceled);
    assert_eq!(world.stored_use(&holder).await, 0);
    assert_eq!(world.outcomes(), [Outcome::Canceled; 200]);
}

#[tokio::test]
async fn a_resting_batch_of_a_revoked_key_is_canceled() {
    let all = rows([payment(0), query(NOT_ISSUED)]);
    let (world, process, holder, id) = start_batch(all).await;
    world.feed_for(&process, 1).await;
    process.work().await;
    world.feed_for(&process, 2).await;
    world.base.revoke(&holder).await;
    world.feed_for(&process, 31).await;
    assert_eq!(process.state(id).await, BatchState::Canceled);
    let lookups = process.lookups_of(id).await.into_iter();
    let states: Vec<_> = lookups.map(|lookup| lookup.state).collect();
    assert_eq!(states, [LookupState::Delivered, LookupState::Canceled]);
    assert_eq!(world.stored_use(&holder).await, 2);
}

#[tokio::test]
async fn a_batch_is_canceled_whose_key_was_revoked_though_the_limiter_has_not_heard_of_it() {
    let (world, process, holder, id) = start_batch(ready(5)).await;
    world.base.data.revoke_key(holder.id).await;
    process.feed().await;
    assert_eq!(process.state(id).await, BatchState::Canceled);
    assert!(process.begun(id).await.is_empty());
    assert_eq!(world.stored_use(&holder).await, 0);
}

#[tokio::test]
async fn rows_are_charged_to_the_successor_of_a_rotated_key_in_its_grace_too() {
    for (grace, fed) in [(0, 200), (1, 0)] {
        let (world, process, old, id) = start_batch(ready(600)).await;
        if fed > 0 {
            process.feed().await;
        }
        world.pass(seconds(1)).await;
        let new = world.base.rotate(&old, grace).await;
        world.until(&process, id, Finished).await;
        let of_old = charged_to(&process, &old, id).await;
        let of_new = charged_to(&process, &new, id).await;
        assert_eq!((of_old, of_new), (fed, 600 - fed));
        world.charged(&new, 600).await;
        assert_eq!(process.begun(id).await, (0..600).collect::<Vec<_>>());
        let view = process.view(&new, id).await;
        assert_eq!((view.key, view.state), (old.id, Finished));
    }
}
