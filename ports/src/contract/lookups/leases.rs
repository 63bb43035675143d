//! Leases of claimed lookups.

use super::*;

async fn renew(stores: &Stores, lease: Lease) -> bool {
    ok(stores.lookups.renew_lease(lookup(1).facts.id, lease)).await
}

pub(super) async fn who_lost_its_lease_to_another_claim_changes_nothing(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    here.running(&lookup(1)).await;
    let second = lease_until(2, minutes(2));
    let early = minutes(1) - TimeDelta::milliseconds(1);
    assert_eq!(elsewhere.claim_at(1, early, second).await, []);
    let claimed = elsewhere.claim_at(1, minutes(1), second).await;
    assert_eq!(ids(&claimed), [id(1)]);
    let before = here.kept(&lookup(1)).await;
    let expected = (LookupState::Running, Some(second.until));
    assert_eq!((before.state, before.due_at), expected);
    for change in [wait(minutes(9)), failed(), deliver()] {
        assert!(!here.ends(id(1), 1, minutes(1), change).await);
    }
    assert!(!renew(&here, lease_until(1, minutes(9))).await);
    assert_eq!(here.kept(&lookup(1)).await, before);
    assert_eq!(here.attempts_of(&lookup(1)).await, []);
    assert!(here.ends(id(1), 2, minutes(1), failed()).await);
}

pub(super) async fn a_lease_holds_until_another_claim_after_its_last_end(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    here.running(&lookup(1)).await;
    assert!(renew(&here, lease_until(1, minutes(5))).await);
    assert_eq!(elsewhere.kept(&lookup(1)).await.due_at, Some(minutes(5)));
    let second = lease_until(2, minutes(9));
    assert_eq!(elsewhere.claim_at(1, minutes(4), second).await, []);
    assert_eq!(elsewhere.claim_at(1, minutes(5), second).await.len(), 1);
    assert!(!renew(&here, lease_until(1, minutes(10))).await);
    assert!(renew(&elsewhere, lease_until(2, minutes(10))).await);
    // It has ended, and nobody else has claimed the lookup.
    assert!(here.ends(id(1), 2, minutes(11), failed()).await);
}

pub(super) async fn nobody_holds_what_has_ended_or_waits(Pair { here, .. }: Pair) {
    here.add_lookups(&[lookup(1)]).await;
    let assert_unheld = async || {
        let before = here.kept(&lookup(1)).await;
        assert!(!renew(&here, lease(1)).await);
        assert!(!here.ends(id(1), 1, soon(), failed()).await);
        assert_eq!(here.kept(&lookup(1)).await, before);
    };
    assert_unheld().await;
    for change in [wait(soon()), failed()] {
        here.claim(1, lease(1)).await;
        assert!(here.ends(id(1), 1, soon(), change).await);
        assert_unheld().await;
    }
    assert_eq!(here.attempts_of(&lookup(1)).await.len(), 2);
}
