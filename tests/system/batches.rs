//! Batches: a process dies in the middle, replicas share the work, and nobody else waits.

mod imports;
mod outages;
mod uploads;

use std::time::Duration;

use crate::archive::{AMOUNT, everything_under};
use crate::fleet::Fleet;
use crate::gateway::{CountingBank, Gateway, Key, Plan, eventually, json_of, request};
use crate::person::{Demo, Person};
use crate::webhooks::receiver::Receiver;
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

/// Longest time until a batch ends, on a busy machine, that has to wait for a lease of 30 s to end.
const PATIENCE: Duration = Duration::from_mins(2);

/// A table of so many payments, their numbers from `first` on.
pub(crate) fn table(first: u32, rows: u32) -> String {
    let mut table = "fecha,clave_rastreo,cuenta,monto,emisor,receptor,id\n".to_owned();
    for number in first..first + rows {
        let row = request(number, AMOUNT);
        let id = format!(",fila-confidencial-{number}\n");
        table.push_str(&cells(&row, &["emisor", "receptor"], &id));
    }
    table
}

/// A line of a table: the transfer of a question, more of its members, and what ends the line.
pub(crate) fn cells(question: &Value, more: &[&str], end: &str) -> String {
    let names = ["fecha", "clave_rastreo", "cuenta", "monto"].iter();
    let text = |name: &&str| match &question[name] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let cells: Vec<_> = names.chain(more).map(text).collect();
    [&cells.join(","), end].concat()
}

/// Posts a table.
pub(crate) async fn post(gateway: &Gateway, key: &Key, path: &str, table: String) -> Response {
    let path = format!("/v1/cep/batches{path}");
    let posting = gateway.keyed(Method::POST, &path, key);
    let posting = posting.header("content-type", "text/csv").body(table);
    posting.send().await.unwrap()
}

/// Reads once the key may: it reads 600 times a minute.
async fn get(gateway: &Gateway, key: &Key, path: &str) -> Response {
    let path = format!("/v1/cep/batches{path}");
    let mut answer = None;
    eventually("the key may read", PATIENCE, async || {
        let read = answer.insert(gateway.read(&path, key).await);
        read.status() != StatusCode::TOO_MANY_REQUESTS
    })
    .await;
    answer.unwrap()
}

/// Creates a batch; returns its path.
async fn create(gateway: &Gateway, key: &Key, table: String) -> String {
    let batch = json_of(post(gateway, key, "", table).await, 202).await;
    format!("/{}", batch["id"].as_str().unwrap())
}

/// The batch once a condition holds.
async fn once(
    gateway: &Gateway,
    key: &Key,
    path: &str,
    condition: impl Fn(&Value) -> bool,
) -> Value {
    let mut batch = Value::Null;
    eventually("the batch is so far", PATIENCE, async || {
        batch = json_of(get(gateway, key, path).await, 200).await;
        condition(&batch)
    })
    .await;
    batch
}

fn count(batch: &Value, name: &str) -> u64 {
    batch["counts"][name].as_u64().unwrap()
}

/// Waits until so many rows have a proof whose seal nobody can check, as those of the tests' own banks.
async fn under_way(gateway: &Gateway, key: &Key, path: &str, rows: u64) {
    let is_under_way = |batch: &Value| count(batch, "delivered_seal_not_checked") > rows;
    once(gateway, key, path, is_under_way).await;
}

/// Waits until the batch is finished, with all rows delivered.
async fn finished(gateway: &Gateway, key: &Key, path: &str, rows: u32) {
    let batch = once(gateway, key, path, |batch| batch["state"] == "finished").await;
    let delivered = count(&batch, "delivered_seal_not_checked");
    assert_eq!(delivered, u64::from(rows), "{batch:#}");
}

/// Asserts that the bank was asked once for each row, and once more for those that were under way when a
/// process died: 64 at the same time, at most.
#[track_caller]
fn assert_asked_once(bank: &CountingBank, rows: u32) {
    let (asked, rows) = (bank.cycles().len(), rows as usize);
    assert!((rows..=rows + 64).contains(&asked), "{asked} times");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_goes_on_after_its_gateway_was_killed_and_counts_each_row_once() {
    const ROWS: u32 = 400;
    let bank = CountingBank::start(Duration::from_millis(20)).await;
    let gateway = bank.gateway();
    let key = gateway.live_key();
    let path = create(&gateway, &key, table(0, ROWS)).await;
    under_way(&gateway, &key, &path, 50).await;
    let gateway = bank.gateway_in(gateway.kill());
    finished(&gateway, &key, &path, ROWS).await;
    assert_eq!(gateway.used(&key), ROWS);
    assert_asked_once(&bank, ROWS);

    let results = get(&gateway, &key, &format!("{path}/results?format=ndjson")).await;
    let proofs = delivered(&results.text().await.unwrap());
    assert_eq!(proofs.len(), ROWS as usize);
    assert_eq!(proofs[399]["id"], "fila-confidencial-399");
    let folder = gateway.stop();
    let stored = everything_under(folder.path());
    let shown = b"fila-confidencial";
    assert!(!stored.windows(shown.len()).any(|part| part == shown));
}

/// The rows of lines of JSON, all of which are delivered.
fn delivered(lines: &str) -> Vec<Value> {
    let rows = lines.lines().map(|row| serde_json::from_str(row).unwrap());
    let delivered = rows.inspect(|row: &Value| assert_eq!(row["state"], "delivered", "{row}"));
    delivered.collect()
}

/// Output of `curl` with these arguments.
async fn curl(arguments: &[&str]) -> String {
    let mut command = tokio::process::Command::new("curl");
    let run = command.args(["-fsS", "--noproxy", "*"]).args(arguments);
    let printed = run.output().await.expect("curl is installed");
    let errors = String::from_utf8_lossy(&printed.stderr);
    assert!(printed.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(printed.stdout).unwrap()
}

/// The way of a program: it sends the table, is told the end, and reads the rows.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_sends_a_table_is_told_the_end_and_streams_the_results() {
    const ROWS: usize = 250;
    let receiver = Receiver::start().await;
    let gateway = Plan::new().with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on").start();
    let person = Person::signed_in(&gateway, Demo::Admin).await;
    let key = person.create_key("contabilidad", "test").await;
    let raised = json!({ "per_minute": 1_000 });
    let path = format!("/admin/keys/{}", key.id);
    person.send(Method::PATCH, &path, &raised, 200).await;
    person
        .add_webhook(&receiver.url(), &["batch.finished"])
        .await;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pagos.csv");
    std::fs::write(&file, table(0, ROWS.try_into().unwrap())).unwrap();
    let credential = format!("x-api-key: {}", key.full);
    let url = gateway.url("/v1/cep/batches");
    let sent = format!("@{}", file.display());
    let types = ["-H", "content-type: text/csv", "--data-binary", &sent];
    let created = curl(&[&["-H", &credential, &url], &types[..]].concat()).await;
    let created: Value = serde_json::from_str(&created).unwrap();
    let id = created["id"].as_str().unwrap();

    let is_told = async || !receiver.messages().is_empty();
    eventually("the end is told", PATIENCE, is_told).await;
    let message = &receiver.bodies()[0];
    assert_eq!(message["type"], "batch.finished");
    assert_eq!(message["data"]["id"], id);
    assert_eq!(message["data"]["state"], "finished");

    let results = format!("{url}/{id}/results");
    let wanted = "accept: application/x-ndjson";
    let rows = curl(&["-N", "-H", &credential, "-H", wanted, &results]).await;
    let rows = delivered(&rows);
    let numbers = rows.iter().map(|row| row["row"].as_u64().unwrap());
    assert!(numbers.eq(1..=ROWS as u64));
    // A download that was cut off goes on where it ended.
    let rest = format!("{results}?after={}", ROWS - 3);
    let rest = curl(&["-H", &credential, "-H", wanted, &rest]).await;
    assert_eq!(rest.lines().count(), 3);
    // The person sees it, too, and everything was told once.
    let batch = person.request(Method::GET, &format!("/v1/cep/batches/{id}"));
    let batch = json_of(batch.send().await.unwrap(), 200).await;
    assert_eq!(count(&batch, "delivered"), ROWS as u64);
    assert_eq!(receiver.messages().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_of_three_replicas_goes_on_when_one_is_killed() {
    const ROWS: u32 = 300;
    let bank = CountingBank::start(Duration::from_millis(20)).await;
    let Some((_redis, mut fleet)) = Fleet::on_redis(3, |_, plan| bank.known_to(plan)) else {
        return;
    };
    let key = fleet.replicas[1].live_key();
    let path = create(&fleet.replicas[1], &key, table(0, ROWS)).await;
    under_way(&fleet.replicas[1], &key, &path, 30).await;
    fleet.replicas.remove(0).kill();
    finished(&fleet.replicas[1], &key, &path, ROWS).await;
    assert_eq!(fleet.charged(&key), u64::from(ROWS));
    assert_asked_once(&bank, ROWS);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_an_answer_is_served_before_a_batch_of_another_customer() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let plan = bank.known_to(Plan::new()).with("CEP_BANK_BUDGET", 120);
    let gateway = plan.start();
    let (greedy, other) = (gateway.live_key(), gateway.live_key());
    let path = create(&gateway, &greedy, table(0, 1_000)).await;
    under_way(&gateway, &greedy, &path, 3).await;
    for number in 5_000..5_010 {
        let before = bank.cycles().len();
        let question = request(number, AMOUNT);
        let answer = gateway.post("xml_auto", &other, &question).await;
        assert_eq!(answer.status(), 200);
        // Its own turn, and those of the batch while it waited or was answered, every half second. The batch has
        // sixteen rows in line before it.
        let turns = bank.cycles().len() - before;
        assert!(turns <= 8, "{turns} turns");
    }
    let cancel = format!("{path}/cancel");
    let canceled = json_of(post(&gateway, &greedy, &cancel, String::new()).await, 200).await;
    assert_eq!(canceled["state"], "canceled");
}

/// A table whose first row was returned.
const RETURNED: &str = include_str!("../cases/devuelto-y-sello.csv");

#[tokio::test]
async fn a_batch_with_a_returned_payment_ends_at_once_and_does_not_ask_the_bank_to_look_for_it() {
    let (gateway, key) = Gateway::with_key();
    let path = create(&gateway, &key, RETURNED.to_owned()).await;
    let batch = once(&gateway, &key, &path, |batch| batch["state"] == "finished").await;
    assert_eq!(count(&batch, "not_found"), 2, "{batch:#}");
    let table = get(&gateway, &key, &format!("{path}/results?format=csv")).await;
    let table = table.text().await.unwrap();
    let line = table.lines().nth(1).unwrap();
    assert!(line.contains("not_found,payment_returned,"), "{line}");
    assert!(line.contains("Devuelto"), "{line}");
    // What is open alone goes into the bank's own batch.
    let open = get(&gateway, &key, &format!("{path}/banxico.zip")).await;
    assert_eq!(open.status(), 409);
}
