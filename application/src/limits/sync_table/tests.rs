//! Keys that are stale, and verdicts that are compared.

use chrono::DateTime;
use domain::keys::KeyId;
use domain::limits::{Limits, MinuteStatus, MonthStatus, MonthlyUse};
use ports::outbound::{Charge, KeyState};
use uuid::Uuid;

use super::*;

fn key(number: usize) -> CountedKey {
    CountedKey::first(KeyId(Uuid::from_u128(number as u128)))
}

fn month() -> Month {
    Month::of(DateTime::UNIX_EPOCH)
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A table in which these keys were hydrated before anything was missed.
fn table_of(keys: impl IntoIterator<Item = usize>) -> SyncTable {
    let mut table = SyncTable::default();
    for number in keys {
        table.hydrated(key(number));
    }
    table
}

fn is_stale(table: &mut SyncTable, number: usize, now: Duration) -> bool {
    table.stale(key(number), now).is_some()
}

/// Resynchronises a key that is stale.
fn resync(table: &mut SyncTable, number: usize, now: Duration) {
    let as_of = table.stale(key(number), now).unwrap();
    table.synced(key(number), as_of);
}

fn admitted(used: u64) -> Verdict {
    let minute = MinuteStatus {
        limit: 60,
        remaining: 1,
        reset: Duration::ZERO,
    };
    let month = MonthStatus::new(month(), 100, used, DateTime::UNIX_EPOCH);
    Verdict::Admitted {
        limit_status: LimitStatus {
            minute,
            month: Some(month),
        },
        month: month.month(),
        charge: Charge::Unwritten,
    }
}

fn snapshot() -> Snapshot {
    Snapshot {
        state: KeyState {
            revoked: false,
            limits: Limits::new(60, Some(100)).unwrap(),
            version: 9,
        },
        month: month(),
        used: MonthlyUse {
            charged: 12,
            refunded: 2,
        },
    }
}

#[test]
fn each_key_is_stale_until_it_is_synced_for_the_first_time() {
    let mut table = SyncTable::default();
    assert!(is_stale(&mut table, 1, seconds(9_999)));
    resync(&mut table, 1, seconds(0));
    table.hydrated(key(2));
    for number in [1, 2] {
        assert!(!is_stale(&mut table, number, seconds(9_999)));
    }
}

#[test]
fn a_key_is_stale_until_it_is_resynchronised_and_longer_when_more_is_missed_meanwhile() {
    let mut table = table_of([1, 2]);
    table.missed(key(1).counters);
    let as_of = table.stale(key(1), seconds(0)).unwrap();
    table.missed(key(1).counters);
    table.synced(key(1), as_of);
    resync(&mut table, 1, seconds(0));
    assert!(!is_stale(&mut table, 1, seconds(0)));
    assert!(!is_stale(&mut table, 2, seconds(0)));
}

#[test]
fn a_failure_makes_every_key_stale_until_it_is_resynchronised() {
    let mut table = table_of([1, 2]);
    table.all_missed(seconds(0));
    resync(&mut table, 1, seconds(0));
    assert!(!is_stale(&mut table, 1, seconds(9_999)));
    table.hydrated(key(2));
    table.hydrated(key(3));
    for number in [2, 3] {
        // The snapshot may have been read before the failure.
        assert!(is_stale(&mut table, number, seconds(9_999)));
    }
    table.all_missed(seconds(9_999));
    assert!(is_stale(&mut table, 1, seconds(9_999)));
}

#[test]
fn however_often_something_is_missed_a_key_is_resynchronised_once_a_second() {
    let mut table = table_of([1]);
    let tenths = |tenths: u64| Duration::from_millis(100 * tenths);
    let mut resyncs = 0;
    for now in (0..50).map(tenths) {
        table.all_missed(now);
        if let Some(as_of) = table.stale(key(1), now) {
            table.synced(key(1), as_of);
            resyncs += 1;
        }
    }
    assert_eq!(resyncs, 5);
    // What was missed last is resynchronised as well.
    assert!(is_stale(&mut table, 1, tenths(50)));
}

#[test]
fn more_keys_than_are_tracked_are_resynchronised_more_often() {
    let mut table = table_of(0..MOST_KEYS);
    for number in 0..MOST_KEYS {
        table.missed(key(number).counters);
    }
    table.hydrated(key(MOST_KEYS));
    assert_eq!(table.keys.len(), 1);
    table.missed(key(MOST_KEYS).counters);
    assert_eq!(table.missed.len(), 1);
    for number in 0..=2 * MOST_KEYS {
        resync(&mut table, number, seconds(9_999));
        assert!(table.keys.len() <= MOST_KEYS);
    }
    assert!(!is_stale(&mut table, 2 * MOST_KEYS, seconds(9_999)));
}

#[test]
fn a_revoked_key_is_never_stale_again_unless_something_is_missed() {
    let mut table = SyncTable::default();
    table.all_missed(seconds(0));
    table.decided(key(1), &Verdict::Revoked);
    assert!(!is_stale(&mut table, 1, seconds(9_999)));
    assert!(table.views().is_empty());
}

#[test]
fn the_latest_verdict_is_compared_once_in_all_that_limits_depend_on() {
    let mut table = table_of([1, 2]);
    table.decided(key(1), &admitted(9));
    table.decided(key(1), &admitted(10));
    let views = table.views();
    assert_eq!(views.keys().collect::<Vec<_>>(), [&key(1)]);
    let view = views[&key(1)];
    assert!(view.agrees_with(&snapshot()));
    let changes: [fn(&mut Snapshot); 7] = [
        |it| it.month = Month::of(month().end()),
        |it| it.used.charged = 13,
        |it| it.used.refunded = 3,
        |it| it.state.revoked = true,
        |it| it.state.limits = Limits::new(61, Some(100)).unwrap(),
        |it| it.state.limits = Limits::new(60, Some(99)).unwrap(),
        |it| it.state.limits = Limits::new(60, None).unwrap(),
    ];
    for change in changes {
        let mut differs = snapshot();
        change(&mut differs);
        assert!(!view.agrees_with(&differs), "{differs:?}");
    }
    table.decided(key(1), &admitted(11));
    table.compared(&views);
    let newer = table.views();
    assert_eq!(newer.len(), 1, "a newer verdict is compared later");
    table.compared(&newer);
    assert!(table.views().is_empty());
}

#[test]
fn a_key_that_is_refused_for_its_quota_is_compared_too() {
    let mut table = table_of([1]);
    let Verdict::Admitted { limit_status, .. } = admitted(100) else {
        unreachable!()
    };
    let month = limit_status.month.unwrap();
    let refused = Verdict::QuotaExceeded {
        limit_status,
        month,
    };
    table.decided(key(1), &refused);
    assert_eq!(table.views().len(), 1);
}
