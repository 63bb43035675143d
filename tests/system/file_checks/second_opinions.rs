//! Second opinions on seals (`banxico=true`), by the sandbox's validator.

use chrono::{DateTime, Utc};
use domain::calendar;

use super::*;

#[expect(
    clippy::disallowed_methods,
    reason = "the gateway has the system's clock"
)]
fn now() -> DateTime<Utc> {
    Utc::now()
}

/// The XML of a transfer of today, since the validator looks back 45 banking days. Files with a concept that is
/// never sent are passed over.
pub(crate) async fn recent(gateway: &Gateway, key: &Key, number: u32, amount: &str) -> String {
    for round in 0..10 {
        let mut asked = request(number + 100 * round, amount);
        asked["fecha"] = json!(calendar::today(now()).to_string());
        let answer = gateway.post("xml", key, &asked).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let xml = answer.text().await.unwrap();
        if !xml.contains("&lt;") {
            return xml;
        }
    }
    panic!("the sandbox has other concepts, too");
}

/// State and reason of a second opinion.
async fn opinion(gateway: &Gateway, key: &Key, xml: &str) -> Value {
    let answer = checked(gateway, key, "?banxico=true", xml).await;
    json!([answer["banxico"]["estado"], answer["banxico"]["motivo"]])
}

#[tokio::test]
async fn the_validator_tells_the_seals_of_unknown_certificates_apart() {
    let (gateway, key) = Gateway::with_key();
    for (amount, result) in [("600.01", "valid"), ("600.02", "invalid")] {
        let xml = recent(&gateway, &key, 1, amount).await;
        let alone = checked(&gateway, &key, "", &xml).await;
        assert_eq!(alone["resultado"], "not_checked", "{alone}");
        assert_eq!(alone.get("banxico"), None);
        let answer = checked(&gateway, &key, "?banxico=true", &xml).await;
        assert_eq!(answer["resultado"], result, "{answer}");
        assert_eq!(answer["sello"]["estado"], result);
        assert_eq!(answer["sello"]["fuente"], "banxico");
        assert_eq!(answer["banxico"]["estado"], result);
        // It is the sandbox's, as everything that a test key gets.
        assert_eq!(notices(&answer), [NOT_COMPARED]);
    }
}

#[rstest]
#[case::an_error("600.03", "unavailable")]
#[case::an_unseen_page("600.04", "unknown_answer")]
#[case::about_another_file("600.05", "unknown_answer")]
#[case::with_totals_that_disagree("600.06", "unknown_answer")]
#[case::with_another_files_seal("600.07", "unknown_answer")]
#[tokio::test]
async fn no_page_but_the_known_one_about_our_file_is_a_verdict(
    #[case] amount: &str,
    #[case] reason: &str,
) {
    let (gateway, key) = Gateway::with_key();
    let xml = recent(&gateway, &key, 1, amount).await;
    let answer = checked(&gateway, &key, "?banxico=true", &xml).await;
    assert_eq!(answer["resultado"], "not_checked", "{answer}");
    assert_eq!(answer["sello"]["motivo"], "unknown_certificate");
    assert_eq!(answer["banxico"]["motivo"], reason);
}

#[tokio::test]
async fn a_verdict_by_a_key_of_the_gateway_is_never_put_to_the_validator() {
    let (gateway, key) = Gateway::with_key();
    for (amount, result) in [(AMOUNT, "valid"), ("600.00", "invalid")] {
        let xml = recent(&gateway, &key, 1, amount).await;
        let answer = checked(&gateway, &key, "?banxico=true", &xml).await;
        assert_eq!(answer["resultado"], result, "{answer}");
        assert_eq!(answer["banxico"]["motivo"], "not_needed");
        assert_eq!(answer["sello"].get("fuente"), None);
    }
}

#[tokio::test]
async fn a_live_keys_file_stays_here_unless_a_validator_is_configured() {
    let (bank, gateway, live) = CountingBank::with_gateway().await;
    let xml = recent(&gateway, &gateway.roomy_key(), 1, "600.01").await;
    let answer = opinion(&gateway, &live, &xml).await;
    assert_eq!(answer, json!(["not_available", "not_configured"]));
    assert_eq!(bank.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn a_configured_validator_is_asked_once_about_a_file_and_within_its_budget() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let url = bank.url.replace("/cep", sandbox::VALIDATOR_PATH);
    let plan = bank.known_to(Plan::new()).with("CEP_VALIDATOR_URL", url);
    let gateway = plan.start();
    let (live, test) = (gateway.live_key(), gateway.roomy_key());
    let valid = json!(["valid", null]);
    let xml = recent(&gateway, &test, 1, "600.01").await;
    for _ in 0..2 {
        assert_eq!(opinion(&gateway, &live, &xml).await, valid);
    }
    assert_eq!(bank.asked(), [sandbox::VALIDATOR_PATH]);

    // Three turns may follow each other; the next ones are ten seconds apart.
    let mut files = Vec::new();
    for number in 2..=8 {
        files.push(recent(&gateway, &test, number, "600.01").await);
    }
    let asked = files.iter().map(|xml| opinion(&gateway, &live, xml));
    let answers = join_all(asked).await;
    let busy = json!(["not_available", "busy"]);
    let refused = answers.iter().filter(|answer| **answer == busy).count();
    assert!(refused > 0, "{answers:?}");
    assert_eq!(bank.asked().len(), 1 + files.len() - refused);
    // The sandbox's has no budget, and files of test keys go there whatever is configured.
    for xml in &files {
        assert_eq!(opinion(&gateway, &test, xml).await, valid);
    }
    assert_eq!(bank.asked().len(), 1 + files.len() - refused);
}
