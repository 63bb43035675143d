//! Scopes: another customer's keys don't exist.

use super::rotation::{rotate_within_plan, successor_of};
use super::*;

/// Two customers with a key each.
async fn neighbours(stores: &Stores) -> [(Customer, ApiKey); 2] {
    let (one, two) = (stores.enrolled(1).await, stores.enrolled(2).await);
    let first = stores.insert(record_of(&one, 1), 1).await;
    let second = stores.insert(record_of(&two, 2), 2).await;
    [(one, first), (two, second)]
}

pub(super) async fn a_customer_finds_and_lists_its_own_keys_alone(Pair { here, .. }: Pair) {
    let [(one, first), (two, second)] = neighbours(&here).await;
    let found = async |customer: CustomerId, key: &ApiKey| {
        let found = ok(here.keys.find(Scope::Of(customer), key.id, month())).await;
        found.map(|found| found.key)
    };
    for (customer, own, anothers) in [(one.id, &first, &second), (two.id, &second, &first)] {
        assert_eq!(found(customer, own).await.as_ref(), Some(own));
        assert_eq!(found(customer, anothers).await, None);
        let all = listed(&here, Scope::Of(customer), &everything()).await;
        assert_eq!(all, std::slice::from_ref(own));
        let all = of_customer(&here, customer, RevokedKeys::Included).await;
        assert_eq!(all, std::slice::from_ref(own));
    }
    let nobody = customer(3).id;
    assert_eq!(found(nobody, &first).await, None);
    let nobodys = listed(&here, Scope::Of(nobody), &everything()).await;
    assert_eq!(nobodys, []);
}

pub(super) async fn unknown_and_foreign_keys_are_not_changed_or_rotated(Pair { here, .. }: Pair) {
    let [(one, first), (two, second)] = neighbours(&here).await;
    let before = here.contents().await;
    assert_eq!(before.0, [first.clone(), second.clone()]);
    let unknown = record(9).key.id;
    let rotate = async |scope, id, number| {
        let (successor, act) = (successor_of(&two, number), act(number));
        rotate_within_plan(&here, scope, id, &successor, instant(100), &act).await
    };
    for (scope, id) in [(Scope::Of(one.id), second.id), (Scope::Everybody, unknown)] {
        for change in [
            KeyChange::Rename(name("otra")),
            KeyChange::SetLimits(limits(1, None).into()),
            KeyChange::Revoke,
        ] {
            let refused = here.keys.change(scope, id, &change, &act(3)).await;
            assert!(matches!(refused, Err(UpdateError::NotFound)), "{refused:?}");
        }
        let refused = rotate(scope, id, 3).await;
        assert!(matches!(refused, Err(RotateError::NotFound)), "{refused:?}");
    }
    assert_eq!(here.contents().await, before);

    let (own, revoke) = (Scope::Of(one.id), KeyChange::Revoke);
    let own = here.keys.change(own, first.id, &revoke, &act(4)).await;
    assert_eq!(own.expect("its own key").revoked_at, Some(act(4).at));
    let rotation = rotate(Scope::Everybody, second.id, 5).await;
    let new = rotation.expect("anybody's key is rotated").new;
    assert_eq!((new.customer, new.owner), (two.id, two.owner));
}
