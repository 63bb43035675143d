//! Keys that are stale, and for how long.

use uuid::Uuid;

use super::*;

fn key(number: usize) -> CountedKey {
    CountedKey::first(KeyId(Uuid::from_u128(number as u128)))
}

fn month() -> Month {
    Month::of(DateTime::UNIX_EPOCH)
}

/// A tracker of keys that were resynchronised before.
fn tracker_of(keys: impl IntoIterator<Item = usize>) -> ResyncTracker {
    let mut tracker = ResyncTracker::default();
    for number in keys {
        tracker.mark_synced(key(number));
    }
    tracker
}

/// Resynchronises a key that is stale.
fn resync(tracker: &mut ResyncTracker, number: usize, now: Duration) {
    let staleness = tracker.staleness(key(number), now).unwrap();
    tracker.clear(key(number), staleness);
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn each_key_is_stale_until_it_is_synced_for_the_first_time() {
    let mut tracker = ResyncTracker::default();
    for hours in [0, 1, 1_000] {
        let now = Duration::from_hours(hours);
        assert!(tracker.staleness(key(1), now).is_some());
    }
    resync(&mut tracker, 1, seconds(0));
    tracker.mark_synced(key(2));
    for number in [1, 2] {
        assert_eq!(tracker.staleness(key(number), seconds(9_999)), None);
    }
}

#[test]
fn a_key_is_stale_until_it_is_resynchronised_and_longer_when_more_is_missed_meanwhile() {
    let mut tracker = tracker_of([1, 2]);
    tracker.mark_stale(key(1));
    let staleness = tracker.staleness(key(1), seconds(0)).unwrap();
    tracker.mark_stale(key(1));
    tracker.clear(key(1), staleness);
    resync(&mut tracker, 1, seconds(0));
    assert_eq!(tracker.staleness(key(1), seconds(0)), None);
    assert_eq!(tracker.staleness(key(2), seconds(0)), None);
}

#[test]
fn after_an_outage_every_key_is_stale_once_for_a_minute() {
    let mut tracker = tracker_of([1, 2]);
    tracker.begin_outage(seconds(400));
    resync(&mut tracker, 1, seconds(500));
    tracker.end_outage(seconds(500));
    assert_eq!(tracker.staleness(key(1), seconds(500)), None);
    assert!(tracker.staleness(key(2), seconds(559)).is_some());
    tracker.extend(seconds(559));
    assert!(tracker.staleness(key(2), seconds(618)).is_some());
    assert_eq!(tracker.staleness(key(2), seconds(619)), None);

    tracker.begin_outage(seconds(620));
    let synced_before = tracker.staleness(key(1), seconds(620));
    assert!(synced_before.is_some(), "a second outage may lose it again");
}

#[test]
fn a_missed_change_makes_every_key_stale_again() {
    let mut tracker = tracker_of([1]);
    tracker.mark_all_stale(seconds(0));
    resync(&mut tracker, 1, seconds(0));
    assert_eq!(tracker.staleness(key(1), seconds(1)), None);
    tracker.mark_all_stale(seconds(1));
    assert!(tracker.staleness(key(1), seconds(60)).is_some());
    assert_eq!(tracker.staleness(key(1), seconds(61)), None);
    tracker.extend(seconds(61));
    assert_eq!(tracker.staleness(key(1), seconds(61)), None);
}

#[test]
fn a_key_that_is_hydrated_while_every_key_is_stale_is_stale_all_the_same() {
    let mut tracker = ResyncTracker::default();
    tracker.mark_all_stale(seconds(0));
    tracker.mark_synced(key(1));
    assert!(tracker.staleness(key(1), seconds(59)).is_some());
    assert_eq!(tracker.staleness(key(1), seconds(60)), None);
}

#[test]
fn more_keys_than_are_tracked_are_resynchronised_more_often() {
    let mut tracker = tracker_of(0..MOST_KEYS);
    assert_eq!(tracker.month(DateTime::UNIX_EPOCH), month());
    for number in 0..MOST_KEYS {
        tracker.mark_stale(key(number));
    }
    tracker.mark_synced(key(MOST_KEYS));
    assert_eq!(tracker.synced.len(), 1);
    tracker.mark_stale(key(MOST_KEYS));
    assert_eq!(tracker.stale.len(), MOST_KEYS);
    for number in 0..=2 * MOST_KEYS {
        resync(&mut tracker, number, seconds(9_999));
        assert!(tracker.synced.len() <= MOST_KEYS);
    }
    assert_eq!(tracker.staleness(key(2 * MOST_KEYS), seconds(9_999)), None);
}

#[test]
fn a_key_is_stale_until_the_month_ends() {
    let mut tracker = tracker_of([1]);
    assert_eq!(tracker.month(DateTime::UNIX_EPOCH), month());
    tracker.mark_stale(key(1));
    let next = tracker.month(month().end());
    assert_eq!(next, Month::of(month().end()));
    assert_eq!(tracker.staleness(key(1), seconds(9_999)), None);
    let back = tracker.month(DateTime::UNIX_EPOCH);
    assert_eq!(back, next, "an older month came back");
}

#[test]
fn however_often_something_is_missed_a_key_is_resynchronised_once_a_second() {
    let mut tracker = tracker_of([1]);
    let tenths = |tenths: u64| Duration::from_millis(100 * tenths);
    let mut resyncs = 0;
    for now in (0..50).map(tenths) {
        tracker.mark_all_stale(now);
        if let Some(staleness) = tracker.staleness(key(1), now) {
            tracker.clear(key(1), staleness);
            resyncs += 1;
        }
    }
    assert_eq!(resyncs, 5);
    // What was missed last is resynchronised as well.
    assert!(tracker.staleness(key(1), tenths(50)).is_some());
}

#[test]
fn an_outage_makes_keys_stale_at_once_though_something_was_missed_just_before() {
    let mut tracker = tracker_of([1]);
    tracker.mark_all_stale(seconds(0));
    resync(&mut tracker, 1, seconds(0));
    let later = Duration::from_millis(20);
    tracker.begin_outage(Duration::from_millis(10));
    tracker.end_outage(later);
    assert!(tracker.staleness(key(1), later).is_some());
}
