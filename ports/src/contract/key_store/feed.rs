//! Feed of key changes, as other processes follow it.

use super::*;

fn is_later(one: &Change, next: &Change) -> bool {
    one.number < next.number
}

pub(super) async fn changes_come_in_order_with_the_current_state(Pair { here, elsewhere }: Pair) {
    let (one, two) = (here.added(1).await.id, here.added(2).await.id);
    let added = here.newest_change().await;
    here.changed(one, to(7), 3).await;
    let seen = elsewhere.newest_change().await;
    elsewhere.changed(two, KeyChange::Revoke, 4).await;
    here.changed(one, to(8), 5).await;
    let all = here.changes(added).await;
    assert_eq!(keys_of(&all), [one, two, one]);
    assert!(all.is_sorted_by(is_later), "{all:?}");
    for stores in [&here, &elsewhere] {
        for change in &all {
            assert_eq!(change.state, stores.state(change.credential.id).await);
        }
        assert_eq!(stores.changes(added).await, all);
        assert_eq!(stores.changes(seen).await, all[1..]);
        assert_eq!(stores.newest_change().await, all[2].number);
        assert_eq!(stores.changes(all[2].number).await, []);
        assert_eq!(stores.changes(ChangeNumber(u64::MAX)).await, []);
    }
}

pub(super) async fn a_new_key_is_a_change_with_its_credential(Pair { here, elsewhere }: Pair) {
    here.added(1).await;
    let old = here.added(2).await.id;
    rotated(&here, old, 3, instant(1_000)).await;
    let all = elsewhere.changes(ChangeNumber(0)).await;
    let found: Vec<_> = all.iter().map(|change| &change.credential).collect();
    let mut expected = [1, 2, 3].map(|number| record(number).credential);
    // The successor shares the counters of its predecessor.
    expected[2].counters = expected[1].counters;
    assert_eq!(found, expected.iter().collect::<Vec<_>>());
    for change in &all {
        let found = ok(here.keys.credential(&change.prefix)).await;
        assert_eq!(found.as_ref(), Some(&change.credential));
    }
}

pub(super) async fn a_thousand_changes_come_at_once_and_the_rest_after(Pair { here, .. }: Pair) {
    let key = here.added(1).await.id;
    let added = here.newest_change().await;
    for number in 2..=1_002 {
        here.changed(key, to(number.into()), number).await;
    }
    let first = here.changes(added).await;
    assert_eq!(first.len(), 1_000);
    let rest = here.changes(first[999].number).await;
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].number, here.newest_change().await);
}

pub(super) async fn changes_made_at_the_same_time_have_a_number_each(pair: Pair) {
    let key = pair.here.added(1).await.id;
    let added = pair.here.newest_change().await;
    let update = async |stores: &Stores, number: u16| {
        ok(stores.change(key, to(number.into()), number)).await;
    };
    pair.at_once(2..=41, update).await;
    let all = pair.here.changes(added).await;
    assert_eq!(all.len(), 40);
    assert!(all.is_sorted_by(is_later), "{all:?}");
}
