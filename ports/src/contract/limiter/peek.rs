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
        let Verdict::Admitted { limit_status, .. } = subject.admit().await else {
            panic!("peeking took something");
        };
        assert_eq!(limit_status.minute.remaining, left);
        for _ in 0..10 {
            assert_alike(subject.limit_status().await, limit_status);
        }
        let step = Duration::from_secs(3);
        subject.advance(step).await;
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
    subject.advance(minute).await;
    assert_eq!(subject.admitted_of(2).await, 1);
    let Verdict::QuotaExceeded { limit_status, .. } = subject.admit().await else {
        panic!("the month was used up");
    };
    assert_alike(subject.limit_status().await, limit_status);
    let month = subject.limit_status().await.month;
    let month = month.expect("there is a quota");
    assert_eq!(month.remaining(), 0);

    subject.apply(state(7, None, 2)).await;
    let unlimited = subject.limit_status().await;
    assert_eq!((unlimited.minute.limit, unlimited.month), (7, None));
}

pub(super) async fn peeking_at_an_unknown_key_leaves_it_unknown(under_test: LimiterUnderTest) {
    let subject = Subject::unknown(under_test);
    let month = subject.month().await;
    for _ in 0..2 {
        assert_eq!(subject.peek().await, None);
        assert_eq!(subject.admit().await, Verdict::Unknown { month });
    }
    subject.hydrate(state(5, None, 1), used(0)).await;
    assert_eq!(subject.admitted_of(1).await, 1);
    subject.forget().await;
    assert_eq!(subject.peek().await, None);
}

pub(super) async fn peeking_at_a_revoked_key_reports_nothing(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 5, Some(10), 0).await;
    subject.apply(revoked(5, Some(10), 2)).await;
    assert_eq!(subject.peek().await, None);
    assert_eq!(subject.admit().await, Verdict::Revoked);
}

pub(super) async fn peeking_in_a_new_month_reports_it_unused(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(5), 3).await;
    assert_eq!(subject.admitted_of(1).await, 1);
    subject.enter_next_month().await;
    let month = subject.limit_status().await.month;
    let month = month.expect("there is a quota");
    let end = subject.month().await.end();
    assert_eq!((month.used, month.reset_at), (0, end));
    assert_eq!(subject.admitted_of(9).await, 5);
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
    let limit = |peeked: &Option<LimitStatus>| peeked.map(|status| status.minute.limit);
    let limits: Vec<_> = peeked.iter().map(limit).collect();
    let expected = (1..=250).map(|number| (known(number) && number != 4).then_some(number));
    assert_eq!(limits, expected.collect::<Vec<_>>());

    // The same key twice, between others.
    let keys = [subject.key, key(1), subject.key, keys[0]];
    let peeked = limiter.peek_many(&keys).await.expect("peek");
    let left = |peeked: &Option<LimitStatus>| peeked.map(|status| status.minute.remaining);
    let left: Vec<_> = peeked.iter().map(left).collect();
    assert_eq!(left, [Some(4), None, Some(4), Some(1)]);
    assert_eq!(limiter.peek_many(&[]).await.expect("peek"), []);
}
