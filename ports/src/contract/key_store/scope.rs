//! Scopes: another customer's keys don't exist.

use super::rotation::{rotate_within_plan, successor, successor_of};
use super::*;

/// Two customers with a key each.
async fn neighbours(stores: &Stores) -> [(Customer, ApiKey); 2] {
    let (one, two) = (stores.enrolled(1).await, stores.enrolled(2).await);
    let first = stores.insert(record_of(&one, 1), 1).await;
    let second = stores.insert(record_of(&two, 2), 2).await;
    [(one, first), (two, second)]
}

pub(super) async fn another_customers_key_is_not_found(Pair { here, .. }: Pair) {
    let [(one, first), (two, second)] = neighbours(&here).await;
    let found = async |customer: &Customer, key: &ApiKey| {
        let found = ok(here.keys.find(Scope::Of(customer.id), key.id, month())).await;
        found.map(|found| found.key)
    };
    assert_eq!(found(&one, &first).await, Some(first.clone()));
    assert_eq!(found(&two, &second).await, Some(second.clone()));
    assert_eq!(found(&one, &second).await, None);
    assert_eq!(found(&two, &first).await, None);
    assert_eq!(found(&customer(3), &first).await, None);
}

pub(super) async fn another_customers_key_is_not_changed(Pair { here, .. }: Pair) {
    let [(one, first), (_, second)] = neighbours(&here).await;
    let before = here.newest_change().await;
    for change in [
        KeyChange::Rename(name("otra")),
        KeyChange::SetLimits(limits(1, None).into()),
        KeyChange::Revoke,
    ] {
        let scope = Scope::Of(one.id);
        let refused = here.keys.change(scope, second.id, &change, &act(3)).await;
        assert!(matches!(refused, Err(UpdateError::NotFound)), "{refused:?}");
        assert_eq!(here.found(second.id).await, second);
    }
    assert_eq!(here.newest_change().await, before);
    assert_eq!(here.written_about(second.id).await.len(), 1);

    let (own, revoke) = (Scope::Of(one.id), KeyChange::Revoke);
    let own = here.keys.change(own, first.id, &revoke, &act(4)).await;
    assert_eq!(own.expect("its own key").revoked_at, Some(act(4).at));
}

pub(super) async fn another_customers_key_is_not_rotated(Pair { here, .. }: Pair) {
    let [(one, _), (_, second)] = neighbours(&here).await;
    let (own, retires_at) = (Scope::Of(one.id), instant(100));
    let refused =
        rotate_within_plan(&here, own, second.id, &successor(3), retires_at, &act(3)).await;
    assert!(matches!(refused, Err(RotateError::NotFound)), "{refused:?}");
    assert_eq!(here.found(second.id).await, second);
    let all = listed(&here, Scope::Everybody, &everything()).await;
    assert_eq!(all.len(), 2);
}

pub(super) async fn a_list_of_one_customers_keys_holds_no_others(Pair { here, .. }: Pair) {
    let [(one, first), (two, second)] = neighbours(&here).await;
    for (customer, key) in [(&one, &first), (&two, &second)] {
        let listed = listed(&here, Scope::Of(customer.id), &everything()).await;
        assert_eq!(listed, std::slice::from_ref(key));
        let own = of_customer(&here, customer.id, RevokedKeys::Included).await;
        assert_eq!(own, std::slice::from_ref(key));
    }
    let nobodys = listed(&here, Scope::Of(customer(3).id), &everything()).await;
    assert_eq!(nobodys, []);
}

pub(super) async fn everybodys_scope_contains_every_key(Pair { here, .. }: Pair) {
    let [(_, first), (two, second)] = neighbours(&here).await;
    let all = listed(&here, Scope::Everybody, &everything()).await;
    assert_eq!(all, [first.clone(), second.clone()]);
    here.changed(first.id, KeyChange::Revoke, 3).await;
    let anothers = here.found(first.id).await;
    assert_eq!(anothers.revoked_at, Some(act(3).at));
    let (id, successor, retires_at) = (second.id, successor_of(&two, 4), instant(100));
    let rotation =
        rotate_within_plan(&here, Scope::Everybody, id, &successor, retires_at, &act(4)).await;
    let rotation = rotation.expect("anybody's key is rotated");
    let owner = (rotation.new.customer, rotation.new.owner);
    assert_eq!(owner, (two.id, two.owner));
}
