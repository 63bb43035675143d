//! Contract of the rate limiter.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::key::{CountedKey, KeyId};
use domain::limits::{LimitStatus, Limits, MonthlyUse};
use domain::month::Month;
use uuid::Uuid;

use crate::outbound::{KeyState, Limiter, Snapshot, Verdict};

mod forget;
mod month;
mod peek;
mod rotation;
mod unknown;

/// A limiter with a movable clock.
pub struct LimiterUnderTest {
    /// The limiter, empty.
    pub limiter: Arc<dyn Limiter>,
    /// Its clock.
    pub time: Arc<dyn TestTime>,
}

/// The clock of a limiter under test.
#[async_trait]
pub trait TestTime: Send + Sync {
    /// Moves it forward.
    async fn advance(&self, by: Duration);
    /// Its current time.
    async fn now(&self) -> DateTime<Utc>;
}

cases! {
    $ limiter(LimiterUnderTest)
    self {
        an_unknown_key_is_never_admitted,
        exactly_the_limit_is_admitted_in_a_minute,
        a_refusal_changes_no_count,
        exactly_the_quota_is_admitted_in_a_month,
        the_minute_is_reported_when_both_limits_are_used_up,
        a_revoked_key_is_refused_and_no_late_hydrate_brings_it_back,
        new_limits_count_what_was_admitted_before,
        an_older_version_never_replaces_a_newer_one,
        hydrating_merges_by_maximum,
        a_refund_gives_the_month_back_once_and_the_minute_never,
        without_a_cap_there_is_no_month_to_report,
        concurrent_admissions_meet_the_limit_exactly,
    }
    unknown {
        a_key_that_was_revoked_while_it_was_unknown_is_never_admitted,
        limits_that_were_lowered_while_a_key_was_unknown_hold,
    }
    forget {
        a_forgotten_key_is_unknown_until_it_is_hydrated_again,
        a_forgotten_key_keeps_its_minute,
        a_forgotten_key_stays_revoked,
        a_forgotten_key_keeps_the_newest_limits,
        a_refund_counts_once_although_its_key_was_forgotten,
    }
    month {
        a_new_month_begins_at_zero,
        a_month_is_never_begun_by_hydration,
        a_key_of_a_month_that_has_not_begun_stays_unknown,
    }
    rotation {
        a_successor_continues_the_minute_and_the_month,
        both_keys_of_a_rotation_are_admitted_within_one_limit,
        a_revoked_predecessor_leaves_its_use_to_the_successor,
        each_key_of_a_rotation_has_limits_of_its_own,
        a_refund_of_either_key_gives_back_to_both,
    }
    peek {
        peeking_reports_the_limits_of_an_admission_and_counts_nothing,
        peeking_at_a_used_up_limit_reports_it,
        peeking_at_an_unknown_key_leaves_it_unknown,
        peeking_at_a_revoked_key_reports_nothing,
        peeking_in_a_new_month_reports_it_unused,
        peeking_reports_units_that_left_the_window_as_free,
        many_keys_are_reported_in_their_order,
    }
}

/// A key under one of the suite's limiters.
struct Subject {
    under_test: LimiterUnderTest,
    key: CountedKey,
}

impl Subject {
    /// A key that the limiter doesn't know.
    fn unknown(under_test: LimiterUnderTest) -> Self {
        Self {
            under_test,
            key: key(7),
        }
    }

    /// A key known with these limits and this month's use.
    async fn known(
        under_test: LimiterUnderTest,
        per_minute: u32,
        quota: Option<u64>,
        charged: u64,
    ) -> Self {
        let subject = Self::unknown(under_test);
        let state = state(per_minute, quota, 1);
        subject.hydrate(state, used(charged)).await;
        subject
    }

    fn limiter(&self) -> &dyn Limiter {
        self.under_test.limiter.as_ref()
    }

    async fn advance(&self, by: Duration) {
        self.under_test.time.advance(by).await;
    }

    /// The month of the limiter's clock.
    async fn month(&self) -> Month {
        Month::of(self.under_test.time.now().await)
    }

    /// Enters the next month.
    async fn enter_next_month(&self) {
        let now = self.under_test.time.now().await;
        self.advance(Month::of(now).time_left(now)).await;
    }

    async fn hydrate(&self, state: KeyState, used: MonthlyUse) {
        let month = self.month().await;
        let snapshot = Snapshot { state, month, used };
        let hydrated = self.limiter().hydrate(self.key, snapshot).await;
        hydrated.expect("hydrate");
    }

    async fn apply(&self, state: KeyState) {
        let applied = self.limiter().apply(self.key, state).await;
        applied.expect("applying is no error, of an unknown key neither");
    }

    async fn forget(&self) {
        let forgotten = self.limiter().forget(self.key).await;
        forgotten.expect("forgetting is no error");
    }

    async fn admit(&self) -> Verdict {
        self.admit_key(self.key).await
    }

    /// Admits a request of another key under the same limiter.
    async fn admit_key(&self, key: CountedKey) -> Verdict {
        self.limiter().admit(key).await.expect("admit")
    }

    /// Refunds the suite's one request of a key in this month.
    async fn refund(&self, key: CountedKey, month: Month) {
        let refunded = self.limiter().refund(key, month, Uuid::from_u128(42)).await;
        refunded.expect("refund");
    }

    async fn peek(&self) -> Option<LimitStatus> {
        self.limiter().peek(self.key).await.expect("peek")
    }

    /// Peeks at a known key.
    async fn limit_status(&self) -> LimitStatus {
        self.peek().await.expect("the key is known")
    }

    /// Tries `attempts` times and counts the admissions.
    async fn admitted_of(&self, attempts: usize) -> usize {
        let mut admitted = 0;
        for _ in 0..attempts {
            admitted += usize::from(is_admitted(&self.admit().await));
        }
        admitted
    }
}

/// The `number`th key, which succeeds no other.
fn key(number: u128) -> CountedKey {
    CountedKey::first(KeyId(Uuid::from_u128(number)))
}

fn used(charged: u64) -> MonthlyUse {
    MonthlyUse {
        charged,
        refunded: 0,
    }
}

fn state(per_minute: u32, quota: Option<u64>, version: u64) -> KeyState {
    let limits = Limits::new(per_minute, quota).expect("limits of the suite");
    KeyState {
        revoked: false,
        limits,
        version,
    }
}

fn is_admitted(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Admitted { .. })
}

fn is_rate_limited(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::RateLimited { .. })
}

fn is_over_quota(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::QuotaExceeded { .. })
}

fn revoked(per_minute: u32, quota: Option<u64>, version: u64) -> KeyState {
    KeyState {
        revoked: true,
        ..state(per_minute, quota, version)
    }
}

async fn an_unknown_key_is_never_admitted(under_test: LimiterUnderTest) {
    let subject = Subject::unknown(under_test);
    let month = subject.month().await;
    let unknown = Verdict::Unknown { month };
    assert_eq!(subject.admit().await, unknown);
    subject.apply(state(5, None, 9)).await;
    let verdict = subject.admit().await;
    assert_eq!(verdict, unknown, "a change alone doesn't make a key known");
}

async fn exactly_the_limit_is_admitted_in_a_minute(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 5, Some(1_000), 0).await;
    assert_eq!(subject.admitted_of(8).await, 5);
    let Verdict::RateLimited {
        limit_status,
        retry_after,
    } = subject.admit().await
    else {
        panic!("the sixth request of a minute was not rate limited");
    };
    let minute = limit_status.minute;
    assert_eq!((minute.limit, minute.remaining), (5, 0));
    assert!(retry_after > Duration::from_secs(50) && retry_after <= Duration::from_mins(1));
    subject.advance(retry_after).await;
    let verdict = subject.admit().await;
    assert!(is_admitted(&verdict), "retry_after was not true");
}

async fn a_refusal_changes_no_count(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 2, Some(1_000), 10).await;
    assert_eq!(subject.admitted_of(50).await, 2);
    subject.advance(Duration::from_mins(1)).await;
    let Verdict::Admitted { limit_status, .. } = subject.admit().await else {
        panic!("refusals filled the window");
    };
    assert_eq!(limit_status.minute.remaining, 1);
    assert_eq!(limit_status.month.expect("there is a quota").used, 13);
}

async fn exactly_the_quota_is_admitted_in_a_month(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(1_000), 995).await;
    assert_eq!(subject.admitted_of(20).await, 5);
    let Verdict::QuotaExceeded {
        month,
        limit_status,
    } = subject.admit().await
    else {
        panic!("the quota was exceeded");
    };
    let counts = (month.limit, month.used, month.remaining());
    assert_eq!(counts, (1_000, 1_000, 0));
    assert_eq!(month.reset_at, subject.month().await.end());
    let left = limit_status.minute.remaining;
    assert_eq!(left, 95, "a refusal by quota took from the minute");
}

async fn the_minute_is_reported_when_both_limits_are_used_up(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 3, Some(3), 0).await;
    assert_eq!(subject.admitted_of(3).await, 3);
    assert!(is_rate_limited(&subject.admit().await));
}

async fn a_revoked_key_is_refused_and_no_late_hydrate_brings_it_back(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 60, None, 0).await;
    assert_eq!(subject.admitted_of(1).await, 1);
    subject.apply(revoked(60, None, 2)).await;
    assert_eq!(subject.admit().await, Verdict::Revoked);
    subject.hydrate(state(60, None, 1), used(0)).await;
    let verdict = subject.admit().await;
    assert_eq!(verdict, Verdict::Revoked, "a late hydrate undid it");
    subject.apply(state(60, None, 3)).await;
    let verdict = subject.admit().await;
    assert_eq!(verdict, Verdict::Revoked, "a later change undid it");
}

async fn new_limits_count_what_was_admitted_before(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 4, Some(100), 0).await;
    assert_eq!(subject.admitted_of(10).await, 4);
    subject.apply(state(6, Some(100), 2)).await;
    assert_eq!(subject.admitted_of(10).await, 2);
    subject.apply(state(2, Some(100), 3)).await;
    assert_eq!(subject.admitted_of(10).await, 0);
    subject.apply(state(20, Some(7), 4)).await;
    let admitted = subject.admitted_of(10).await;
    assert_eq!(admitted, 1, "the quota ignored what was admitted before");
}

async fn an_older_version_never_replaces_a_newer_one(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 2, None, 0).await;
    subject.apply(state(5, None, 9)).await;
    subject.apply(state(50, None, 8)).await;
    subject.hydrate(state(50, None, 7), used(0)).await;
    assert_eq!(subject.admitted_of(60).await, 5);
}

async fn hydrating_merges_by_maximum(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(20), 0).await;
    assert_eq!(subject.admitted_of(5).await, 5);
    for (charged, refunded) in [(3, 0), (18, 1), (4, 0)] {
        let used = MonthlyUse { charged, refunded };
        subject.hydrate(state(100, Some(20), 1), used).await;
    }
    assert_eq!(subject.admitted_of(10).await, 3);
}

async fn a_refund_gives_the_month_back_once_and_the_minute_never(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 6, Some(5), 0).await;
    assert_eq!(subject.admitted_of(9).await, 5);
    let month = subject.month().await;
    for _ in 0..3 {
        subject.refund(subject.key, month).await;
    }
    let admitted = subject.admitted_of(1).await;
    assert_eq!(admitted, 1, "a refund gave nothing back");
    let verdict = subject.admit().await;
    assert!(is_rate_limited(&verdict), "a refund gave the minute back");
    subject.advance(Duration::from_mins(1)).await;
    let verdict = subject.admit().await;
    assert!(is_over_quota(&verdict), "one was refunded more than once");
}

async fn without_a_cap_there_is_no_month_to_report(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 10, None, 1_000_000_000).await;
    let Verdict::Admitted { limit_status, .. } = subject.admit().await else {
        panic!("a key without a cap was refused");
    };
    assert_eq!(limit_status.month, None);
}

async fn concurrent_admissions_meet_the_limit_exactly(under_test: LimiterUnderTest) {
    const ASKERS: usize = 8;
    let subject = Arc::new(Subject::known(under_test, 60, Some(10_000), 0).await);
    let askers = (0..ASKERS).map(|_| {
        let subject = Arc::clone(&subject);
        // Threads of their own: the suite belongs to no async runtime.
        std::thread::spawn(move || futures::executor::block_on(subject.admitted_of(100)))
    });
    let askers: Vec<_> = askers.collect();
    let admitted = askers
        .into_iter()
        .map(|asker| asker.join().expect("an asker"));
    assert_eq!(admitted.sum::<usize>(), 60);
}
