//! Contract of the rate limiter.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::keys::{CountedKey, KeyId};
use domain::limits::{LimitStatus, Limits, MonthStatus, MonthlyUse};
use domain::month::Month;
use uuid::Uuid;

use crate::outbound::{KeyState, Limiter, Snapshot, Verdict};

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
    self::exactly_the_limit_is_admitted_and_a_refusal_counts_nothing,
    self::exactly_the_quota_is_admitted_in_a_month,
    self::the_minute_is_reported_when_both_limits_are_used_up,
    self::a_revoked_key_is_refused_and_nothing_brings_it_back,
    self::new_limits_count_what_was_admitted_before,
    self::an_older_version_never_replaces_a_newer_one,
    self::hydrating_merges_by_maximum,
    self::a_refund_gives_the_month_back_once_and_the_minute_never,
    self::concurrent_admissions_meet_the_limit_exactly,
    unknown::an_unknown_key_is_never_admitted,
    unknown::a_key_that_was_revoked_while_it_was_unknown_is_never_admitted,
    unknown::a_forgotten_key_is_unknown_until_it_is_hydrated_again,
    month::a_new_month_begins_at_zero,
    month::a_month_is_never_begun_by_hydration,
    month::a_key_of_a_month_that_has_not_begun_stays_unknown,
    rotation::a_successor_continues_the_minute_and_the_month,
    rotation::both_keys_of_a_rotation_are_admitted_within_one_limit,
    rotation::a_revoked_predecessor_leaves_its_use_to_the_successor,
    rotation::each_key_of_a_rotation_has_limits_of_its_own,
    rotation::a_refund_of_either_key_gives_back_to_both,
    peek::peeking_reports_the_limits_of_an_admission_and_counts_nothing,
    peek::peeking_at_a_used_up_limit_reports_it,
    peek::peeking_reports_units_that_left_the_window_as_free,
    peek::many_keys_are_reported_in_their_order,
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
        self.hydrate_key(self.key, state, self.month().await, used)
            .await;
    }

    async fn hydrate_key(&self, key: CountedKey, state: KeyState, month: Month, used: MonthlyUse) {
        let snapshot = Snapshot { state, month, used };
        let hydrated = self.limiter().hydrate(key, snapshot).await;
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

    /// Admits a request within the limits.
    async fn admitted(&self) -> LimitStatus {
        match self.admit().await {
            Verdict::Admitted { limit_status, .. } => limit_status,
            refused => panic!("there is room for it: {refused:?}"),
        }
    }

    /// Is refused a request by the month's quota.
    async fn over_quota(&self) -> (LimitStatus, MonthStatus) {
        match self.admit().await {
            Verdict::QuotaExceeded {
                limit_status,
                month,
            } => (limit_status, month),
            other => panic!("the quota was exceeded: {other:?}"),
        }
    }

    /// Is refused a request by the minute's limit.
    async fn rate_limited(&self) -> (LimitStatus, Duration) {
        match self.admit().await {
            Verdict::RateLimited {
                limit_status,
                retry_after,
            } => (limit_status, retry_after),
            other => panic!("the minute was used up: {other:?}"),
        }
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

fn revoked(per_minute: u32, quota: Option<u64>, version: u64) -> KeyState {
    KeyState {
        revoked: true,
        ..state(per_minute, quota, version)
    }
}

async fn exactly_the_limit_is_admitted_and_a_refusal_counts_nothing(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 5, Some(1_000), 10).await;
    assert_eq!(subject.admitted_of(50).await, 5);
    let (limit_status, retry_after) = subject.rate_limited().await;
    let minute = limit_status.minute;
    assert_eq!((minute.limit, minute.remaining), (5, 0));
    assert!(retry_after > Duration::from_secs(50) && retry_after <= Duration::from_mins(1));
    subject.advance(retry_after).await;
    subject.admitted().await;
    subject.advance(Duration::from_mins(1)).await;
    let limit_status = subject.admitted().await;
    assert_eq!(limit_status.minute.remaining, 4);
    assert_eq!(limit_status.month.expect("there is a quota").used, 17);
}

async fn exactly_the_quota_is_admitted_in_a_month(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(1_000), 995).await;
    assert_eq!(subject.admitted_of(20).await, 5);
    let (limit_status, month) = subject.over_quota().await;
    let counts = (month.limit, month.used, month.remaining());
    assert_eq!(counts, (1_000, 1_000, 0));
    assert_eq!(month.reset_at, subject.month().await.end());
    let left = limit_status.minute.remaining;
    assert_eq!(left, 95, "a refusal by quota took from the minute");
}

async fn the_minute_is_reported_when_both_limits_are_used_up(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 3, Some(3), 0).await;
    assert_eq!(subject.admitted_of(3).await, 3);
    subject.rate_limited().await;
}

async fn a_revoked_key_is_refused_and_nothing_brings_it_back(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 60, None, 0).await;
    subject.admitted().await;
    subject.apply(revoked(60, None, 2)).await;
    let assert_revoked = async |what| {
        assert_eq!(subject.admit().await, Verdict::Revoked, "{what} undid it");
        assert_eq!(subject.peek().await, None);
    };
    assert_revoked("nothing").await;
    subject.hydrate(state(60, None, 1), used(0)).await;
    assert_revoked("a late hydrate").await;
    subject.apply(state(60, None, 3)).await;
    assert_revoked("a later change").await;
    subject.forget().await;
    let month = subject.month().await;
    assert_eq!(subject.admit().await, Verdict::Unknown { month });
    subject.hydrate(state(60, None, 1), used(1)).await;
    assert_revoked("a late hydrate of a forgotten key").await;
}

async fn new_limits_count_what_was_admitted_before(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 4, Some(100), 0).await;
    assert_eq!(subject.admitted_of(10).await, 4);
    for (version, per_minute, quota, admitted) in [
        (2, 6, Some(100), 2),
        (3, 2, Some(100), 0),
        (4, 20, Some(7), 1),
        (5, 20, None, 9),
    ] {
        subject.apply(state(per_minute, quota, version)).await;
        assert_eq!(subject.admitted_of(9).await, admitted, "{version}");
    }
    let limit_status = subject.admitted().await;
    assert_eq!(limit_status.month, None, "there is no cap");
}

async fn an_older_version_never_replaces_a_newer_one(under_test: LimiterUnderTest) {
    let subject = Subject::unknown(under_test);
    // Lowered while the key was unknown.
    subject.apply(state(5, Some(100), 8)).await;
    subject.hydrate(state(50, Some(100), 7), used(0)).await;
    assert_eq!(subject.admitted_of(9).await, 5);
    subject.apply(state(7, Some(100), 10)).await;
    subject.apply(state(50, Some(100), 9)).await;
    subject.hydrate(state(50, Some(100), 8), used(0)).await;
    assert_eq!(subject.admitted_of(9).await, 2);
    // A store that fails between two reads must not give a forgotten key another minute, either.
    subject.forget().await;
    subject.apply(state(8, Some(100), 12)).await;
    subject.forget().await;
    for _ in 0..2 {
        subject.hydrate(state(50, Some(100), 11), used(7)).await;
    }
    assert_eq!(subject.admitted_of(9).await, 1);
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
    assert_eq!(subject.admitted_of(1).await, 1);
    subject.rate_limited().await;
    subject.advance(Duration::from_mins(1)).await;
    subject.over_quota().await;
    // Not even when the key was forgotten since.
    subject.forget().await;
    subject.hydrate(state(6, Some(5), 1), used(5)).await;
    subject.refund(subject.key, month).await;
    subject.over_quota().await;
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
