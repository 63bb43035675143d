//! The query budget and back-offs.

use std::time::{Duration, Instant};

use domain::pacing::ThrottleReason;
use domain::proofs::file::RequestedFiles;
use ports::outbound::{Bank as _, BankAnswer, Lookup};
use rstest::rstest;

use crate::support::{CAPTCHA, NOT_FOUND, TOO_MANY, TestPortal, lookup, throttled};

#[tokio::test]
async fn the_fourth_lookup_in_a_row_is_refused_at_once_if_it_can_not_wait() {
    let portal = TestPortal::start(|_| async { NOT_FOUND }).await;
    let adapter = portal.paced_adapter();
    for _ in 0..3 {
        let answer = adapter.fetch(&lookup("KEY01", RequestedFiles::Xml)).await;
        assert_eq!(answer.unwrap(), BankAnswer::NotFound);
    }
    let hurried = Lookup {
        patience: Duration::from_secs(3),
        ..lookup("KEY01", RequestedFiles::Xml)
    };
    let started = Instant::now();
    let (retry_after, reason) = throttled(adapter.fetch(&hurried).await);
    assert_eq!(reason, ThrottleReason::BudgetUsedUp);
    assert!(started.elapsed() < Duration::from_secs(1));
    assert!(retry_after > Duration::from_secs(2) && retry_after <= Duration::from_millis(4_067));
    assert_eq!(portal.requests().len(), 3);
}

#[rstest]
#[case::captcha(CAPTCHA, ThrottleReason::CaptchaPage)]
#[case::too_many(TOO_MANY, ThrottleReason::TooManyQueriesPage)]
#[tokio::test]
async fn no_request_is_sent_during_a_back_off(
    #[case] page: &'static str,
    #[case] met: ThrottleReason,
    #[values("valida.do", "descarga.do?formato=XML")] from: &'static str,
) {
    let portal = TestPortal::ready_but(from, move || page).await;
    let adapter = portal.paced_adapter();
    let mut request = None;
    for expected in [met, ThrottleReason::BackingOff, ThrottleReason::BackingOff] {
        let answer = adapter.fetch(&lookup("KEY01", RequestedFiles::Xml)).await;
        let (retry_after, reason) = throttled(answer);
        assert_eq!(reason, expected);
        assert!(retry_after > Duration::from_secs(110) && retry_after <= Duration::from_mins(2));
        let now = portal.requests().len();
        assert_eq!(*request.get_or_insert(now), now, "another request was sent");
    }
}
