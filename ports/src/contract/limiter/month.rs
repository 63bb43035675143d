//! Beginning of a month: by the limiter's own clock.

use super::*;

pub(super) async fn a_new_month_begins_at_zero(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(5), 3).await;
    assert_eq!(subject.admitted_of(9).await, 2);
    let before = subject.month().await;
    subject.enter_next_month().await;
    let month = subject.limit_status().await.month;
    let month = month.expect("there is a quota");
    let end = subject.month().await.end();
    assert_eq!((month.used, month.reset_at), (0, end));
    let verdict = subject.admit().await;
    let Verdict::Admitted { month, .. } = verdict else {
        panic!("the new month began with the old one's use: {verdict:?}");
    };
    assert!(month > before);
    assert_eq!(subject.admitted_of(9).await, 4);
}

impl Subject {
    /// Hydrates the key with its next month.
    async fn hydrate_next_month(&self, state: KeyState, charged: u64) {
        let next = Month::of(self.month().await.end());
        self.hydrate_key(self.key, state, next, used(charged)).await;
    }
}

/// The caller's clock may be ahead: all replicas would begin the month with it, and none could
/// leave it again.
pub(super) async fn a_month_is_never_begun_by_hydration(under_test: LimiterUnderTest) {
    let subject = Subject::known(under_test, 100, Some(5), 3).await;
    subject.hydrate_next_month(state(100, Some(7), 2), 1).await;
    let admitted = subject.admitted_of(9).await;
    assert_eq!(admitted, 4, "its state is told, not its month and its use");
    let month = subject.month().await;
    let (_, kept) = subject.over_quota().await;
    assert_eq!((kept.month(), kept.used), (month, 7));
    subject.hydrate(state(100, Some(7), 2), used(6)).await;
    subject.enter_next_month().await;
    assert_eq!(subject.admitted_of(9).await, 7);

    let revoked = revoked(100, Some(7), 3);
    subject.hydrate_next_month(revoked, 0).await;
    assert_eq!(subject.admit().await, Verdict::Revoked);
}

pub(super) async fn a_key_of_a_month_that_has_not_begun_stays_unknown(
    under_test: LimiterUnderTest,
) {
    let subject = Subject::unknown(under_test);
    let state = state(100, Some(5), 1);
    subject.hydrate_next_month(state, 0).await;
    let month = subject.month().await;
    assert_eq!(subject.admit().await, Verdict::Unknown { month });
    assert_eq!(subject.peek().await, None);
    subject.hydrate(state, used(3)).await;
    assert_eq!(subject.admitted_of(9).await, 2);
}
