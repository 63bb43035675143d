//! Reading a key's limits without counting.

use std::time::Duration;

use domain::limits::LimitStatus;
use domain::month::Month;

use super::{LimiterUnderTest, Subject, key as key_of, state, used};
use crate::outbound::{KeyState, Snapshot, Verdict};

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
    let key = key_of(1);
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

pub(super) async fn many_keys_are_reported_in_their_order(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 5, Some(20), 10).await;
    let limiter = &subject.under_test.limiter;
    let month = Month::of(subject.under_test.time.now().await);
    let numbered = key_of;
    // More than any adapter reads in one call; every third is unknown, and one is revoked.
    let keys: Vec<_> = (1_000..1_250).map(numbered).collect();
    let known = |number: u32| !number.is_multiple_of(3);
    for (number, key) in (1..).zip(&keys) {
        if known(number) {
            let state = KeyState {
                revoked: number == 4,
                ..state(number, None, 1)
            };
            let snapshot = Snapshot {
                state,
                month,
                used: used(0),
            };
            limiter.hydrate(*key, snapshot).await.expect("hydrate");
        }
    }
    assert_eq!(subject.admitted_of(1).await, 1);

    let peeked = limiter.peek_many(&keys).await.expect("peek");
    let limits: Vec<_> = peeked
        .iter()
        .map(|peeked| peeked.map(|limit_status| limit_status.minute.limit))
        .collect();
    let expected = (1..=250).map(|number| (known(number) && number != 4).then_some(number));
    assert_eq!(limits, expected.collect::<Vec<_>>());

    // The same key twice, between others.
    let keys = [subject.key, numbered(1), subject.key, keys[0]];
    let peeked = limiter.peek_many(&keys).await.expect("peek");
    let left = |peeked: &Option<LimitStatus>| peeked.map(|status| status.minute.remaining);
    let left: Vec<_> = peeked.iter().map(left).collect();
    assert_eq!(left, [Some(4), None, Some(4), Some(1)]);
    assert_eq!(limiter.peek_many(&[]).await.expect("peek"), []);
}
