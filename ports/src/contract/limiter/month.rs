//! Beginning of a month: by the limiter's own clock.

use domain::key::CountedKey;
use domain::month::Month;

use super::{LimiterUnderTest, Subject, key, state, used};
use crate::outbound::{KeyState, Snapshot, Verdict};

pub(super) async fn a_new_month_begins_at_zero(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(5), 3).await;
    assert_eq!(subject.admitted_of(9).await, 2);
    let now = subject.under_test.time.now().await;
    subject
        .under_test
        .time
        .advance(Month::of(now).time_left(now))
        .await;
    let Verdict::Admitted {
        limit_status,
        month,
        ..
    } = subject.admit().await
    else {
        panic!("the new month began with the old one's use");
    };
    assert!(month > Month::of(now));
    assert_eq!(limit_status.month.expect("there is a quota").used, 1);
}

impl Subject {
    /// Enters the next month.
    async fn enter_next_month(&self) {
        let now = self.under_test.time.now().await;
        let left = Month::of(now).time_left(now);
        self.under_test.time.advance(left).await;
    }

    /// Hydrates a key with its next month.
    async fn hydrate_next_month(&self, key: CountedKey, state: KeyState, charged: u64) {
        let now = self.under_test.time.now().await;
        let snapshot = Snapshot {
            state,
            month: Month::of(Month::of(now).end()),
            used: used(charged),
        };
        let told = self.under_test.limiter.hydrate(key, snapshot).await;
        told.expect("hydrate");
    }
}

/// The caller's clock may be ahead: all replicas would begin the month with it, and none could
/// leave it again.
pub(super) async fn a_month_is_never_begun_by_hydration(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(5), 3).await;
    subject
        .hydrate_next_month(subject.key, state(100, Some(7), 2), 1)
        .await;
    assert_eq!(
        subject.admitted_of(9).await,
        4,
        "its state is told, and neither its month nor its use"
    );
    let month = Month::of(subject.under_test.time.now().await);
    let Verdict::QuotaExceeded { month: kept, .. } = subject.admit().await else {
        panic!("the quota was exceeded");
    };
    assert_eq!((kept.month(), kept.used), (month, 7));
    subject.hydrate(state(100, Some(7), 2), used(6)).await;
    subject.enter_next_month().await;
    assert_eq!(subject.admitted_of(9).await, 7);

    let revoked = KeyState {
        revoked: true,
        ..state(100, Some(7), 3)
    };
    subject.hydrate_next_month(subject.key, revoked, 0).await;
    assert_eq!(subject.admit().await, Verdict::Revoked);
}

pub(super) async fn a_key_of_a_month_that_has_not_begun_stays_unknown(
    under_test: LimiterUnderTest,
) {
    let subject = Subject {
        under_test,
        key: key(7),
    };
    let state = state(100, Some(5), 1);
    subject.hydrate_next_month(subject.key, state, 0).await;
    let month = Month::of(subject.under_test.time.now().await);
    assert_eq!(subject.admit().await, Verdict::Unknown { month });
    assert_eq!(subject.peek().await, None);
    subject.hydrate(state, used(3)).await;
    assert_eq!(subject.admitted_of(9).await, 2);
}
