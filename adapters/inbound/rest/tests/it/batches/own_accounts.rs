//! Rows whose account is masked, and their results, sent again.

use std::time::Duration;

use domain::payment::{Payment, PaymentState};
use domain::people::customer::Role;
use domain::transfer::Transfer;
use serde_json::{Value, json};
use testkit::fakes::Script;

use super::results_workbook::{rows, texts};
use super::workbooks::XLSX;
use crate::data;
use crate::harness::{Exchange as _, Harness};
use crate::people::{ask, with_json};

const TOKEN: &str = "the-machines-token";
const ACCOUNTS: [&str; 4] = ["5510000771", "5520000771", "5530000771", "5540000771"];
const MASKED: &str = "fecha,clave_rastreo,cuenta,monto,emisor\n\
    2026-11-18,MBAN01,****0771,10.00,40012\n";

/// A finished batch of a row with a masked account that four own ones fit, at a bank with this rule; its path.
async fn finished(rule: fn(&Transfer) -> Script) -> (Harness, String) {
    let services = data::machine().await;
    services.sign_in(TOKEN, "machine", Role::Member);
    let harness = Harness::over(services).await;
    for account in ACCOUNTS {
        let body = json!({ "name": "Ventas", "cuenta": account, "receptor": "40002" });
        let adding = ask(&harness, TOKEN, "POST", "/v1/accounts");
        with_json(adding, body.to_string()).json_of(201).await;
        let clock = &harness.gateway.services.clock;
        clock.advance(Duration::from_secs(1));
    }
    harness.bank().answer_by(rule);
    let path = harness.new_batch("?retry_for=0", MASKED).await;
    harness.work_until(&path, "finished").await;
    (harness, path)
}

/// The results as CSV and as a workbook, each with its media type.
async fn both(harness: &Harness, path: &str) -> [(&'static str, Vec<u8>); 2] {
    let read = async |format| {
        let answer = harness.batch(format!("{path}/results?format={format}"));
        answer.await.bytes().await.unwrap().to_vec()
    };
    [("text/csv", read("csv").await), (XLSX, read("xlsx").await)]
}

async fn sent(harness: &Harness, query: &str, table: (&str, Vec<u8>), status: u16) -> Value {
    let request = harness.batches("POST", query);
    let request = request.header("content-type", table.0).body(table.1);
    request.json_of(status).await
}

#[tokio::test]
async fn a_masked_account_stays_so_in_the_results_which_ask_the_same_when_they_are_sent_again() {
    let (harness, path) = finished(|_| Script::KnowNothing).await;
    let row = &harness.rows(&path).await[0];
    let hint = &row["lookup"]["hints"][0];
    assert_eq!(hint["code"], "more_own_accounts");
    let hint = hint["message"].as_str().unwrap();
    assert!(hint.contains("4 cuentas propias"), "{hint}");
    let asked = ACCOUNTS[..3].join(" ");
    let tables = both(&harness, &path).await;
    let csv = std::str::from_utf8(&tables[0].1).unwrap();
    let workbook = texts(&rows(&tables[1].1)[1]).join("|");
    for told in [hint, "more_own_accounts", &asked] {
        assert!(csv.contains(told) && workbook.contains(told), "{told}");
    }
    assert!(csv.contains(",****0771,10.00,40012,,"), "{csv}");
    assert!(workbook.contains("|****0771|"), "{workbook}");
    for table in tables {
        let again = sent(&harness, "?retry_for=0", table, 202).await;
        let again = format!("/{}", again["id"].as_str().unwrap());
        assert_eq!(harness.rows(&again).await[0]["question"], row["question"]);
    }
}

#[tokio::test]
async fn a_row_that_is_answered_for_another_own_account_than_the_first_is_not_asked_again() {
    let (harness, path) = finished(|transfer| {
        if transfer.account().as_str() != ACCOUNTS[1] {
            return Script::KnowNothing;
        }
        Script::Know(Payment {
            state: PaymentState::Returned,
            received_at: None,
            processed_at: None,
        })
    })
    .await;
    let row = &harness.rows(&path).await[0];
    assert_eq!(row["question"]["cuenta"], ACCOUNTS[1]);
    for table in both(&harness, &path).await {
        let check = sent(&harness, "?dry_run=true", table, 200).await;
        let answered = json!([{ "reason": "answered", "rows": 1, "lines": [2] }]);
        assert_eq!(check["passed_over"], answered);
    }
}
