//! Rotation: a key and its successor share their counters, and nothing else.

use super::*;

impl Subject {
    /// The subject's successor under the same limiter, hydrated with this state.
    async fn succeeded(self, state: KeyState, charged: u64) -> (CountedKey, Self) {
        let old = self.key;
        let key = CountedKey::succeeding(old, KeyId(Uuid::from_u128(77)));
        let subject = Self { key, ..self };
        subject.hydrate(state, used(charged)).await;
        (old, subject)
    }
}

pub(super) async fn a_successor_continues_the_minute_and_the_month(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 5, Some(8), 0).await;
    assert_eq!(subject.admitted_of(3).await, 3);
    // The store may not have everything yet.
    let (_, subject) = subject.succeeded(state(5, Some(8), 1), 1).await;
    let status = subject.limit_status().await;
    assert_eq!(status.minute.remaining, 2);
    assert_eq!(status.month.expect("there is a quota").used, 3);
    assert_eq!(subject.admitted_of(9).await, 2);
    subject.rate_limited().await;
    subject.advance(domain::limits::window::SPAN).await;
    assert_eq!(subject.admitted_of(4).await, 3);
    subject.over_quota().await;
}

pub(super) async fn both_keys_of_a_rotation_are_admitted_within_one_limit(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::known(under_test, 6, Some(100), 0).await;
    let (old, subject) = subject.succeeded(state(6, Some(100), 1), 0).await;
    let mut admitted = 0;
    for number in 0..20 {
        let key = [old, subject.key][number % 2];
        let verdict = subject.admit_key(key).await;
        admitted += usize::from(is_admitted(&verdict));
    }
    assert_eq!(admitted, 6);
}

pub(super) async fn a_revoked_predecessor_leaves_its_use_to_the_successor(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::known(under_test, 5, Some(100), 0).await;
    assert_eq!(subject.admitted_of(5).await, 5);
    subject.apply(revoked(5, Some(100), 2)).await;
    let (old, subject) = subject.succeeded(state(5, Some(100), 1), 5).await;
    assert_eq!(subject.admit_key(old).await, Verdict::Revoked);
    assert_eq!(subject.limiter().peek(old).await.expect("peek"), None);
    // A rotation gives no other minute.
    subject.rate_limited().await;
    subject.forget().await;
    subject.hydrate(state(5, Some(100), 1), used(5)).await;
    subject.rate_limited().await;
}

pub(super) async fn each_key_of_a_rotation_has_limits_of_its_own(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 3, Some(100), 0).await;
    let (old, subject) = subject.succeeded(state(6, Some(100), 1), 0).await;
    assert_eq!(subject.admitted_of(4).await, 4);
    let refused = subject.admit_key(old).await;
    assert!(
        matches!(refused, Verdict::RateLimited { .. }),
        "{refused:?}"
    );
    let applied = subject.limiter().apply(old, state(2, None, 2)).await;
    applied.expect("apply");
    assert_eq!(subject.admitted_of(9).await, 2);
}

pub(super) async fn a_refund_of_either_key_gives_back_to_both(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(5), 0).await;
    assert_eq!(subject.admitted_of(9).await, 5);
    let (old, subject) = subject.succeeded(state(100, Some(5), 1), 5).await;
    let month = subject.month().await;
    for key in [old, subject.key] {
        subject.refund(key, month).await;
    }
    assert_eq!(subject.admitted_of(9).await, 1, "one request, one refund");
}
