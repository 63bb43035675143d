//! Leases of claimed lookups.

use super::*;

async fn renew(stores: &Stores, lease: Lease) -> bool {
    ok(stores.lookups.renew_lease(lookup(1).facts.id, lease)).await
}

pub(super) async fn a_lookup_whose_lease_ended_is_claimed_again(Pair { here, elsewhere }: Pair) {
    here.running(&lookup(1)).await;
    let second = lease_until(2, minutes(2));
    let before = minutes(1) - chrono::TimeDelta::milliseconds(1);
    assert_eq!(elsewhere.claim_at(1, before, second).await, []);
    let claimed = elsewhere.claim_at(1, minutes(1), second).await;
    assert_eq!(ids(&claimed), [lookup(1).facts.id]);
    let kept = here.kept(&lookup(1)).await;
    assert_eq!(kept.state, LookupState::Running);
    assert_eq!(kept.due_at, Some(second.until));
}

pub(super) async fn who_lost_a_lease_changes_nothing(Pair { here, elsewhere }: Pair) {
    here.running(&lookup(1)).await;
    let second = lease_until(2, minutes(2));
    elsewhere.claim_at(1, minutes(1), second).await;
    let before = here.kept(&lookup(1)).await;
    let id = lookup(1).facts.id;
    for change in [wait(minutes(9)), failed(), deliver()] {
        assert!(!here.ends(id, 1, minutes(1), change).await);
    }
    assert!(!renew(&here, lease_until(1, minutes(9))).await);
    assert_eq!(here.kept(&lookup(1)).await, before);
    assert_eq!(here.attempts_of(&lookup(1)).await, []);
    assert!(here.ends(id, 2, minutes(1), failed()).await);
}

pub(super) async fn a_renewed_lease_holds_until_its_new_end(Pair { here, elsewhere }: Pair) {
    here.running(&lookup(1)).await;
    assert!(renew(&here, lease_until(1, minutes(5))).await);
    assert_eq!(elsewhere.kept(&lookup(1)).await.due_at, Some(minutes(5)));
    let second = lease_until(2, minutes(9));
    assert_eq!(elsewhere.claim_at(1, minutes(4), second).await, []);
    assert_eq!(elsewhere.claim_at(1, minutes(5), second).await.len(), 1);
    assert!(!renew(&here, lease_until(1, minutes(10))).await);
    assert!(renew(&elsewhere, lease_until(2, minutes(10))).await);
}

pub(super) async fn a_lease_that_ended_holds_until_another_one_takes_its_place(
    Pair { here, .. }: Pair,
) {
    here.running(&lookup(1)).await;
    assert!(renew(&here, lease_until(1, minutes(2))).await);
    assert!(here.ends(lookup(1).facts.id, 1, minutes(9), failed()).await);
}

pub(super) async fn nobody_holds_what_has_ended_or_waits(Pair { here, .. }: Pair) {
    here.add_lookups(&[lookup(1)]).await;
    let id = lookup(1).facts.id;
    let unclaimed = here.kept(&lookup(1)).await;
    assert!(!renew(&here, lease(1)).await);
    assert!(!here.ends(id, 1, soon(), failed()).await);
    assert_eq!(here.kept(&lookup(1)).await, unclaimed);
    here.claim(1, lease(1)).await;
    for change in [wait(soon()), failed()] {
        assert!(here.ends(id, 1, soon(), change).await);
        let after = here.kept(&lookup(1)).await;
        assert!(!renew(&here, lease(1)).await);
        assert!(!here.ends(id, 1, soon(), failed()).await);
        assert_eq!(here.kept(&lookup(1)).await, after);
        here.claim(1, lease(1)).await;
    }
    assert_eq!(here.attempts_of(&lookup(1)).await.len(), 2);
}
