//! Verdicts that are recorded, and of how many keys.

use std::time::Duration;

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

fn limit_status(used: u64) -> LimitStatus {
    LimitStatus {
        minute: MinuteStatus {
            limit: 60,
            remaining: 1,
            reset: Duration::ZERO,
        },
        month: Some(MonthStatus::new(month(), 100, used, DateTime::UNIX_EPOCH)),
    }
}

fn admitted(used: u64) -> Verdict {
    Verdict::Admitted {
        limit_status: limit_status(used),
        month: month(),
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
fn the_latest_view_is_compared_in_all_that_limits_depend_on() {
    let mut active = ActiveKeys::default();
    active.record(key(1), &admitted(9));
    active.record(key(1), &admitted(10));
    let taken = active.take();
    let view = taken[&key(1)];
    assert!(view.agrees_with(&snapshot()));
    let changed = |change: fn(&mut Snapshot)| {
        let mut snapshot = snapshot();
        change(&mut snapshot);
        snapshot
    };
    let next = changed(|snapshot| snapshot.month = Month::of(month().end()));
    for differs in [
        changed(|snapshot| snapshot.used.charged = 13),
        changed(|snapshot| snapshot.used.refunded = 3),
        changed(|snapshot| snapshot.state.revoked = true),
        changed(|snapshot| snapshot.state.limits = Limits::new(61, Some(100)).unwrap()),
        changed(|snapshot| snapshot.state.limits = Limits::new(60, Some(99)).unwrap()),
        changed(|snapshot| snapshot.state.limits = Limits::new(60, None).unwrap()),
        next,
    ] {
        assert!(!view.agrees_with(&differs), "{differs:?}");
    }
}

#[test]
fn a_key_that_is_refused_for_its_quota_is_recorded_too() {
    let mut active = ActiveKeys::default();
    let month = limit_status(100).month.unwrap();
    let refused = Verdict::QuotaExceeded {
        limit_status: limit_status(100),
        month,
    };
    active.record(key(1), &refused);
    active.record(key(2), &Verdict::Revoked);
    assert_eq!(active.take().keys().collect::<Vec<_>>(), [&key(1)]);
}

#[test]
fn no_more_keys_are_recorded_than_there_is_room_for_and_those_put_back_are_older() {
    let mut active = ActiveKeys::default();
    for number in 0..MOST_KEYS + 10 {
        active.record(key(number), &admitted(1));
    }
    active.record(key(0), &admitted(2));
    let taken = active.take();
    assert_eq!(taken.len(), MOST_KEYS);
    assert_eq!(taken[&key(0)].quota, Some((100, 2)));
    assert!(active.take().is_empty());
    active.record(key(0), &admitted(3));
    active.record(key(MOST_KEYS), &admitted(1));
    active.put_back(taken);
    let both = active.take();
    assert_eq!(both.len(), MOST_KEYS);
    assert_eq!(both[&key(0)].quota, Some((100, 3)));
    assert!(both.contains_key(&key(MOST_KEYS)));
}
