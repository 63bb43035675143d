//! Cancellation, by the caller or because the key was revoked.

use super::*;

#[tokio::test]
async fn a_lookup_is_canceled_first_and_erased_afterwards() {
    let (world, process, holder, id) = start_queued("10.00").await;
    let RemovedLookup::Canceled(canceled) = process.remove(&holder, id).await.unwrap() else {
        panic!("it was erased");
    };
    assert_eq!((canceled.id, canceled.state), (id, Canceled));
    assert!(canceled.erase_at.is_some() && canceled.next_attempt_at.is_none());
    assert_eq!(process.state(&holder, id).await, Canceled);
    assert_eq!(process.work().await, 0);
    assert_eq!(world.outcomes(), [Outcome::Canceled]);
    assert_eq!(world.charges(&holder).await, (1, 0));
    let erased = process.remove(&holder, id).await.unwrap();
    assert!(matches!(erased, RemovedLookup::Erased));
    let again = process.remove(&holder, id).await;
    assert!(matches!(again, Err(LookupError::Unknown)));
    assert!(world.all_stored(&holder).await.is_empty());
    assert_eq!(world.outcomes(), [Outcome::Canceled]);
}

#[tokio::test]
async fn a_lookup_that_is_canceled_during_an_attempt_is_not_delivered() {
    for learns_before in [false, true] {
        let (world, process, holder) = start().await;
        world.bank.hold();
        let id = process.queue(&holder, "10.00").await;
        process.work().await;
        process.remove(&holder, id).await.unwrap();
        if learns_before {
            world.pass(seconds(10)).await;
        }
        world.release_bank().await;
        let found = process.view(&holder, id).await;
        assert_eq!(found.state, Canceled);
        assert!(found.delivery.is_none());
        assert_eq!(world.outcomes(), [Outcome::Canceled]);
        assert_eq!(world.charges(&holder).await, (1, 0));
        assert_eq!(world.counted(&holder).await, 1);
    }
}

#[tokio::test]
async fn the_lookups_of_a_revoked_key_are_canceled_and_not_those_of_a_rotated_one() {
    let (world, process, revoked) = start().await;
    let rotated = world.holder(&operator(), Environment::Test).await;
    let untouched = world.holder(&operator(), Environment::Test).await;
    let mut ids = Vec::new();
    for holder in [&revoked, &rotated, &untouched] {
        ids.push(process.queue(holder, "10.00").await);
    }
    world.base.revoke(&revoked).await;
    world.base.rotate(&rotated, 0).await;
    assert_eq!(process.lookups.cancel_orphaned().await.unwrap(), 1);
    for (id, state) in ids.iter().zip([Canceled, Queued, Queued]) {
        assert_eq!(process.state(&untouched, *id).await, state);
    }
    assert_eq!(world.outcomes(), [Outcome::Canceled]);
    assert_eq!(world.ended()[0].key, revoked.id);
    assert_eq!(process.lookups.cancel_orphaned().await.unwrap(), 0);
    process.work().await;
    assert_eq!(world.outcomes().len(), 3);
}
