//! Reading a key's limits without counting.

use super::*;

/// Time that a real clock may lose between two calls.
const SLACK: Duration = Duration::from_secs(2);

/// Asserts equal limits and resets.
fn assert_alike(peeked: LimitStatus, expected: LimitStatus) {
    let counts = |limit_status: &LimitStatus| {
        let LimitStatus { minute, month, .. } = limit_status;
        let month = month.map(|month| (month.limit, month.used, month.reset_at));
        (minute.limit, minute.remaining, month)
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
        let limit_status = subject.admitted().await;
        assert_eq!(limit_status.minute.remaining, left);
        for _ in 0..10 {
            assert_alike(subject.limit_status().await, limit_status);
        }
        let step = Duration::from_secs(3);
        subject.advance(step).await;
        assert_alike(subject.limit_status().await, limit_status.after(step));
    }
    subject.rate_limited().await;
}

pub(super) async fn peeking_at_a_used_up_limit_reports_it(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 2, Some(3), 0).await;
    assert_eq!(subject.admitted_of(3).await, 2);
    let (refused, _) = subject.rate_limited().await;
    assert_alike(subject.limit_status().await, refused);
    subject.advance(Duration::from_mins(1)).await;
    subject.admitted().await;
    let (refused, _) = subject.over_quota().await;
    let peeked = subject.limit_status().await;
    assert_alike(peeked, refused);
    assert_eq!(peeked.month.expect("there is a quota").remaining(), 0);

    subject.apply(state(7, None, 2)).await;
    let unlimited = subject.limit_status().await;
    assert_eq!((unlimited.minute.limit, unlimited.month), (7, None));
}

pub(super) async fn peeking_reports_units_that_left_the_window_as_free(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::known(under_test, 3, None, 0).await;
    assert_eq!(subject.admitted_of(1).await, 1);
    let half = Duration::from_secs(30);
    subject.advance(half).await;
    assert_eq!(subject.admitted_of(2).await, 2);
    assert_eq!(subject.limit_status().await.minute.remaining, 0);
    subject.advance(half).await;
    let limit_status = subject.limit_status().await;
    assert_eq!(limit_status.minute.remaining, 1);
    let early_or_late = limit_status.minute.reset.abs_diff(half);
    assert!(early_or_late <= SLACK, "{limit_status:?}");
    subject.advance(half).await;
    assert_eq!(subject.limit_status().await.minute.remaining, 3);
}

pub(super) async fn many_keys_are_reported_in_their_order(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 5, Some(20), 10).await;
    let (limiter, month) = (subject.limiter(), subject.month().await);
    // More than any adapter reads in one call; every third is unknown, and one is revoked.
    let keys: Vec<_> = (1_000..1_250).map(key).collect();
    let known = |number: u32| !number.is_multiple_of(3);
    for (number, key) in (1..).zip(&keys) {
        if known(number) {
            let mut state = state(number, None, 1);
            state.revoked = number == 4;
            subject.hydrate_key(*key, state, month, used(0)).await;
        }
    }
    assert_eq!(subject.admitted_of(1).await, 1);

    let peeked = limiter.peek_many(&keys).await.expect("peek");
    let limits = peeked
        .iter()
        .map(|peeked| peeked.map(|status| status.minute.limit));
    let expected = (1..=250).map(|number| (known(number) && number != 4).then_some(number));
    assert!(limits.eq(expected), "{peeked:?}");

    // The same key twice, between others.
    let keys = [subject.key, key(1), subject.key, keys[0]];
    let peeked = limiter.peek_many(&keys).await.expect("peek");
    let left = peeked
        .iter()
        .map(|peeked| peeked.map(|status| status.minute.remaining));
    assert!(left.eq([Some(4), None, Some(4), Some(1)]), "{peeked:?}");
    assert_eq!(limiter.peek_many(&[]).await.expect("peek"), []);
}
