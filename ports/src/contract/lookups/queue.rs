//! Length and age of the queue.

use super::*;

/// Due and waiting lookups, and the time of the oldest: of interactive ones, and of the others.
async fn counted(stores: &Stores, now: DateTime<Utc>) -> [(u64, u64, Option<DateTime<Utc>>); 2] {
    let queue = ok(stores.lookups.lookup_queue(now)).await;
    let classes: Vec<_> = queue.iter().map(|queued| queued.class).collect();
    assert_eq!(classes, LookupClass::ALL);
    [queue[0], queue[1]].map(|queued| (queued.due, queued.waiting, queued.oldest))
}

pub(super) async fn due_lookups_are_counted_with_the_age_of_the_oldest(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    assert_eq!(counted(&elsewhere, soon()).await, [(0, 0, None); 2]);
    here.add_lookups(&[lookup(2), lookup(3), interactive(4)])
        .await;
    let expected = [(1, 0, Some(instant(4))), (2, 0, Some(instant(2)))];
    assert_eq!(counted(&elsewhere, soon()).await, expected);
    let expected = [(0, 1, None), (1, 1, Some(instant(2)))];
    assert_eq!(counted(&elsewhere, instant(2)).await, expected);
}

pub(super) async fn what_waits_or_runs_is_counted_apart(Pair { here, .. }: Pair) {
    here.add_lookups(&[interactive(1), interactive(2), lookup(3), lookup(4)])
        .await;
    here.claim(3, lease(1)).await;
    let expected = [(0, 2, None), (1, 1, Some(instant(4)))];
    assert_eq!(counted(&here, soon()).await, expected);
    // From its first attempt on it is no interactive one.
    assert!(here.ends(id(1), 1, soon(), wait(minutes(2))).await);
    assert!(here.ends(id(3), 1, soon(), failed()).await);
    let expected = [(0, 1, None), (1, 1, Some(instant(4)))];
    assert_eq!(counted(&here, soon()).await, expected);
    // A lease that ended leaves a due lookup.
    let expected = [(1, 0, Some(minutes(1))), (1, 1, Some(instant(4)))];
    assert_eq!(counted(&here, minutes(1)).await, expected);
}

pub(super) async fn the_next_lookup_is_due_first_of_all(Pair { here, elsewhere }: Pair) {
    let next = async || ok(elsewhere.lookups.next_due()).await;
    assert_eq!(next().await, None);
    here.add_lookups(&[lookup(2), interactive(4)]).await;
    assert_eq!(next().await, Some(instant(2)));
    here.add_lookups(&[interactive(1)]).await;
    assert_eq!(next().await, Some(instant(1)));
    // A running one is due when its lease ends, a waiting one at its next attempt.
    here.claim(3, lease(1)).await;
    assert_eq!(next().await, Some(minutes(1)));
    assert!(here.ends(id(1), 1, soon(), wait(soon())).await);
    assert_eq!(next().await, Some(soon()));
    here.claim(1, lease(2)).await;
    for (number, lease) in [(1, 2), (2, 1), (4, 1)] {
        assert!(here.ends(id(number), lease, soon(), failed()).await);
    }
    assert_eq!(next().await, None);
}
