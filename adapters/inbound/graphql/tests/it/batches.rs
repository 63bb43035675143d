//! Batches: lists, one with its rows, cancellation and erasure.

use std::time::Duration;

use application::{BatchAccess, BatchDraft, DraftRow};
use domain::batches::sheet::OwnColumn;
use domain::keys::{Environment, KeyId};
use domain::lookups::RetryFor;
use domain::proofs::file::RequestedFiles;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use web::problem::{FieldProblem, RowError};

use crate::harness::Harness;
use crate::lookups::{key, member, query};
use crate::stored::BATCHES;

const BATCH: &str = "env state reason name formats retryFor createdAt updatedAt eraseAt \
                     counts { rows faulty duplicates notBegun queued running waiting delivered deliveredSealNotChecked notFound \
                     failed expired canceled } progress eta files { results zip banxico }";
const ROW: &str = "row line callerId state duplicateOf errors { field message } \
                   question { claveRastreo cuenta monto } written { fecha monto }";
const OF_LOOKUP: &str = "reason origin payment { state } hints { code } whatToDo";

/// Rows with these amounts, which say what the bank answers.
fn rows(amounts: &[&'static str]) -> Vec<DraftRow> {
    let row = |(line, amount): (u32, &&'static str)| DraftRow {
        line,
        caller_id: Some(format!("A-{line}")),
        cells: Vec::new(),
        lookup: None,
        is_called_answered: false,
        query: Ok(query(amount)),
    };
    (2..).zip(amounts).map(row).collect()
}

fn draft(key: KeyId, rows: Vec<DraftRow>) -> BatchDraft {
    BatchDraft {
        key: Some(key),
        name: Some("noviembre".to_owned()),
        files: RequestedFiles::Both,
        retry_for: RetryFor::from_secs(0).unwrap(),
        skips_answered: false,
        passed_over: Vec::new(),
        columns: OwnColumn::of_api(),
        rows,
    }
}

/// Creates a batch of the member's, and returns its id.
async fn created(harness: &Harness, draft: BatchDraft) -> String {
    let access = BatchAccess::Person(member());
    let batches = &harness.lookups.services.batches;
    let created = batches.create(&access, draft, None).await.unwrap();
    created.batch.found.unwrap().id.to_string()
}

/// A harness with a batch of the member's that nobody worked on: two payments, a repeated one and one with
/// an error.
pub(crate) async fn with_batch() -> (Harness, String) {
    let harness = Harness::with_room().await;
    let (key, _) = key(&harness, Environment::Test).await;
    let mut rows = rows(&["10.00", "404.02", "10.00"]);
    let error = RowError::new("monto", &FieldProblem::NotPositive);
    rows.push(DraftRow {
        line: 5,
        caller_id: None,
        cells: ["", "", "", "", "-5"].map(str::to_owned).to_vec(),
        lookup: None,
        is_called_answered: false,
        query: Err(RowError::kept(&[error])),
    });
    let id = created(&harness, draft(key, rows)).await;
    (harness, id)
}

/// The same, canceled.
pub(crate) async fn with_canceled_batch() -> (Harness, String) {
    let (harness, id) = with_batch().await;
    BATCHES.cancel(&harness, "member", &id).await;
    (harness, id)
}

impl Harness {
    /// Looks the rows of all batches up, as far as they are due.
    async fn work_on_batches(&self) {
        for _ in 0..4 {
            self.lookups.services.feeder.round().await.unwrap();
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            self.lookups.work().await;
            self.services.clock.advance(Duration::from_secs(1));
        }
    }
}

/// The lookups of a batch.
const OF_BATCH: &str = "query($id: ID!) { lookups(filter: { batchId: $id }) { nodes { id } } }";

/// Data with a placeholder for a batch's id.
fn without_id(data: &Value, id: &str) -> Value {
    serde_json::from_str(&data.to_string().replace(id, "BATCH")).unwrap()
}

fn with_rows(fields: &str) -> String {
    format!(
        "query($id: ID!) {{ batch(id: $id) {{ {BATCH} }} \
         batchRows(id: $id) {{ nodes {{ {ROW} lookup {{ {OF_LOOKUP} {fields} }} }} pageInfo {{ hasNextPage }} }} }}"
    )
}

#[tokio::test]
async fn a_new_batch_has_its_counts_and_the_errors_of_its_rows() {
    let (harness, id) = with_batch().await;
    let query = with_rows("id");
    let data = harness.read(&query, json!({ "id": id })).await;
    assert_json_snapshot!("new", without_id(&data, &id));
}

#[tokio::test]
async fn a_finished_batch_has_the_lookups_of_its_rows() {
    let (harness, id) = with_batch().await;
    harness.work_on_batches().await;
    let query = with_rows("id");
    let mut data = harness.read(&query, json!({ "id": id })).await;
    let lookups = harness.read(OF_BATCH, json!({ "id": id })).await;
    let nodes = lookups["lookups"]["nodes"].as_array().unwrap();
    let mut listed: Vec<_> = nodes.iter().collect();
    for row in data["batchRows"]["nodes"].as_array_mut().unwrap() {
        let lookup = row["lookup"]
            .get_mut("id")
            .map(Value::take)
            .unwrap_or_default();
        let place = listed.iter().position(|node| node["id"] == lookup);
        assert_eq!(place.is_some(), !lookup.is_null());
        place.map(|place| listed.remove(place));
    }
    assert!(listed.is_empty(), "{listed:?}");
    assert_json_snapshot!("finished", without_id(&data, &id));
}

#[tokio::test]
async fn rows_are_found_by_what_a_person_knows_of_them() {
    let (harness, id) = with_batch().await;
    harness.work_on_batches().await;
    let query = "query($id: ID!, $filter: BatchRowFilter) { \
                 batchRows(id: $id, first: 2, filter: $filter) { nodes { row } pageInfo { hasNextPage } } }";
    for (filter, expected, more) in [
        (json!({}), vec![1, 2], true),
        (
            json!({ "states": ["FAULTY", "DUPLICATE"] }),
            vec![3, 4],
            false,
        ),
        (
            json!({ "states": ["DELIVERED"], "seal": "VALID" }),
            vec![],
            false,
        ),
        (json!({ "seal": "NOT_CHECKED" }), vec![1], false),
        (json!({ "fault": "monto" }), vec![4], false),
        (json!({ "text": "a-3" }), vec![2], false),
        (json!({ "text": "10.00" }), vec![1, 3], false),
    ] {
        let page = harness
            .read(query, json!({ "id": id, "filter": filter }))
            .await;
        let page = &page["batchRows"];
        let rows = page["nodes"].as_array().unwrap().iter();
        let rows: Vec<_> = rows.map(|row| row["row"].as_u64().unwrap()).collect();
        assert_eq!(
            (rows, &page["pageInfo"]["hasNextPage"]),
            (expected, &json!(more)),
            "{filter}"
        );
    }
}

#[tokio::test]
async fn rows_follow_each_other_page_by_page() {
    let harness = Harness::with_room().await;
    let (key, _) = key(&harness, Environment::Test).await;
    let id = created(&harness, draft(key, rows(&["10.00"; 205]))).await;
    let query = "query($id: ID!, $first: Int!, $after: String) { \
                 batchRows(id: $id, first: $first, after: $after) { nodes { row } edges { cursor } \
                 pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }";
    for (first, after, expected, more) in [
        (100, 0, 1..=100, true),
        (100, 50, 51..=150, true),
        (100, 105, 106..=205, false),
        (100, 104, 105..=204, true),
        (7, 204, 205..=205, false),
        (1, 0, 1..=1, true),
    ] {
        let cursor = (after > 0).then(|| after.to_string());
        let variables = json!({ "id": id, "first": first, "after": cursor });
        let page = harness.read(query, variables).await;
        let page = &page["batchRows"];
        let numbers = page["nodes"].as_array().unwrap().iter();
        let numbers = numbers.map(|row| row["row"].as_u64().unwrap());
        assert!(numbers.eq(expected.clone()), "{first} after {after}");
        let cursors = page["edges"].as_array().unwrap().iter();
        let cursors = cursors.map(|edge| edge["cursor"].clone());
        assert!(cursors.eq(expected.clone().map(|number| json!(number.to_string()))));
        let place = json!({
            "hasNextPage": more,
            "hasPreviousPage": after > 0,
            "startCursor": expected.start().to_string(),
            "endCursor": expected.end().to_string(),
        });
        assert_eq!(page["pageInfo"], place, "{first} after {after}");
    }
    let variables = json!({ "id": id, "first": 10, "after": "205" });
    let page = harness.read(query, variables).await;
    assert_eq!(page["batchRows"]["nodes"], json!([]));
    assert_eq!(page["batchRows"]["pageInfo"]["hasNextPage"], false);
    // Without arguments: the first fifty.
    let page = harness.read(&with_rows(""), json!({ "id": id })).await;
    assert_eq!(page["batchRows"]["nodes"].as_array().unwrap().len(), 50);
}

#[tokio::test]
async fn rows_out_of_range_are_refused() {
    let (harness, id) = with_batch().await;
    for argument in [
        "first: 0",
        "first: 101",
        "first: -1",
        "after: \"-1\"",
        "after: \"x\"",
    ] {
        let query =
            format!("{{ batchRows(id: \"{id}\", {argument}) {{ pageInfo {{ hasNextPage }} }} }}");
        let code = harness.member(&query).await.code();
        assert_eq!(code, "INVALID_REQUEST", "{argument}");
    }
}

#[tokio::test]
async fn the_list_is_narrowed_by_state_environment_and_key() {
    let (harness, first) = with_batch().await;
    let (live, _) = key(&harness, Environment::Live).await;
    harness.services.clock.advance(Duration::from_secs(1));
    let second = created(&harness, draft(live, rows(&["10.00"]))).await;
    BATCHES.cancel(&harness, "member", &second).await;
    let query = "query($id: ID!) { batch(id: $id) { keyId } }";
    let test = harness.read(query, json!({ "id": first })).await;
    let test = test["batch"]["keyId"].clone();
    let all = json!(["CANCELED", "QUEUED"]);
    for (filter, expected) in [
        (Value::Null, all.clone()),
        (json!({ "states": [] }), all),
        (json!({ "states": ["QUEUED", "QUEUED"] }), json!(["QUEUED"])),
        (json!({ "states": ["PAUSED", "FINISHED"] }), json!([])),
        (json!({ "env": "LIVE" }), json!(["CANCELED"])),
        (json!({ "env": "TEST" }), json!(["QUEUED"])),
        (json!({ "keyId": live.to_string() }), json!(["CANCELED"])),
        (json!({ "keyId": test }), json!(["QUEUED"])),
    ] {
        let states = BATCHES.states(&harness, filter.clone()).await;
        assert_eq!(states, expected, "{filter}");
    }
}

#[tokio::test]
async fn pages_follow_each_other() {
    let harness = Harness::with_room().await;
    let (key, _) = key(&harness, Environment::Test).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let id = created(&harness, draft(key, rows(&["10.00"]))).await;
        ids.push(json!(id));
        harness.services.clock.advance(Duration::from_secs(1));
    }
    BATCHES.assert_pages_of_two(&harness, ids).await;
}

#[tokio::test]
async fn a_batch_of_another_account_does_not_exist_for_a_member_nor_an_admin() {
    let (harness, id) = with_batch().await;
    let query = "query($id: ID!) { batch(id: $id) { id } batchRows(id: $id) { nodes { row } } \
                 lookups(filter: { batchId: $id }) { nodes { id } } }";
    let nothing = json!({ "batch": null, "batchRows": null, "lookups": { "nodes": [] } });
    let checked = BATCHES.assert_only_its_account_has_it(&harness, &id, (query, nothing));
    checked.await;
}

#[tokio::test]
async fn a_batch_is_canceled_first_and_erased_afterwards() {
    let (harness, id) = with_batch().await;
    let checked = BATCHES.assert_canceled_first_and_erased_afterwards(&harness, &id);
    checked.await;
}
