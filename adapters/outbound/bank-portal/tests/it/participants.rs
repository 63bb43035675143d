//! The list of participants.

use std::time::Duration;

use chrono::NaiveDate;
use domain::pacing::ThrottleReason;
use domain::participants::ListedParticipant;
use domain::proofs::file::RequestedFiles;
use ports::outbound::{Bank as _, BankError, ParticipantSource as _};
use rstest::rstest;

use crate::support::{NOT_FOUND, TOO_MANY, TestPortal, lookup, throttled};

const PATIENCE: Duration = Duration::from_secs(2);
const LIST: &str = r#"{"instituciones":[["40133","ACTINVER"],["2001","BANXICO"]],
    "institucionesMISPEI":[["40133","ACTINVER"]],"overrideCaptcha":false}"#;

fn date() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 5).unwrap()
}

#[tokio::test]
async fn the_list_of_a_day_is_asked_for_without_a_session() {
    let portal = TestPortal::start(|_| async { LIST }).await;
    let list = portal.paced_adapter().participants(date(), PATIENCE).await;
    let expected = [("40133", "ACTINVER"), ("2001", "BANXICO")]
        .map(|(code, name)| ListedParticipant::parse(code, name).unwrap());
    assert_eq!(list.unwrap(), expected);
    let [request] = &portal.requests()[..] else {
        panic!("one request was expected");
    };
    assert_eq!(request.method, "GET");
    assert_eq!(request.target, "/cep/instituciones.do?fecha=05-11-2026");
    assert_eq!(request.cookies(), None);
}

#[tokio::test]
async fn a_list_takes_one_turn_of_the_budget() {
    let portal = TestPortal::start(|request| {
        let is_page = request.is_validation();
        let answer = if is_page { NOT_FOUND } else { LIST };
        async move { answer }
    })
    .await;
    let adapter = portal.paced_adapter();
    adapter.participants(date(), PATIENCE).await.unwrap();
    for _ in 0..2 {
        let found = adapter.fetch(&lookup("KEY01", RequestedFiles::Xml)).await;
        found.unwrap();
    }
    let (_, reason) = throttled(adapter.participants(date(), PATIENCE).await);
    assert_eq!(reason, ThrottleReason::BudgetUsedUp);
    assert_eq!(portal.requests().len(), 3);
}

#[rstest]
#[case::an_unknown_page("<html><body>Bienvenido</body></html>")]
#[case::cut_off(r#"{"instituciones":[["40133","ACTINVER"],["#)]
#[case::a_damaged_entry(r#"{"instituciones":[["40133","ACTINVER"],["4001","X"]]}"#)]
#[case::no_list("{}")]
#[tokio::test]
async fn a_damaged_answer_is_no_list(#[case] answer: &'static str) {
    let portal = TestPortal::start(move |_| async move { answer }).await;
    let list = portal.paced_adapter().participants(date(), PATIENCE).await;
    assert!(matches!(list, Err(BankError::Protocol { .. })), "{list:?}");
}

#[tokio::test]
async fn the_page_of_too_many_queries_begins_a_back_off() {
    let portal = TestPortal::start(|_| async { TOO_MANY }).await;
    let adapter = portal.paced_adapter();
    let met = ThrottleReason::TooManyQueriesPage;
    for expected in [met, ThrottleReason::BackingOff] {
        let (_, reason) = throttled(adapter.participants(date(), PATIENCE).await);
        assert_eq!(reason, expected);
    }
    assert_eq!(portal.requests().len(), 1);
}
