//! Queries that several callers make at the same time.

use super::*;

#[tokio::test]
async fn one_query_of_many_callers_is_sent_once_and_its_failure_is_not_cached() {
    for (amount, is_delivered) in [("10.00", true), ("404.00", false)] {
        let fixture = Arc::new(fixture());
        for report in fixture.together(50, amount).await {
            assert_eq!(report.result.is_ok(), is_delivered);
        }
        assert_eq!(fixture.test.times_asked(), 1);
        drop(fixture.fetch(amount, XML).await);
        let asked = if is_delivered { 1 } else { 2 };
        assert_eq!(fixture.test.times_asked(), asked);
    }
}

#[tokio::test]
async fn a_query_that_all_callers_cancelled_is_sent_anew() {
    let fixture = Arc::new(fixture());
    fixture.test.hold();
    let gone = Arc::clone(&fixture);
    let gone = tokio::spawn(async move { gone.delivery("10.00", XML).await });
    fixture.is_asked().await;
    gone.abort();
    assert!(gone.await.err().unwrap().is_cancelled());
    fixture.test.release();
    fixture.delivery("10.00", XML).await;
    assert_eq!(fixture.test.times_asked(), 2);
}

/// The report of the second of two callers: it wants the PDF, while the first's query for the XML
/// takes `waited`.
async fn behind_a_query_that_takes(fixture: &Arc<Fixture>, waited: Duration) -> FetchReport {
    fixture.test.hold();
    let first = fixture.asking("10.00", XML);
    fixture.is_asked().await;
    let second = fixture.asking("10.00", PDF);
    // Both run on this thread: after its turn, the second waits for the first's query.
    tokio::task::yield_now().await;
    fixture.clock.advance(waited);
    fixture.test.release();
    first.await.result.unwrap();
    second.await
}

#[tokio::test]
async fn a_caller_who_waited_for_anothers_query_has_only_the_rest_of_its_patience() {
    let fixture = Arc::new(fixture());
    let waited = Duration::from_secs(3);
    let report = behind_a_query_that_takes(&fixture, waited).await;
    report.result.unwrap();
    assert_eq!(fixture.asked(), [XML, PDF]);
    // Waiting with others is waiting.
    assert_eq!(report.details.bank_time, Some(waited));
    let patience: Vec<_> = fixture.test.asked().iter().map(|it| it.patience).collect();
    assert_eq!(patience, [PATIENCE, PATIENCE.checked_sub(waited).unwrap()]);
}

#[tokio::test]
async fn a_caller_without_patience_left_sends_no_query() {
    let fixture = Arc::new(fixture());
    let report = behind_a_query_that_takes(&fixture, PATIENCE).await;
    let error = report.result.unwrap_err();
    assert!(
        matches!(error, FetchError::Bank(BankError::Timeout)),
        "{error:?}"
    );
    assert_eq!(fixture.test.times_asked(), 1);
}
