//! Reading a key's limits without counting.

use std::time::Duration;

use domain::key::KeyId;
use domain::limits::LimitStatus;
use domain::month::Month;
use uuid::Uuid;

use super::{LimiterUnderTest, Subject, state};
use crate::outbound::{KeyState, Verdict};

/// Time that a real clock may lose between two calls.
const SLACK: Duration = Duration::from_secs(2);

/// Asserts equal limits and resets.
fn assert_alike(peeked: LimitStatus, expected: LimitStatus) {
    let counts = |limit_status: &LimitStatus| {
        let month = limit_status
            .month
            .map(|month| (month.limit, month.used, month.reset_at));
        (
            limit_status.minute.limit,
            limit_status.minute.remaining,
            month,
        )
    };
    assert_eq!(counts(&peeked), counts(&expected));
    let minute = peeked.minute.reset.abs_diff(expected.minute.reset);
    assert!(minute <= SLACK, "{peeked:?}, not {expected:?}");
    if let (Some(peeked), Some(expected)) = (peeked.month, expected.month) {
        let month = peeked.reset.abs_diff(expected.reset);
        assert!(month <= SLACK, "{peeked:?}, not {expected:?}");
    }
}

pub(super) async fn peeking_reports_the_limits_of_an_admission_and_counts_nothing(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::known(under_test, 5, Some(20), 10).await;
    let fresh = subject.limit_status().await;
    assert_eq!((fresh.minute.limit, fresh.minute.remaining), (5, 5));
    let month = fresh.month.expect("there is a quota");
    assert_eq!((month.limit, month.used), (20, 10));
    for left in (0..5).rev() {
        let Verdict::Admitted { limit_status, .. } = subject.admit().await else {
            panic!("peeking took something");
        };
        assert_eq!(limit_status.minute.remaining, left);
        for _ in 0..10 {
            assert_alike(subject.limit_status().await, limit_status);
        }
        let step = Duration::from_secs(3);
        subject.under_test.time.advance(step).await;
        assert_alike(subject.limit_status().await, limit_status.after(step));
    }
    assert_eq!(subject.admitted_of(1).await, 0);
}

pub(super) async fn peeking_at_a_used_up_limit_reports_it(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 2, Some(3), 0).await;
    assert_eq!(subject.admitted_of(3).await, 2);
    let Verdict::RateLimited { limit_status, .. } = subject.admit().await else {
        panic!("the minute was used up");
    };
    assert_alike(subject.limit_status().await, limit_status);
    let minute = Duration::from_mins(1);
    subject.under_test.time.advance(minute).await;
    assert_eq!(subject.admitted_of(2).await, 1);
    let Verdict::QuotaExceeded { limit_status, .. } = subject.admit().await else {
        panic!("the month was used up");
    };
    assert_alike(subject.limit_status().await, limit_status);
    let month = subject
        .limit_status()
        .await
        .month
        .expect("there is a quota");
    assert_eq!(month.remaining(), 0);

    subject.apply(state(7, None, 2)).await;
    let unlimited = subject.limit_status().await;
    assert_eq!((unlimited.minute.limit, unlimited.month), (7, None));
}

pub(super) async fn peeking_at_an_unknown_key_leaves_it_unknown(under_test: LimiterUnderTest) {
    let key = KeyId(Uuid::from_u128(1));
    let month = Month::of(under_test.time.now().await);
    let limiter = &under_test.limiter;
    for _ in 0..2 {
        assert_eq!(limiter.peek(key).await.expect("peek"), None);
        let verdict = limiter.admit(key).await.expect("admit");
        assert_eq!(verdict, Verdict::Unknown { month });
    }
    let subject = Subject::known(under_test, 5, None, 0).await;
    assert_eq!(subject.admitted_of(1).await, 1);
    let forgotten = subject.under_test.limiter.forget(subject.key).await;
    forgotten.expect("forget");
    assert_eq!(subject.peek().await, None);
}

pub(super) async fn peeking_at_a_revoked_key_reports_nothing(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 5, Some(10), 0).await;
    let revoked = KeyState {
        revoked: true,
        ..state(5, Some(10), 2)
    };
    subject.apply(revoked).await;
    assert_eq!(subject.peek().await, None);
    assert_eq!(subject.admit().await, Verdict::Revoked);
}

pub(super) async fn peeking_in_a_new_month_reports_it_unused(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(5), 3).await;
    assert_eq!(subject.admitted_of(1).await, 1);
    let now = subject.under_test.time.now().await;
    let left = Month::of(now).time_left(now);
    subject.under_test.time.advance(left).await;
    let month = subject
        .limit_status()
        .await
        .month
        .expect("there is a quota");
    let new = Month::of(Month::of(now).end());
    assert_eq!((month.used, month.reset_at), (0, new.end()));
    assert_eq!(subject.admitted_of(9).await, 5);
}

pub(super) async fn peeking_reports_units_that_left_the_window_as_free(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::known(under_test, 3, None, 0).await;
    assert_eq!(subject.admitted_of(1).await, 1);
    let half = Duration::from_secs(30);
    subject.under_test.time.advance(half).await;
    assert_eq!(subject.admitted_of(2).await, 2);
    assert_eq!(subject.limit_status().await.minute.remaining, 0);
    subject.under_test.time.advance(half).await;
    let limit_status = subject.limit_status().await;
    assert_eq!(limit_status.minute.remaining, 1);
    assert!(
        limit_status.minute.reset.abs_diff(half) <= SLACK,
        "{limit_status:?}"
    );
    subject.under_test.time.advance(half).await;
    assert_eq!(subject.limit_status().await.minute.remaining, 3);
}
