//! Who owes what, and for how long.

use uuid::Uuid;

use super::*;

fn key(number: usize) -> KeyId {
    KeyId(Uuid::from_u128(number as u128))
}

fn month() -> Month {
    Month::of(DateTime::UNIX_EPOCH)
}

/// What is owed when these keys were told before.
fn debts_of(keys: impl IntoIterator<Item = usize>) -> ResyncTracker {
    let mut debts = ResyncTracker::default();
    for number in keys {
        debts.introduce(key(number));
    }
    debts
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn each_key_owes_until_it_is_told_for_the_first_time() {
    let mut debts = ResyncTracker::default();
    for hours in [0, 1, 1_000] {
        assert!(debts.of(key(1), Duration::from_hours(hours)).is_some());
    }
    let debt = debts.of(key(1), seconds(0)).unwrap();
    debts.settle(key(1), debt);
    debts.introduce(key(2));
    for number in [1, 2] {
        assert_eq!(debts.of(key(number), seconds(9_999)), None);
    }
}

#[test]
fn what_was_missed_is_owed_until_it_is_told_and_longer_when_more_is_missed_meanwhile() {
    let mut debts = debts_of([1, 2]);
    debts.owe(key(1));
    let debt = debts.of(key(1), seconds(0)).unwrap();
    debts.owe(key(1));
    debts.settle(key(1), debt);
    let debt = debts.of(key(1), seconds(0)).unwrap();
    debts.settle(key(1), debt);
    assert_eq!(debts.of(key(1), seconds(0)), None);
    assert_eq!(debts.of(key(2), seconds(0)), None);
}

#[test]
fn after_an_outage_everybody_owes_once_for_a_minute() {
    let mut debts = debts_of([1, 2]);
    debts.begin_outage(seconds(400));
    let debt = debts.of(key(1), seconds(500)).unwrap();
    debts.settle(key(1), debt);
    debts.end_outage(seconds(500));
    assert_eq!(debts.of(key(1), seconds(500)), None);
    assert!(debts.of(key(2), seconds(559)).is_some());
    debts.prolong(seconds(559));
    assert!(debts.of(key(2), seconds(618)).is_some());
    assert_eq!(debts.of(key(2), seconds(619)), None);

    debts.begin_outage(seconds(620));
    let told_before = debts.of(key(1), seconds(620));
    assert!(told_before.is_some(), "a second outage may lose it again");
}

#[test]
fn a_missed_change_makes_everybody_owe_again() {
    let mut debts = debts_of([1]);
    debts.miss(seconds(0));
    let debt = debts.of(key(1), seconds(0)).unwrap();
    debts.settle(key(1), debt);
    assert_eq!(debts.of(key(1), seconds(1)), None);
    debts.miss(seconds(1));
    assert!(debts.of(key(1), seconds(60)).is_some());
    assert_eq!(debts.of(key(1), seconds(61)), None);
    debts.prolong(seconds(61));
    assert_eq!(debts.of(key(1), seconds(61)), None);
}

#[test]
fn a_key_that_is_introduced_while_everybody_owes_is_told_all_the_same() {
    let mut debts = ResyncTracker::default();
    debts.miss(seconds(0));
    debts.introduce(key(1));
    assert!(debts.of(key(1), seconds(59)).is_some());
    assert_eq!(debts.of(key(1), seconds(60)), None);
}

#[test]
fn more_keys_than_are_remembered_are_told_more_often() {
    let mut debts = debts_of(0..MOST_KEYS);
    assert_eq!(debts.month(DateTime::UNIX_EPOCH), month());
    for number in 0..MOST_KEYS {
        debts.owe(key(number));
    }
    debts.introduce(key(MOST_KEYS));
    assert_eq!(debts.told.len(), 1);
    debts.owe(key(MOST_KEYS));
    assert_eq!(debts.missed.len(), MOST_KEYS);
    for number in 0..=2 * MOST_KEYS {
        let debt = debts.of(key(number), seconds(9_999)).unwrap();
        debts.settle(key(number), debt);
        assert!(debts.told.len() <= MOST_KEYS);
    }
    assert_eq!(debts.of(key(2 * MOST_KEYS), seconds(9_999)), None);
}

#[test]
fn what_was_missed_is_owed_until_the_month_ends() {
    let mut debts = debts_of([1]);
    assert_eq!(debts.month(DateTime::UNIX_EPOCH), month());
    debts.owe(key(1));
    let next = debts.month(month().end());
    assert_eq!(next, Month::of(month().end()));
    assert_eq!(debts.of(key(1), seconds(9_999)), None);
    let back = debts.month(DateTime::UNIX_EPOCH);
    assert_eq!(back, next, "an older month came back");
}

#[test]
fn however_often_something_is_missed_a_key_is_told_once_a_second() {
    let mut debts = debts_of([1]);
    let tenths = |tenths: u64| Duration::from_millis(100 * tenths);
    let mut told = 0;
    for now in (0..50).map(tenths) {
        debts.miss(now);
        if let Some(debt) = debts.of(key(1), now) {
            debts.settle(key(1), debt);
            told += 1;
        }
    }
    assert_eq!(told, 5);
    // What was missed last is told as well.
    assert!(debts.of(key(1), tenths(50)).is_some());
}

#[test]
fn an_outage_is_told_at_once_though_something_was_missed_just_before() {
    let mut debts = debts_of([1]);
    debts.miss(seconds(0));
    let debt = debts.of(key(1), seconds(0)).unwrap();
    debts.settle(key(1), debt);
    debts.begin_outage(Duration::from_millis(10));
    debts.end_outage(Duration::from_millis(20));
    assert!(debts.of(key(1), Duration::from_millis(20)).is_some());
}
