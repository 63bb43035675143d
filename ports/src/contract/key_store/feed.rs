//! The order in which keys change, as other processes follow it.

use futures::future::join_all;

use super::{KeyStoreUnderTest, added, changes, limits, newest, noon, state};
use crate::outbound::ChangeNumber;

pub(super) async fn a_version_grows_with_every_change(
    KeyStoreUnderTest { store, .. }: KeyStoreUnderTest,
) {
    let key = added(&store, 1).await;
    let mut versions = vec![state(&store, key.id).await.version];
    for _ in 0..2 {
        store
            .set_limits(key.id, limits(9, None).into())
            .await
            .expect("the key is changed");
        versions.push(state(&store, key.id).await.version);
    }
    store
        .revoke(key.id, noon())
        .await
        .expect("the key is revoked");
    versions.push(state(&store, key.id).await.version);
    assert!(
        versions.is_sorted_by(|one, next| one < next),
        "{versions:?}"
    );
}

pub(super) async fn changes_come_in_order_with_the_state_of_now(
    KeyStoreUnderTest { store, .. }: KeyStoreUnderTest,
) {
    let (one, two) = (added(&store, 1).await.id, added(&store, 2).await.id);
    store
        .set_limits(one, limits(7, None).into())
        .await
        .expect("the key is changed");
    let seen = newest(&store).await;
    store.revoke(two, noon()).await.expect("the key is revoked");
    store
        .set_limits(one, limits(8, None).into())
        .await
        .expect("the key is changed");

    let all = changes(&store, ChangeNumber(0)).await;
    assert_eq!(
        all.iter().map(|change| change.key).collect::<Vec<_>>(),
        [one, two, one]
    );
    assert!(
        all.is_sorted_by(|one, next| one.number < next.number),
        "{all:?}"
    );
    for change in &all {
        assert_eq!(change.state, state(&store, change.key).await);
    }
    assert_eq!(changes(&store, seen).await, all[1..]);
    assert_eq!(newest(&store).await, all[2].number);
    assert_eq!(changes(&store, all[2].number).await, []);
    assert_eq!(changes(&store, ChangeNumber(u64::MAX)).await, []);
}

pub(super) async fn adding_a_key_is_no_change(KeyStoreUnderTest { store, .. }: KeyStoreUnderTest) {
    added(&store, 1).await;
    assert_eq!(newest(&store).await, ChangeNumber(0));
}

pub(super) async fn a_thousand_changes_come_at_once_and_the_rest_after(
    KeyStoreUnderTest { store, .. }: KeyStoreUnderTest,
) {
    let key = added(&store, 1).await.id;
    for per_minute in 1..=1_001 {
        let changed = store.set_limits(key, limits(per_minute, None).into()).await;
        changed.expect("the key is changed");
    }
    let first = changes(&store, ChangeNumber(0)).await;
    assert_eq!(first.len(), 1_000);
    let rest = changes(&store, first[999].number).await;
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].number, newest(&store).await);
}

pub(super) async fn changes_made_at_the_same_time_have_a_number_each(
    under_test: KeyStoreUnderTest,
) {
    let KeyStoreUnderTest { store, elsewhere } = under_test;
    let key = added(&store, 1).await.id;
    let updates = (0..40).map(|number| {
        let store = if number % 2 == 0 { &store } else { &elsewhere };
        store.set_limits(key, limits(number + 1, None).into())
    });
    for update in join_all(updates).await {
        update.expect("the key is changed");
    }
    let all = changes(&store, ChangeNumber(0)).await;
    assert_eq!(all.len(), 40);
    assert!(
        all.is_sorted_by(|one, next| one.number < next.number),
        "{all:?}"
    );
}
