//! Forgetting a key: its state is read again from the store, and nothing else is lost.

use super::*;

pub(super) async fn a_forgotten_key_is_unknown_until_it_is_hydrated_again(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::known(under_test, 60, Some(100), 3).await;
    let other = key(8);
    let month = subject.month().await;
    let snapshot = Snapshot {
        state: state(60, None, 1),
        month,
        used: used(0),
    };
    let hydrated = subject.limiter().hydrate(other, snapshot).await;
    hydrated.expect("hydrate");

    subject.forget().await;
    let forgotten = subject.admit().await;
    assert_eq!(forgotten, Verdict::Unknown { month });
    let kept = subject.admit_key(other).await;
    assert!(is_admitted(&kept), "another key was forgotten: {kept:?}");
    assert_eq!(subject.peek().await, None);
    subject.forget().await;
    subject.apply(state(60, Some(100), 2)).await;
    assert_eq!(subject.admit().await, forgotten, "a change made it known");

    subject.hydrate(state(60, Some(100), 2), used(97)).await;
    let admitted = subject.admitted_of(9).await;
    assert_eq!(admitted, 3, "the month is what the store has");
}

/// A store that fails between two reads must not give a key another minute.
pub(super) async fn a_forgotten_key_keeps_its_minute(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 5, Some(100), 0).await;
    assert_eq!(subject.admitted_of(3).await, 3);
    for _ in 0..3 {
        subject.forget().await;
        subject.hydrate(state(5, Some(100), 1), used(3)).await;
    }
    assert_eq!(subject.admitted_of(9).await, 2);
}

pub(super) async fn a_forgotten_key_stays_revoked(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 5, Some(100), 0).await;
    assert_eq!(subject.admitted_of(1).await, 1);
    subject.apply(revoked(5, Some(100), 2)).await;
    subject.forget().await;
    let forgotten = subject.admit().await;
    assert!(
        matches!(forgotten, Verdict::Unknown { .. }),
        "{forgotten:?}"
    );
    subject.hydrate(state(5, Some(100), 1), used(1)).await;
    let verdict = subject.admit().await;
    assert_eq!(verdict, Verdict::Revoked, "a late hydrate undid it");
}

pub(super) async fn a_forgotten_key_keeps_the_newest_limits(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 50, Some(100), 0).await;
    assert_eq!(subject.admitted_of(1).await, 1);
    subject.forget().await;
    subject.apply(state(5, Some(100), 10)).await;
    subject.forget().await;
    subject.hydrate(state(50, Some(100), 9), used(1)).await;
    assert_eq!(subject.admitted_of(9).await, 4);
}

pub(super) async fn a_refund_counts_once_although_its_key_was_forgotten(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::known(under_test, 100, Some(5), 0).await;
    assert_eq!(subject.admitted_of(9).await, 5);
    let month = subject.month().await;
    subject.refund(subject.key, month).await;
    subject.forget().await;
    subject.hydrate(state(100, Some(5), 1), used(5)).await;
    subject.refund(subject.key, month).await;
    assert_eq!(subject.admitted_of(9).await, 0, "it was given twice");
}
