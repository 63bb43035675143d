//! Changes of a key, and fields that stay.

use super::*;

pub(super) async fn a_name_is_the_last_one_given(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    let unchanged = here.added(2).await;
    for (number, new) in (3..).zip(["Caja 4", "100 % «ñandú» \\_' 🔑"]) {
        let renamed = here
            .changed(key.id, KeyChange::Rename(name(new)), number)
            .await;
        let expected = ApiKey {
            name: name(new),
            ..key.clone()
        };
        assert_eq!(renamed, expected);
        assert_eq!(here.found(key.id).await, expected);
    }
    assert_eq!(here.found(unchanged.id).await, unchanged);
}

pub(super) async fn limits_are_the_last_ones_set(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    let unchanged = here.added(2).await;
    let largest = Some(domain::limits::MAX_MONTHLY_QUOTA);
    for (number, new) in (3..).zip([limits(600, None), limits(1, largest)]) {
        let change = KeyChange::SetLimits(new.into());
        let answer = here.changed(key.id, change, number).await;
        let expected = ApiKey {
            limits: new,
            ..key.clone()
        };
        assert_eq!(answer, expected);
        assert_eq!(here.found(key.id).await, answer);
        assert_eq!(here.state(key.id).await.limits, new);
    }
    assert_eq!(here.found(unchanged.id).await, unchanged);
}

pub(super) async fn changing_one_limit_leaves_the_other(Pair { here, .. }: Pair) {
    let key = here.added(1).await.id;
    let changes = [
        (per_minute(7), limits(7, Some(1_000))),
        (monthly_quota(Some(50)), limits(7, Some(50))),
        (monthly_quota(None), limits(7, None)),
        (per_minute(8), limits(8, None)),
    ];
    for (number, (change, expected)) in (2..).zip(changes) {
        let change = KeyChange::SetLimits(change);
        let answer = here.changed(key, change, number).await;
        assert_eq!(answer.limits, expected);
        assert_eq!(here.state(key).await.limits, expected);
    }
}

pub(super) async fn limits_changed_at_the_same_time_are_both_changed(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let key = here.added(1).await.id;
    for number in 2..=21_u16 {
        let minute = KeyChange::SetLimits(per_minute(number.into()));
        let month = KeyChange::SetLimits(monthly_quota(Some(number.into())));
        let (one, other) = futures::join!(
            here.change(key, minute, number),
            elsewhere.change(key, month, 100 + number),
        );
        one.expect("the key is changed");
        other.expect("the key is changed");
        let both = limits(number.into(), Some(number.into()));
        assert_eq!(here.state(key).await.limits, both);
    }
}

pub(super) async fn a_revoked_key_stays_revoked_as_it_was(Pair { here, elsewhere }: Pair) {
    let key = here.added(1).await;
    let revoked = here.changed(key.id, KeyChange::Revoke, 2).await;
    assert_eq!(revoked.revoked_at, Some(act(2).at));
    let before = (here.newest_change().await, here.state(key.id).await);
    assert!(before.1.revoked);
    for stores in [&here, &elsewhere] {
        let again = stores.change(key.id, KeyChange::Revoke, 3).await;
        assert_eq!(again.expect("revoking again is no error"), revoked);
        let after = (stores.newest_change().await, stores.state(key.id).await);
        assert_eq!(after, before, "nothing changed");
    }
    let limited = KeyChange::SetLimits(limits(5, None).into());
    let limited = here.changed(key.id, limited, 4).await;
    let revoked_at = Some(act(2).at);
    assert_eq!(limited.revoked_at, revoked_at, "new limits revive no key");
    assert!(here.state(key.id).await.revoked);
}

pub(super) async fn a_revoked_key_can_still_be_verified(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    here.changed(key.id, KeyChange::Revoke, 2).await;
    let credential = ok(here.keys.credential(&key.prefix)).await;
    assert_eq!(credential, Some(record(1).credential));
    let all = listed(&here, Scope::Everybody, &everything()).await;
    assert_eq!(all.len(), 1);
}

pub(super) async fn an_unknown_key_is_not_changed(Pair { here, .. }: Pair) {
    let KeyRecord { key, .. } = record(1);
    for change in [
        KeyChange::Revoke,
        KeyChange::Rename(name("otra")),
        KeyChange::SetLimits(limits(1, None).into()),
    ] {
        let changed = here.change(key.id, change, 2).await;
        assert!(matches!(changed, Err(UpdateError::NotFound)), "{changed:?}");
    }
    assert_eq!(here.newest_change().await, ChangeNumber(0));
}

pub(super) async fn changes_of_one_process_are_seen_by_another(Pair { here, elsewhere }: Pair) {
    let key = here.added(1).await;
    let added = here.newest_change().await;
    assert_eq!(elsewhere.found(key.id).await, key);
    let revoked = elsewhere.changed(key.id, KeyChange::Revoke, 2).await;
    assert_eq!(here.found(key.id).await, revoked);
    assert_eq!(here.newest_change().await, elsewhere.newest_change().await);
    let seen = here.changes(added).await;
    assert_eq!(seen, elsewhere.changes(added).await);
    assert_eq!(keys_of(&seen), [key.id]);
}
