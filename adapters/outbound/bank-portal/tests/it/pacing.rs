//! The query budget and back-offs.

use std::time::{Duration, Instant};

use domain::file::RequestedFiles;
use domain::pacing::ThrottleReason;
use ports::outbound::{Bank as _, BankAnswer, BankError, Lookup};
use rstest::rstest;

use crate::support::{CAPTCHA, NOT_FOUND, READY, TOO_MANY, TestPortal, lookup};

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
    let Err(BankError::Throttled {
        retry_after,
        reason,
    }) = adapter.fetch(&hurried).await
    else {
        panic!("throttling was expected");
    };
    assert_eq!(reason, ThrottleReason::BudgetUsedUp);
    assert!(started.elapsed() < Duration::from_secs(1));
    assert!(retry_after > Duration::from_secs(2) && retry_after <= Duration::from_millis(4_067));
    assert_eq!(portal.requests().len(), 3);
}

#[rstest]
#[tokio::test]
async fn no_request_is_sent_during_a_back_off(
    #[values(CAPTCHA, TOO_MANY)] page: &'static str,
    #[values("valida.do", "descarga.do?formato=XML")] from: &'static str,
) {
    let portal = TestPortal::start(move |request| async move {
        if request.target.ends_with(from) {
            page
        } else {
            READY
        }
    })
    .await;
    let adapter = portal.paced_adapter();
    let mut request = None;
    let met = if page == CAPTCHA {
        ThrottleReason::CaptchaPage
    } else {
        ThrottleReason::TooManyQueriesPage
    };
    for expected in [met, ThrottleReason::BackingOff, ThrottleReason::BackingOff] {
        let answer = adapter.fetch(&lookup("KEY01", RequestedFiles::Xml)).await;
        let Err(BankError::Throttled {
            retry_after,
            reason,
        }) = answer
        else {
            panic!("throttling was expected, not {answer:?}");
        };
        assert_eq!(reason, expected);
        assert!(retry_after > Duration::from_secs(110) && retry_after <= Duration::from_mins(2));
        let now = portal.requests().len();
        assert_eq!(*request.get_or_insert(now), now, "another request was sent");
    }
}
