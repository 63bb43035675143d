//! The catalogue of participants, from the portal to the answers of a server.

use std::process::Output;
use std::time::Duration;

use serde_json::json;

use crate::gateway::{CountingBank, Gateway, command, eventually, json_of, request};

/// Number of lists that a bank was asked for.
fn lists(bank: &CountingBank) -> usize {
    let is_list = |question: &&String| question.starts_with("instituciones.do");
    bank.asked().iter().filter(is_list).count()
}

fn said(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

async fn as_of(gateway: &Gateway) -> String {
    let list = json_of(gateway.get("/v1/participants").await, 200).await;
    list["as_of"].as_str().unwrap().to_owned()
}

/// The date of the list that is compiled in.
const EMBEDDED: &str = "2026-09-11";

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_beside_a_server_is_done_by_the_server_which_keeps_the_budget() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.gateway();
    assert_eq!(as_of(&gateway).await, EMBEDDED);
    assert!(said(&gateway.run(&["participants", "refresh"])).contains("that runs"));
    let has_new = async || as_of(&gateway).await != EMBEDDED;
    eventually("it has the new list", Duration::from_secs(40), has_new).await;
    assert_eq!(lists(&bank), 1);
    let said = said(&gateway.run(&["participants", "list"]));
    let beginning = format!("Catalogue of participants as of {}", as_of(&gateway).await);
    assert!(said.starts_with(&beginning), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_without_a_server_asks_the_portal_itself() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let folder = tempfile::tempdir().unwrap();
    let refreshed = command(folder.path())
        .env("CEP_BANK_URL", &bank.url)
        .args(["participants", "refresh"])
        .output();
    let said = said(&refreshed.unwrap());
    assert!(said.ends_with("Added: none. Removed: none.\n"), "{said}");
    assert_eq!(lists(&bank), 1);
}

#[tokio::test]
async fn an_imported_catalogue_is_used_by_a_running_server() {
    let (gateway, key) = Gateway::with_key();
    let mut csv = said(&gateway.run(&["participants", "list", "--csv"]));
    csv.push_str("799,90799,,NUEVA,2026-01-01,\n");
    let file = gateway.folder().join("participants.csv");
    std::fs::write(&file, csv).unwrap();
    let file = file.to_str().unwrap();
    said(&gateway.run(&["participants", "import", file, "--as-of", "2026-11-20"]));
    let has_it = async || as_of(&gateway).await == "2026-11-20";
    eventually("it has the list", Duration::from_secs(10), has_it).await;
    let mut to_the_newcomer = request(1, "1.00");
    to_the_newcomer["cuenta"] = json!("799180000000000006");
    to_the_newcomer["receptor"] = json!(null);
    let answer = gateway.post("xml_auto", &key, &to_the_newcomer).await;
    assert_eq!(answer.headers()["x-inferred-receptor"], "90799");

    std::fs::write(file, "no,catalogue\n").unwrap();
    let refused = gateway.run(&["participants", "import", file]);
    assert!(!refused.status.success());
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("the first line must be"), "{error}");
    assert_eq!(as_of(&gateway).await, "2026-11-20");
}
