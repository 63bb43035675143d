//! Who owes what, and for how long.

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

#[test]
fn what_was_missed_is_owed_until_it_is_told_and_longer_when_more_is_missed_meanwhile() {
    let mut debts = Debts::default();
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
        debts.owe(key(number));
    }
    assert_eq!(debts.missed.len(), MOST_KEYS);
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
