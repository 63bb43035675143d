//! Removal of lookups: by their customer, and by age.

use super::*;

async fn erase(stores: &Stores, of: CustomerId, new: &NewLookup) -> bool {
    ok(stores.lookups.erase_lookup(of, new.facts.id)).await
}

pub(super) async fn a_final_lookup_is_erased_with_its_attempts(Pair { here, elsewhere }: Pair) {
    let own = customer(1).id;
    here.tried(&lookup(1), deliver()).await;
    here.tried(&lookup(2), failed()).await;
    assert!(erase(&elsewhere, own, &lookup(1)).await);
    assert_eq!(here.stored(&lookup(1)).await, None);
    assert!(!erase(&here, own, &lookup(1)).await);
    assert_eq!(here.attempts_of(&lookup(2)).await.len(), 1);
    // Nothing is left for one with the same id.
    here.add_lookups(&[lookup(1)]).await;
    assert_eq!(here.kept(&lookup(1)).await, queued(&lookup(1)));
    assert_eq!(here.attempts_of(&lookup(1)).await, []);
}

pub(super) async fn open_and_foreign_lookups_are_not_removed(Pair { here, .. }: Pair) {
    let open = [1, 2, 3].map(lookup);
    here.tried(&lookup(4), failed()).await;
    here.tried(&lookup(1), wait(minutes(1))).await;
    here.running(&lookup(2)).await;
    here.add_lookups(&[lookup(3)]).await;
    assert!(!erase(&here, other().id, &lookup(4)).await);
    assert!(here.stored(&lookup(4)).await.is_some());
    assert!(!erase(&here, customer(1).id, &lookup(5)).await);
    for new in &open {
        assert!(!erase(&here, customer(1).id, new).await);
    }
    assert_eq!(ok(here.lookups.prune_lookups(minutes(1_000_000))).await, 1);
    for new in &open {
        assert!(here.stored(new).await.is_some());
    }
    assert_eq!(here.attempts_of(&lookup(1)).await.len(), 1);
}

pub(super) async fn lookups_are_removed_some_time_after_their_end(Pair { here, elsewhere }: Pair) {
    here.tried(&lookup(1), deliver()).await;
    here.tried(&lookup(2), failed()).await;
    here.add_lookups(&[lookup(3)]).await;
    here.cancels(customer(1).id, &lookup(3)).await;
    let prune = async |before| ok(elsewhere.lookups.prune_lookups(before)).await;
    assert_eq!(prune(soon()).await, 0);
    assert_eq!(prune(soon() + TimeDelta::milliseconds(1)).await, 2);
    for number in [1, 2] {
        assert_eq!(here.stored(&lookup(number)).await, None);
    }
    assert!(here.stored(&lookup(3)).await.is_some());
    assert_eq!(prune(minutes(2)).await, 1);
    // Their attempts are gone as well.
    here.add_lookups(&[lookup(1)]).await;
    assert_eq!(here.attempts_of(&lookup(1)).await, []);
}
