//! Who owes what, and for how long.

use domain::limits::Limits;
use ports::outbound::KeyState;
use uuid::Uuid;

use super::*;

fn key(number: usize) -> KeyId {
    KeyId(Uuid::from_u128(number as u128))
}

fn month() -> Month {
    Month::of(DateTime::UNIX_EPOCH)
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn snapshot(charged: u64) -> Snapshot {
    Snapshot {
        state: KeyState {
            revoked: false,
            limits: Limits::new(60, Some(1_000)).unwrap(),
            version: 1,
        },
        month: month(),
        used: MonthlyUse {
            charged,
            refunded: 2,
        },
    }
}

#[test]
fn what_was_counted_is_owed_until_it_is_told_and_longer_when_more_is_counted_meanwhile() {
    let mut debts = Debts::default();
    debts.charge(key(1), month(), snapshot(10));
    debts.charge(key(1), month(), snapshot(10));
    let debt = debts.of(key(1), seconds(0)).unwrap();
    assert_eq!(debts.with(key(1), snapshot(10)).used.charged, 12);
    assert_eq!(debts.with(key(1), snapshot(20)).used.charged, 20);
    assert_eq!(debts.with(key(1), snapshot(10)).used.refunded, 2);

    debts.charge(key(1), month(), snapshot(10));
    debts.settle(key(1), debt);
    let debt = debts.of(key(1), seconds(0)).unwrap();
    assert_eq!(debts.with(key(1), snapshot(10)).used.charged, 13);
    debts.settle(key(1), debt);
    assert_eq!(debts.of(key(1), seconds(0)), None);
    assert_eq!(debts.of(key(2), seconds(0)), None);
}

#[test]
fn after_an_outage_everybody_owes_once_for_a_minute() {
    let mut debts = Debts::default();
    debts.begin_outage();
    let debt = debts.of(key(1), seconds(500)).unwrap();
    debts.settle(key(1), debt);
    debts.end_outage(seconds(500));
    assert_eq!(debts.of(key(1), seconds(500)), None);
    assert!(debts.of(key(2), seconds(559)).is_some());
    debts.prolong(seconds(559));
    assert!(debts.of(key(2), seconds(618)).is_some());
    assert_eq!(debts.of(key(2), seconds(619)), None);

    debts.begin_outage();
    let told_before = debts.of(key(1), seconds(620));
    assert!(told_before.is_some(), "a second outage may lose it again");
}

#[test]
fn a_missed_change_makes_everybody_owe_again() {
    let mut debts = Debts::default();
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
fn more_keys_than_are_remembered_make_everybody_owe_until_the_month_ends() {
    let mut debts = Debts::default();
    assert_eq!(debts.month(DateTime::UNIX_EPOCH), month());
    for number in 0..=MOST_KEYS {
        debts.charge(key(number), month(), snapshot(0));
    }
    assert_eq!(debts.counted.len(), MOST_KEYS);
    assert!(debts.of(key(MOST_KEYS), seconds(9_999)).is_some());
    for number in MOST_KEYS..=3 * MOST_KEYS {
        let debt = debts.of(key(number), seconds(9_999)).unwrap();
        debts.settle(key(number), debt);
        assert!(debts.settled.len() <= MOST_KEYS);
    }
    let next = debts.month(month().end());
    assert_eq!(next, Month::of(month().end()));
    assert_eq!(debts.of(key(1), seconds(9_999)), None);
    let back = debts.month(DateTime::UNIX_EPOCH);
    assert_eq!(back, next, "an older month came back");
}
