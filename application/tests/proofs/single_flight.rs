//! Questions that several callers have at the same time.

use super::*;

#[tokio::test]
async fn one_question_of_many_callers_is_asked_once() {
    let fixture = Arc::new(fixture());
    for report in fixture.together(50, "10.00").await {
        report.result.unwrap();
    }
    assert_eq!(fixture.test.times_asked(), 1);
}

#[tokio::test]
async fn a_failure_is_shared_by_its_callers_and_remembered_by_nobody() {
    let fixture = Arc::new(fixture());
    for report in fixture.together(10, "404.00").await {
        report.result.unwrap_err();
    }
    assert_eq!(fixture.test.times_asked(), 1);
    fixture
        .fetch("404.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap_err();
    assert_eq!(fixture.test.times_asked(), 2);
}

#[tokio::test]
async fn a_question_that_everybody_gave_up_is_asked_anew() {
    let fixture = Arc::new(fixture());
    fixture.test.hold();
    let gone = Arc::clone(&fixture);
    let gone = tokio::spawn(async move {
        gone.fetch("10.00", RequestedFiles::Xml)
            .await
            .result
            .is_ok()
    });
    fixture.is_asked().await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    fixture.test.release();
    fixture
        .fetch("10.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap();
    assert_eq!(fixture.test.times_asked(), 2);
}

#[tokio::test]
async fn a_caller_of_another_format_gets_it_after_the_first() {
    let fixture = Arc::new(fixture());
    fixture.test.hold();
    let first = fixture.asking("10.00", RequestedFiles::Xml);
    fixture.is_asked().await;
    let second = fixture.asking("10.00", RequestedFiles::Pdf);
    fixture.test.release();
    first.await.result.unwrap();
    second.await.result.unwrap();
    assert_eq!(fixture.asked(), [RequestedFiles::Xml, RequestedFiles::Pdf]);
}

/// What the second of two callers gets: it wants the PDF, while the first's question about the
/// XML takes `waited`.
async fn behind_a_question_that_takes(fixture: &Arc<Fixture>, waited: Duration) -> FetchReport {
    fixture.test.hold();
    let first = fixture.asking("10.00", RequestedFiles::Xml);
    fixture.is_asked().await;
    let second = fixture.asking("10.00", RequestedFiles::Pdf);
    // Both run on this thread: after its turn, the second waits for the first's question.
    tokio::task::yield_now().await;
    fixture.clock.advance(waited);
    fixture.test.release();
    first.await.result.unwrap();
    second.await
}

#[tokio::test]
async fn who_waited_for_anothers_question_has_only_the_rest_of_its_patience() {
    let fixture = Arc::new(fixture());
    let waited = Duration::from_secs(3);
    let report = behind_a_question_that_takes(&fixture, waited).await;
    report.result.unwrap();
    assert_eq!(
        report.details.bank_time,
        Some(waited),
        "waiting with others is waiting"
    );
    let patience: Vec<_> = fixture.test.asked().iter().map(|it| it.patience).collect();
    assert_eq!(patience, [PATIENCE, PATIENCE.checked_sub(waited).unwrap()]);
}

#[tokio::test]
async fn who_has_no_patience_left_asks_no_more() {
    let fixture = Arc::new(fixture());
    let report = behind_a_question_that_takes(&fixture, PATIENCE).await;
    let error = report.result.unwrap_err();
    assert!(matches!(error, FetchError::BankTimeout), "{error:?}");
    assert_eq!(fixture.test.times_asked(), 1);
}
