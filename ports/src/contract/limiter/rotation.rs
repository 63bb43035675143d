//! Rotation: a key and its successor share their counters, and nothing else.

use domain::key::{CountedKey, KeyId};
use domain::month::Month;
use uuid::Uuid;

use super::{LimiterUnderTest, Subject, state, used};
use crate::outbound::{KeyState, Limiter, Verdict};

/// The successor of the subject's key.
fn successor(subject: &Subject) -> CountedKey {
    CountedKey::succeeding(subject.key, KeyId(Uuid::from_u128(77)))
}

impl Subject {
    /// The subject's successor under the same limiter, hydrated with this state.
    async fn succeeded(self, state: KeyState, charged: u64) -> (CountedKey, Self) {
        let (old, new) = (self.key, successor(&self));
        let subject = Self { key: new, ..self };
        subject.hydrate(state, used(charged)).await;
        (old, subject)
    }

    fn limiter(&self) -> &dyn Limiter {
        self.under_test.limiter.as_ref()
    }
}

async fn admit(subject: &Subject, key: CountedKey) -> Verdict {
    subject.limiter().admit(key).await.expect("admit")
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
    assert!(matches!(subject.admit().await, Verdict::RateLimited { .. }));
    let span = domain::window::SPAN;
    subject.under_test.time.advance(span).await;
    assert_eq!(subject.admitted_of(4).await, 3);
    let refused = subject.admit().await;
    assert!(
        matches!(refused, Verdict::QuotaExceeded { .. }),
        "{refused:?}"
    );
}

pub(super) async fn both_keys_of_a_rotation_are_admitted_within_one_limit(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::known(under_test, 6, Some(100), 0).await;
    let (old, subject) = subject.succeeded(state(6, Some(100), 1), 0).await;
    let mut admitted = 0;
    for number in 0_u32..20 {
        let key = if number.is_multiple_of(2) {
            old
        } else {
            subject.key
        };
        let verdict = admit(&subject, key).await;
        admitted += usize::from(matches!(verdict, Verdict::Admitted { .. }));
    }
    assert_eq!(admitted, 6);
}

pub(super) async fn a_revoked_predecessor_leaves_its_use_to_the_successor(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::known(under_test, 5, Some(100), 0).await;
    assert_eq!(subject.admitted_of(5).await, 5);
    let revoked = KeyState {
        revoked: true,
        ..state(5, Some(100), 2)
    };
    subject.apply(revoked).await;
    let (old, subject) = subject.succeeded(state(5, Some(100), 1), 5).await;
    assert_eq!(admit(&subject, old).await, Verdict::Revoked);
    assert_eq!(subject.limiter().peek(old).await.expect("peek"), None);
    let refused = subject.admit().await;
    assert!(
        matches!(refused, Verdict::RateLimited { .. }),
        "a rotation gave another minute: {refused:?}"
    );
    subject.forget().await;
    subject.hydrate(state(5, Some(100), 1), used(5)).await;
    assert_eq!(subject.admitted_of(3).await, 0);
}

pub(super) async fn each_key_of_a_rotation_has_limits_of_its_own(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 3, Some(100), 0).await;
    let (old, subject) = subject.succeeded(state(6, Some(100), 1), 0).await;
    assert_eq!(subject.admitted_of(4).await, 4);
    let refused = admit(&subject, old).await;
    assert!(
        matches!(refused, Verdict::RateLimited { .. }),
        "{refused:?}"
    );
    let lowered = state(2, None, 2);
    let applied = subject.limiter().apply(old, lowered).await;
    applied.expect("apply");
    assert_eq!(subject.admitted_of(9).await, 2);
}

pub(super) async fn a_refund_of_either_key_gives_back_to_both(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(5), 0).await;
    assert_eq!(subject.admitted_of(9).await, 5);
    let (old, subject) = subject.succeeded(state(100, Some(5), 1), 5).await;
    let month = Month::of(subject.under_test.time.now().await);
    for key in [old, subject.key] {
        let refund = subject.limiter().refund(key, month, Uuid::from_u128(42));
        refund.await.expect("refund");
    }
    assert_eq!(subject.admitted_of(9).await, 1, "one request, one refund");
}
