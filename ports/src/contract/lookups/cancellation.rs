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

pub(super) async fn a_queued_lookup_is_canceled(Pair { here, elsewhere }: Pair) {
    here.add_lookups(&[lookup(1)]).await;
    let expected = canceled(queued(&lookup(1)));
    let answer = cancel(&here, &lookup(1)).await;
    assert_eq!(answer, Cancellation::Canceled(Box::new(expected.clone())));
    assert_eq!(elsewhere.kept(&lookup(1)).await, expected);
    assert_eq!(elsewhere.claim(1, lease(1)).await, []);
}

pub(super) async fn a_waiting_lookup_is_canceled(Pair { here, .. }: Pair) {
    here.tried(&lookup(1), wait(minutes(1))).await;
    let expected = canceled(here.kept(&lookup(1)).await);
    assert_eq!(expected.attempts, 1);
    let answer = cancel(&here, &lookup(1)).await;
    assert_eq!(answer, Cancellation::Canceled(Box::new(expected)));
    assert_eq!(here.claim_at(1, minutes(9), lease(2)).await, []);
}

pub(super) async fn who_works_on_a_canceled_lookup_has_lost_its_lease(
    Pair { here, elsewhere }: Pair,
) {
    here.running(&lookup(1)).await;
    let id = lookup(1).facts.id;
    let expected = canceled(here.kept(&lookup(1)).await);
    let answer = cancel(&elsewhere, &lookup(1)).await;
    assert_eq!(answer, Cancellation::Canceled(Box::new(expected.clone())));
    assert!(!ok(here.lookups.renew_lease(id, lease(1))).await);
    assert!(!here.ends(id, 1, soon(), failed()).await);
    assert_eq!(here.kept(&lookup(1)).await, expected);
    assert_eq!(here.attempts_of(&lookup(1)).await, []);
}

pub(super) async fn a_final_lookup_is_not_canceled(Pair { here, .. }: Pair) {
    here.tried(&lookup(1), failed()).await;
    let before = here.kept(&lookup(1)).await;
    assert_eq!(cancel(&here, &lookup(1)).await, Cancellation::Final);
    assert_eq!(here.kept(&lookup(1)).await, before);
}

pub(super) async fn nobody_cancels_what_is_not_theirs(Pair { here, .. }: Pair) {
    here.add_lookups(&[lookup(1)]).await;
    assert_eq!(cancel(&here, &lookup(2)).await, Cancellation::Unknown);
    let foreign = here.cancels(other().id, &lookup(1)).await;
    assert_eq!(foreign, Cancellation::Unknown);
    assert_eq!(here.kept(&lookup(1)).await, queued(&lookup(1)));
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

pub(super) async fn lookups_of_a_revoked_key_are_canceled(Pair { here, elsewhere }: Pair) {
    let (kept, revoked) = (here.added(1).await, here.added(2).await);
    let lookups = [(&kept, 1), (&revoked, 2), (&revoked, 3)];
    let lookups = lookups.map(|(key, number)| lookup_of(key, number));
    here.add_lookups(&lookups).await;
    // One of each key is running.
    here.claim(1, lease(1)).await;
    here.claim(1, lease(2)).await;
    assert_eq!(cancel_orphans(&here, 100).await, []);
    here.changed(revoked.id, KeyChange::Revoke, 9).await;
    let expected = [&lookups[1], &lookups[2]].map(|lookup| lookup.facts.id);
    assert_eq!(cancel_orphans(&elsewhere, 100).await, expected);
    assert_eq!(cancel_orphans(&here, 100).await, []);
    let canceled = LookupState::Canceled;
    let states = [LookupState::Running, canceled, canceled];
    for (lookup, state) in lookups.iter().zip(states) {
        assert_eq!(here.kept(lookup).await.state, state);
    }
    assert!(!here.ends(expected[0], 2, soon(), failed()).await);
}

pub(super) async fn lookups_of_a_rotated_key_go_on(Pair { here, .. }: Pair) {
    let old = here.added(1).await;
    here.add_lookups(&[lookup_of(&old, 1)]).await;
    // The old key is revoked at once.
    let yesterday = soon() - chrono::TimeDelta::days(1);
    let new = rotated(&here, old.id, 2, yesterday).await.new;
    assert!(here.found(old.id).await.revoked_at.is_some());
    here.add_lookups(&[lookup_of(&new, 2)]).await;
    assert_eq!(cancel_orphans(&here, 100).await, []);
    here.changed(new.id, KeyChange::Revoke, 9).await;
    let both = [1, 2].map(|number| lookup(number).facts.id);
    assert_eq!(cancel_orphans(&here, 100).await, both);
}

pub(super) async fn no_more_orphans_are_canceled_at_once_than_wanted(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    let lookups: Vec<_> = (1..=5).map(|number| lookup_of(&key, number)).collect();
    here.add_lookups(&lookups).await;
    here.changed(key.id, KeyChange::Revoke, 9).await;
    let mut canceled = Vec::new();
    for expected in [2, 2, 1, 0] {
        let some = cancel_orphans(&here, 2).await;
        assert_eq!(some.len(), expected);
        canceled.extend(some);
    }
    canceled.sort_unstable();
    let all: Vec<_> = lookups.iter().map(|lookup| lookup.facts.id).collect();
    assert_eq!(canceled, all);
}

pub(super) async fn final_lookups_of_a_revoked_key_stay(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    here.tried(&lookup(1), failed()).await;
    here.changed(key.id, KeyChange::Revoke, 9).await;
    assert_eq!(key.id, record(1).key.id);
    assert_eq!(cancel_orphans(&here, 100).await, []);
    assert_eq!(here.kept(&lookup(1)).await.state, LookupState::Failed);
}
