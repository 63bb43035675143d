//! Charges of a key's month in the store itself, and bulk reads.

use super::*;

/// Charges a key that succeeds no other.
async fn charge(
    stores: &Stores,
    key: KeyId,
    month: Month,
    at: DateTime<Utc>,
) -> Result<Option<MonthlyUse>, StoreError> {
    let keys = &stores.keys;
    keys.charge(CountedKey::first(key), month, at).await
}

async fn charged(stores: &Stores, key: KeyId) -> Option<MonthlyUse> {
    ok(charge(stores, key, month(), instant(7))).await
}

async fn used(stores: &Stores, key: KeyId, month: Month) -> MonthlyUse {
    stores.snapshot(key, month).await.used
}

async fn key_with(stores: &Stores, number: u16, quota: Option<u64>) -> KeyId {
    let id = stores.added(number).await.id;
    let change = KeyChange::SetLimits(monthly_quota(quota));
    stores.changed(id, change, 1_000 + number).await.id
}

pub(super) async fn a_charge_is_counted_and_returned(Pair { here, elsewhere }: Pair) {
    for (number, quota) in [(1, Some(10)), (2, None)] {
        let key = key_with(&here, number, quota).await;
        for count in 1..=3 {
            assert_eq!(charged(&here, key).await, Some(once(count)));
            assert_eq!(used(&elsewhere, key, month()).await, once(count));
        }
        let next = Month::of(month().end());
        assert_eq!(used(&here, key, next).await, once(0));
        let charged = ok(charge(&here, key, next, next.end())).await;
        assert_eq!(charged, Some(once(1)));
        assert_eq!(used(&here, key, month()).await, once(3));
    }
}

pub(super) async fn no_more_is_charged_than_the_quota_leaves(Pair { here, .. }: Pair) {
    let key = key_with(&here, 1, Some(2)).await;
    let other = key_with(&here, 2, Some(1)).await;
    let quota = |most| KeyChange::SetLimits(monthly_quota(Some(most)));
    assert_eq!(charged(&here, key).await, Some(once(1)));
    assert_eq!(charged(&here, key).await, Some(once(2)));
    for _ in 0..3 {
        assert_eq!(charged(&here, key).await, None);
    }
    assert_eq!(used(&here, key, month()).await, once(2));
    assert_eq!(charged(&here, other).await, Some(once(1)), "has its own");
    here.changed(key, quota(3), 20).await;
    assert_eq!(charged(&here, key).await, Some(once(3)));
    here.changed(key, quota(1), 21).await;
    assert_eq!(charged(&here, key).await, None);
}

pub(super) async fn of_many_concurrent_charges_exactly_the_quota_succeeds(pair: Pair) {
    let key = key_with(&pair.here, 1, Some(50)).await;
    let charge = async |stores: &Stores, _| charged(stores, key).await;
    let charges = pair.at_once(0..200, charge).await;
    let mut counts: Vec<_> = charges.into_iter().flatten().collect();
    counts.sort_unstable_by_key(|used| used.charged);
    let expected: Vec<_> = (1..=50).map(once).collect();
    assert_eq!(counts, expected, "each count is told once");
    assert_eq!(used(&pair.here, key, month()).await, once(50));
}

pub(super) async fn revoked_and_unknown_keys_are_charged_nothing(Pair { here, .. }: Pair) {
    let key = key_with(&here, 1, Some(10)).await;
    assert_eq!(charged(&here, key).await, Some(once(1)));
    here.changed(key, KeyChange::Revoke, 20).await;
    let unknown = record(9).key.id;
    for key in [key, unknown] {
        assert_eq!(charged(&here, key).await, None);
    }
    here.added(9).await;
    assert_eq!(used(&here, key, month()).await, once(1));
    assert_eq!(used(&here, unknown, month()).await, once(0));
}

pub(super) async fn a_charge_is_a_use_to_the_minute(Pair { here, .. }: Pair) {
    let key = here.added(1).await.id;
    let charge = async |at| charge(&here, key, month(), at).await;
    let later = instant(0) + TimeDelta::minutes(2);
    for (at, last) in [
        (instant(0), "2026-11-21T12:00:00+00:00"),
        (later, "2026-11-21T12:02:00+00:00"),
        (instant(1), "2026-11-21T12:02:00+00:00"),
    ] {
        ok(charge(at)).await;
        let last_use = here.found(key).await.last_used_at;
        let last_use = last_use.map(|at| at.to_rfc3339());
        assert_eq!(last_use.as_deref(), Some(last));
    }
}

pub(super) async fn many_keys_are_read_at_once(Pair { here, .. }: Pair) {
    let mut ids = Vec::new();
    for number in 0..120 {
        let key = here.added(number).await.id;
        if number % 3 == 0 {
            charged(&here, key).await;
        }
        ids.push(key);
    }
    here.changed(ids[1], KeyChange::Revoke, 1_000).await;
    let asked = [&ids[..100], &[KeyId(Uuid::nil())]].concat();
    for month in [month(), Month::of(month().end())] {
        let mut snapshots = ok(here.keys.snapshots(&asked, month)).await;
        snapshots.sort_unstable_by_key(|(id, _)| *id);
        let mut expected = Vec::new();
        for id in &ids[..100] {
            expected.push((*id, here.snapshot(*id, month).await));
        }
        assert_eq!(snapshots, expected);
    }
    assert_eq!(ok(here.keys.snapshots(&[], month())).await, []);
}

/// A key of this quota with two successors, one after the other.
async fn chain(stores: &Stores, quota: u64) -> [CountedKey; 3] {
    let first = CountedKey::first(key_with(stores, 1, Some(quota)).await);
    let retires_at = instant(0) + TimeDelta::days(1);
    let mut chain = [first; 3];
    for (place, number) in [(1, 20), (2, 21)] {
        let new = rotated(stores, chain[place - 1].id, number, retires_at).await;
        chain[place] = new.new.counted();
        assert_eq!(chain[place].counters, first.counters);
    }
    chain
}

pub(super) async fn a_key_and_its_successors_have_one_month(Pair { here, elsewhere }: Pair) {
    let keys = chain(&here, 4).await;
    let charge = async |key: CountedKey| ok(here.keys.charge(key, month(), instant(7))).await;
    for (key, count) in [(keys[1], 1), (keys[0], 2), (keys[2], 3), (keys[1], 4)] {
        assert_eq!(charge(key).await, Some(once(count)));
        for key in keys {
            assert_eq!(used(&elsewhere, key.id, month()).await, once(count));
            assert_eq!(here.overview(key.id, month()).await.used, once(count));
        }
    }
    for key in keys {
        assert_eq!(charge(key).await, None);
        let last_use = here.found(key.id).await.last_used_at;
        assert!(last_use.is_some(), "each key's last use is its own");
    }
    let ids = keys.map(|key| key.id);
    let read = ok(here.keys.snapshots(&ids, month())).await;
    assert!(read.iter().all(|(_, snapshot)| snapshot.used == once(4)));
    assert_eq!(read.len(), 3);
}

pub(super) async fn of_concurrent_charges_of_a_key_and_its_successor_exactly_the_quota_succeeds(
    pair: Pair,
) {
    let keys = chain(&pair.here, 50).await;
    let charge = async |stores: &Stores, number: usize| {
        let key = keys[number % 3];
        ok(stores.keys.charge(key, month(), instant(7))).await
    };
    let charges = pair.at_once(0..150, charge).await;
    assert_eq!(charges.into_iter().flatten().count(), 50);
    assert_eq!(used(&pair.here, keys[2].id, month()).await, once(50));
}
