//! Unknown and forgotten keys.

use super::*;

pub(super) async fn an_unknown_key_is_never_admitted(under_test: LimiterUnderTest) {
    let subject = Subject::unknown(under_test);
    let month = subject.month().await;
    let unknown = Verdict::Unknown { month };
    assert_eq!(subject.admit().await, unknown);
    assert_eq!(subject.peek().await, None);
    assert_eq!(subject.admit().await, unknown);
    subject.apply(state(5, None, 9)).await;
    let verdict = subject.admit().await;
    assert_eq!(verdict, unknown, "a change alone doesn't make a key known");
    subject.hydrate(state(5, None, 1), used(0)).await;
    subject.admitted().await;
}

/// A hydration whose snapshot was read before the change may be under way.
pub(super) async fn a_key_that_was_revoked_while_it_was_unknown_is_never_admitted(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::unknown(under_test);
    subject.apply(revoked(60, None, 2)).await;
    for _ in 0..2 {
        subject.hydrate(state(60, None, 1), used(0)).await;
        let verdict = subject.admit().await;
        assert_eq!(verdict, Verdict::Revoked, "a snapshot from before undid it");
        subject.forget().await;
    }
}

pub(super) async fn a_forgotten_key_is_unknown_until_it_is_hydrated_again(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::known(under_test, 60, Some(100), 3).await;
    let (other, month) = (key(8), subject.month().await);
    subject
        .hydrate_key(other, state(60, None, 1), month, used(0))
        .await;
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
