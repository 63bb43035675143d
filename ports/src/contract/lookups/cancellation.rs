//! Cancellation by a caller, and of what no key is left for.

use super::*;

async fn cancel(stores: &Stores, new: &NewLookup) -> Cancellation {
    stores.cancels(new.facts.customer, new).await
}

fn canceled(before: StoredLookup) -> StoredLookup {
    StoredLookup {
        state: LookupState::Canceled,
        updated_at: minutes(1),
        due_at: None,
        ..before
    }
}

pub(super) async fn open_lookups_are_canceled_with_their_leases(Pair { here, elsewhere }: Pair) {
    let [waiting, running, queued] = [1, 2, 3].map(lookup);
    here.tried(&waiting, wait(minutes(1))).await;
    here.running(&running).await;
    here.add_lookups(std::slice::from_ref(&queued)).await;
    for (new, attempts) in [(waiting, 1), (running, 0), (queued, 0)] {
        let expected = canceled(here.kept(&new).await);
        assert_eq!(expected.attempts, attempts);
        let answer = cancel(&elsewhere, &new).await;
        assert_eq!(answer, Cancellation::Canceled(Box::new(expected.clone())));
        assert!(!ok(here.lookups.renew_lease(new.facts.id, lease(1))).await);
        assert!(!here.ends(new.facts.id, 1, soon(), failed()).await);
        assert_eq!(here.kept(&new).await, expected);
        assert_eq!(here.attempts_of(&new).await.len(), attempts as usize);
    }
    assert_eq!(here.claim_at(9, minutes(9), lease(2)).await, []);
}

pub(super) async fn what_is_final_or_anothers_is_not_canceled(Pair { here, .. }: Pair) {
    here.tried(&lookup(1), failed()).await;
    here.add_lookups(&[lookup(2)]).await;
    let before = here.kept(&lookup(1)).await;
    assert_eq!(cancel(&here, &lookup(1)).await, Cancellation::Final);
    assert_eq!(cancel(&here, &lookup(3)).await, Cancellation::Unknown);
    let foreign = here.cancels(other().id, &lookup(2)).await;
    assert_eq!(foreign, Cancellation::Unknown);
    assert_eq!(here.kept(&lookup(1)).await, before);
    assert_eq!(here.kept(&lookup(2)).await, queued(&lookup(2)));
}

/// Cancels orphans; returns their ids in order.
async fn cancel_orphans(stores: &Stores, most: u32) -> Vec<LookupId> {
    let mut orphaned = ok(stores.lookups.cancel_orphaned(most, minutes(1))).await;
    orphaned.sort_by_key(|lookup| lookup.facts.id);
    for lookup in &orphaned {
        assert_eq!(*lookup, canceled(lookup.clone()));
    }
    orphaned.iter().map(|lookup| lookup.facts.id).collect()
}

pub(super) async fn open_lookups_of_a_revoked_key_are_canceled(Pair { here, elsewhere }: Pair) {
    let (kept, revoked) = (here.added(1).await, here.added(2).await);
    let ended = lookup_of(&revoked, 4);
    here.tried(&ended, failed()).await;
    let lookups = [(&kept, 1), (&revoked, 2), (&revoked, 3)];
    let lookups = lookups.map(|(key, number)| lookup_of(key, number));
    here.add_lookups(&lookups).await;
    // One of each key is running.
    here.claim(2, lease(2)).await;
    assert_eq!(cancel_orphans(&here, 100).await, []);
    here.changed(revoked.id, KeyChange::Revoke, 9).await;
    assert_eq!(cancel_orphans(&elsewhere, 100).await, [id(2), id(3)]);
    assert_eq!(cancel_orphans(&here, 100).await, []);
    for (new, state) in [
        (&lookups[0], LookupState::Running),
        (&lookups[1], LookupState::Canceled),
        (&lookups[2], LookupState::Canceled),
        (&ended, LookupState::Failed),
    ] {
        assert_eq!(here.kept(new).await.state, state);
    }
    assert!(!here.ends(id(2), 2, soon(), failed()).await);
}

pub(super) async fn lookups_of_a_rotated_key_go_on(Pair { here, .. }: Pair) {
    let old = here.added(1).await;
    here.add_lookups(&[lookup_of(&old, 1)]).await;
    // The old key is revoked at once.
    let yesterday = soon() - TimeDelta::days(1);
    let new = rotated(&here, old.id, 2, yesterday).await.new;
    assert!(here.found(old.id).await.revoked_at.is_some());
    here.add_lookups(&[lookup_of(&new, 2)]).await;
    assert_eq!(cancel_orphans(&here, 100).await, []);
    here.changed(new.id, KeyChange::Revoke, 9).await;
    assert_eq!(cancel_orphans(&here, 100).await, [id(1), id(2)]);
}

pub(super) async fn no_more_orphans_are_canceled_at_once_than_wanted(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    here.add_lookups(&[1, 2, 3, 4, 5].map(lookup)).await;
    here.changed(key.id, KeyChange::Revoke, 9).await;
    let mut canceled = Vec::new();
    for expected in [2, 2, 1, 0] {
        let some = cancel_orphans(&here, 2).await;
        assert_eq!(some.len(), expected);
        canceled.extend(some);
    }
    canceled.sort_unstable();
    assert_eq!(canceled, [1, 2, 3, 4, 5].map(id));
}
