//! Changes of a key that the limiter doesn't know: a hydration whose snapshot was read before the
//! change may be under way.

use super::*;

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

pub(super) async fn limits_that_were_lowered_while_a_key_was_unknown_hold(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::unknown(under_test);
    subject.apply(state(2, None, 2)).await;
    subject.hydrate(state(60, None, 1), used(0)).await;
    assert_eq!(subject.admitted_of(9).await, 2);
}
