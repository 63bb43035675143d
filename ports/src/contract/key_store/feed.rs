//! Feed of key changes, as other processes follow it.

use super::rotation::rotated;
use super::*;

fn to(per_minute: u32) -> KeyChange {
    KeyChange::SetLimits(limits(per_minute, None).into())
}

fn is_later(one: &Change, next: &Change) -> bool {
    one.number < next.number
}

pub(super) async fn a_version_grows_with_every_change(Pair { here, .. }: Pair) {
    let key = here.added(1).await.id;
    let mut versions = vec![here.state(key).await.version];
    for (number, change) in (2..).zip([to(9), to(8), KeyChange::Revoke]) {
        here.changed(key, change, number).await;
        versions.push(here.state(key).await.version);
    }
    let is_newer = |one: &_, next: &_| one < next;
    assert!(versions.is_sorted_by(is_newer), "{versions:?}");
}

pub(super) async fn changes_come_in_order_with_the_current_state(Pair { here, .. }: Pair) {
    let (one, two) = (here.added(1).await.id, here.added(2).await.id);
    let added = here.newest_change().await;
    here.changed(one, to(7), 3).await;
    let seen = here.newest_change().await;
    here.changed(two, KeyChange::Revoke, 4).await;
    here.changed(one, to(8), 5).await;

    let all = here.changes(added).await;
    assert_eq!(keys_of(&all), [one, two, one]);
    assert!(all.is_sorted_by(is_later), "{all:?}");
    for change in &all {
        assert_eq!(change.state, here.state(change.credential.id).await);
    }
    assert_eq!(here.changes(seen).await, all[1..]);
    assert_eq!(here.newest_change().await, all[2].number);
    assert_eq!(here.changes(all[2].number).await, []);
    assert_eq!(here.changes(ChangeNumber(u64::MAX)).await, []);
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

pub(super) async fn a_refused_key_is_no_change(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    for number in 2..=10 {
        here.added(number).await;
    }
    let before = here.newest_change().await;
    let taken = KeyRecord {
        key: ApiKey {
            prefix: key.prefix,
            ..record(11).key
        },
        ..record(11)
    };
    let one_too_many = (record(12), KeyBounds::OfPlan);
    for (record, bounds) in [(taken, KeyBounds::Unbounded), one_too_many] {
        let refused = here.keys.insert(record, bounds, &act(2)).await;
        assert!(refused.is_err());
    }
    assert_eq!(here.newest_change().await, before);
}

pub(super) async fn a_mutation_that_keeps_the_state_is_no_change(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    let before = (here.newest_change().await, here.state(key.id).await);
    let renamed = KeyChange::Rename(name("otra"));
    here.changed(key.id, renamed, 2).await;
    let same = KeyChange::SetLimits(key.limits.into());
    here.changed(key.id, same, 3).await;
    let after = (here.newest_change().await, here.state(key.id).await);
    assert_eq!(after, before);
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
