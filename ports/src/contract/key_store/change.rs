//! Changes of a key, and fields that stay.

use super::*;

pub(super) async fn each_change_sets_its_fields_and_writes_an_entry(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let mut key = here.added(1).await;
    let unchanged = here.added(2).await;
    let rename = |text| (KeyChange::Rename(name(text)), None);
    let set = |change: LimitsChange, expected| (KeyChange::SetLimits(change), Some(expected));
    let largest = limits(1, Some(domain::limits::MAX_MONTHLY_QUOTA));
    let steps = [
        rename("Caja 4"),
        rename("100 % «ñandú» \\_' 🔑"),
        set(limits(600, None).into(), limits(600, None)),
        set(largest.into(), largest),
        set(limits(60, Some(1_000)).into(), limits(60, Some(1_000))),
        set(per_minute(7), limits(7, Some(1_000))),
        set(monthly_quota(Some(50)), limits(7, Some(50))),
        set(monthly_quota(None), limits(7, None)),
        set(per_minute(8), limits(8, None)),
    ];
    for (number, (change, new_limits)) in (3..).zip(steps) {
        let (newest, state) = (here.newest_change().await, here.state(key.id).await);
        let answer = here.changed(key.id, change.clone(), number).await;
        let mut expected = key.clone();
        let action = if let KeyChange::Rename(name) = change {
            expected.name = name;
            Action::KeyRenamed
        } else {
            expected.limits = new_limits.expect("limits of the suite");
            Action::LimitsSet
        };
        assert_eq!(answer, expected);
        assert_eq!(elsewhere.found(key.id).await, expected);
        let written = elsewhere.written_about(key.id).await;
        let changes = difference(&key, &expected);
        assert_eq!(written[0], entry(act(number), action, &key, changes));
        // Other processes are told of a state, which a name is no part of.
        let after = elsewhere.state(key.id).await;
        assert_eq!(after.limits, expected.limits);
        assert_eq!(after.version > state.version, new_limits.is_some());
        let told = elsewhere.newest_change().await > newest;
        assert_eq!(told, new_limits.is_some());
        key = expected;
    }
    assert_eq!(here.written(&AuditFilter::default()).await.len(), 11);
    assert_eq!(here.found(unchanged.id).await, unchanged);
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

pub(super) async fn a_revoked_key_stays_revoked_and_can_still_be_verified(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let key = here.added(1).await;
    let version = here.state(key.id).await.version;
    let revoked = here.changed(key.id, KeyChange::Revoke, 2).await;
    let expected = ApiKey {
        revoked_at: Some(act(2).at),
        ..key.clone()
    };
    assert_eq!(revoked, expected);
    let changes = difference(&key, &revoked);
    let written = here.written_about(key.id).await;
    assert_eq!(written[0], entry(act(2), Action::KeyRevoked, &key, changes));
    let state = here.state(key.id).await;
    assert!(state.revoked && state.version > version, "{state:?}");
    let before = here.contents().await;
    assert_eq!(before.0, std::slice::from_ref(&revoked));
    for stores in [&here, &elsewhere] {
        for idle in [
            KeyChange::Revoke,
            KeyChange::Rename(key.name.clone()),
            KeyChange::SetLimits(key.limits.into()),
        ] {
            assert_eq!(stores.changed(key.id, idle, 3).await, revoked);
            assert_eq!(stores.contents().await, before, "nothing changed");
            assert_eq!(stores.state(key.id).await, state);
        }
        let credential = ok(stores.keys.credential(&key.prefix)).await;
        assert_eq!(credential, Some(record(1).credential));
    }
    let limited = here.changed(key.id, to(5), 4).await;
    let revoked_at = Some(act(2).at);
    assert_eq!(limited.revoked_at, revoked_at, "new limits revive no key");
    assert!(here.state(key.id).await.revoked);
}
