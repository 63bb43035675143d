//! Batches: lists, one with its rows, cancellation and erasure.

use std::time::Duration;

use domain::customer::Role;
use domain::file::RequestedFiles;
use domain::key::{Environment, KeyId};
use domain::lookup::RetryFor;
use insta::assert_json_snapshot;
use ports::inbound::{BatchAccess, BatchDraft, Batches as _, DraftRow};
use rstest::rstest;
use serde_json::{Value, json};
use web::problem::{FieldProblem, RowError};

use crate::data::key_id;
use crate::harness::Harness;
use crate::lookups::{key, member, question};

const BATCH: &str = "environment state reason name formats retryForSeconds createdAt updatedAt eraseAt \
                     counts { rows faulty duplicates notBegun queued running waiting delivered deliveredSealNotChecked notFound \
                     failed expired canceled } progress eta files { results zip banxico }";
const ROW: &str = "row line callerId state duplicateOf errors { field message } reason imported \
                   question { claveRastreo cuenta monto } payment { state } hints { code } whatToDo";

/// Rows with these amounts, which say what the bank answers.
fn rows(amounts: &[&'static str]) -> Vec<DraftRow> {
    let row = |(line, amount): (u32, &&'static str)| DraftRow {
        line,
        caller_id: Some(format!("A-{line}")),
        query: Ok(question(amount).query),
    };
    (2..).zip(amounts).map(row).collect()
}

fn draft(key: KeyId, rows: Vec<DraftRow>) -> BatchDraft {
    BatchDraft {
        key: Some(key),
        name: Some("noviembre".to_owned()),
        files: RequestedFiles::Both,
        retry_for: RetryFor::from_secs(0).unwrap(),
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
        query: Err(RowError::kept(&[error])),
    });
    let id = created(&harness, draft(key, rows)).await;
    (harness, id)
}

/// The same, canceled.
pub(crate) async fn with_canceled_batch() -> (Harness, String) {
    let (harness, id) = with_batch().await;
    harness.change_batch("member", "cancelBatch", &id).await;
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

    /// States in a list of the member's.
    async fn batch_states(&self, filter: Value) -> Value {
        let query = "query($filter: BatchFilter) { batches(filter: $filter) { nodes { state } } }";
        let variables = json!({ "filter": filter });
        let data = self.ask("member", query, variables).await.data();
        let nodes = data["batches"]["nodes"].as_array().unwrap();
        nodes.iter().map(|node| node["state"].clone()).collect()
    }

    /// The payload of a mutation of one batch.
    async fn change_batch(&self, person: &str, mutation: &str, id: &str) -> Value {
        let fields = match mutation {
            "cancelBatch" => "batch { state counts { notBegun } }",
            _ => "erasedId",
        };
        self.mutate(person, mutation, fields, json!({ "id": id }))
            .await
    }
}

fn with_rows(fields: &str) -> String {
    format!(
        "query($id: ID!) {{ batch(id: $id) {{ {BATCH} }} \
         batchRows(id: $id) {{ rows {{ {ROW} {fields} }} hasNextPage }} }}"
    )
}

#[tokio::test]
async fn a_new_batch_has_its_counts_and_the_errors_of_its_rows() {
    let (harness, id) = with_batch().await;
    let query = with_rows("lookupId");
    let answer = harness.ask("member", &query, json!({ "id": id }));
    let data = answer.await.text.replace(&id, "BATCH");
    let data: Value = serde_json::from_str(&data).unwrap();
    assert_json_snapshot!("new", data);
}

#[tokio::test]
async fn a_finished_batch_has_the_lookups_of_its_rows() {
    let (harness, id) = with_batch().await;
    harness.work_on_batches().await;
    let query = with_rows("lookupId");
    let data = harness.ask("member", &query, json!({ "id": id }));
    let mut data = data.await.data();
    let lookups = format!("{{ lookups(filter: {{ batchId: \"{id}\" }}) {{ nodes {{ id }} }} }}");
    let lookups = harness.member(&lookups).await.data();
    let mut listed: Vec<_> = lookups["lookups"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    for row in data["batchRows"]["rows"].as_array_mut().unwrap() {
        let lookup = row["lookupId"].take();
        let place = listed.iter().position(|node| node["id"] == lookup);
        assert_eq!(place.is_some(), !lookup.is_null());
        place.map(|place| listed.remove(place));
    }
    assert!(listed.is_empty(), "{listed:?}");
    let data: Value = serde_json::from_str(&data.to_string().replace(&id, "BATCH")).unwrap();
    assert_json_snapshot!("finished", data);
}

#[tokio::test]
async fn rows_follow_each_other_page_by_page() {
    let harness = Harness::with_room().await;
    let (key, _) = key(&harness, Environment::Test).await;
    let id = created(&harness, draft(key, rows(&["10.00"; 205]))).await;
    let query = "query($id: ID!, $first: Int!, $after: Int!) { \
                 batchRows(id: $id, first: $first, after: $after) { rows { row } hasNextPage } }";
    for (first, after, expected, more) in [
        (100, 0, 1..=100, true),
        (100, 50, 51..=150, true),
        (100, 105, 106..=205, false),
        (100, 104, 105..=204, true),
        (7, 204, 205..=205, false),
        (1, 0, 1..=1, true),
    ] {
        let variables = json!({ "id": id, "first": first, "after": after });
        let page = harness.ask("member", query, variables).await.data();
        let page = &page["batchRows"];
        let numbers = page["rows"].as_array().unwrap().iter();
        let numbers = numbers.map(|row| row["row"].as_u64().unwrap());
        assert!(numbers.eq(expected), "{first} after {after}");
        assert_eq!(page["hasNextPage"], more, "{first} after {after}");
    }
    let variables = json!({ "id": id, "first": 10, "after": 205 });
    let page = harness.ask("member", query, variables).await.data();
    assert_eq!(
        page["batchRows"],
        json!({ "rows": [], "hasNextPage": false })
    );
    // Without arguments: the first fifty.
    let query = with_rows("");
    let page = harness.ask("member", &query, json!({ "id": id }));
    let page = page.await.data();
    assert_eq!(page["batchRows"]["rows"].as_array().unwrap().len(), 50);
}

#[rstest]
#[case("first: 0")]
#[case("first: 101")]
#[case("first: -1")]
#[case("after: -1")]
#[tokio::test]
async fn rows_out_of_range_are_refused(#[case] argument: &str) {
    let (harness, id) = with_batch().await;
    let query = format!("{{ batchRows(id: \"{id}\", {argument}) {{ hasNextPage }} }}");
    assert_eq!(harness.member(&query).await.code(), "INVALID_REQUEST");
}

#[tokio::test]
async fn the_list_is_narrowed_by_state_environment_and_key() {
    let (harness, first) = with_batch().await;
    let (live, _) = key(&harness, Environment::Live).await;
    harness.services.clock.advance(Duration::from_secs(1));
    let second = created(&harness, draft(live, rows(&["10.00"]))).await;
    harness.change_batch("member", "cancelBatch", &second).await;
    let query = "query($id: ID!) { batch(id: $id) { keyId } }";
    let test = harness.ask("member", query, json!({ "id": first })).await;
    let test = test.data()["batch"]["keyId"].clone();
    let all = json!(["CANCELED", "QUEUED"]);
    assert_eq!(harness.batch_states(Value::Null).await, all);
    for (filter, expected) in [
        (json!({ "states": [] }), all),
        (json!({ "states": ["QUEUED", "QUEUED"] }), json!(["QUEUED"])),
        (json!({ "states": ["PAUSED", "FINISHED"] }), json!([])),
        (json!({ "environment": "LIVE" }), json!(["CANCELED"])),
        (json!({ "environment": "TEST" }), json!(["QUEUED"])),
        (json!({ "keyId": live.to_string() }), json!(["CANCELED"])),
        (json!({ "keyId": test }), json!(["QUEUED"])),
    ] {
        assert_eq!(
            harness.batch_states(filter.clone()).await,
            expected,
            "{filter}"
        );
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
    let query = "query($after: String) { batches(first: 2, after: $after) { nodes { id } \
                 pageInfo { hasNextPage endCursor } } }";
    let pages = harness.pages("batches", query).await;
    ids.reverse();
    assert_eq!(pages, [&ids[..2], &ids[2..]]);
    let query = "{ batches(after: \"bm90aGluZw\") { nodes { id } } }";
    assert_eq!(harness.member(query).await.code(), "INVALID_REQUEST");
}

#[tokio::test]
async fn a_batch_of_another_account_does_not_exist_for_a_member_nor_an_admin() {
    let (harness, id) = with_batch().await;
    harness.services.sign_in("other", "other", Role::Member);
    for person in ["other", "admin"] {
        let query = "query($id: ID!) { batch(id: $id) { id } batchRows(id: $id) { hasNextPage } }";
        let found = harness.ask(person, query, json!({ "id": id })).await;
        let nothing = json!({ "batch": null, "batchRows": null });
        assert_eq!(found.data(), nothing, "{person}");
        let list = harness.ask(person, "{ batches { nodes { id } } }", Value::Null);
        assert_eq!(list.await.data()["batches"]["nodes"], json!([]), "{person}");
        for mutation in ["cancelBatch", "eraseBatch"] {
            let payload = harness.change_batch(person, mutation, &id).await;
            let code = &payload["userErrors"][0]["code"];
            assert_eq!(code, "NOT_FOUND", "{person} {mutation}");
        }
        let of_batch =
            format!("{{ lookups(filter: {{ batchId: \"{id}\" }}) {{ nodes {{ id }} }} }}");
        let of_batch = harness.ask(person, &of_batch, Value::Null).await;
        assert_eq!(of_batch.data()["lookups"]["nodes"], json!([]), "{person}");
        let of_key = format!(
            "{{ batches(filter: {{ keyId: \"{}\" }}) {{ nodes {{ id }} }} }}",
            key_id(1)
        );
        let of_key = harness.ask(person, &of_key, Value::Null).await;
        assert_eq!(of_key.code(), "NOT_FOUND", "{person}");
    }
    assert_eq!(harness.batch_states(Value::Null).await, json!(["QUEUED"]));
}

#[tokio::test]
async fn a_batch_is_canceled_first_and_erased_afterwards() {
    let (harness, id) = with_batch().await;
    let early = harness.change_batch("member", "eraseBatch", &id).await;
    assert_json_snapshot!("erased_too_early", early);
    let canceled = harness.change_batch("member", "cancelBatch", &id).await;
    assert_json_snapshot!("canceled", canceled);
    let again = harness.change_batch("member", "cancelBatch", &id).await;
    assert_json_snapshot!("canceled_too_late", again);
    let erased = harness.change_batch("member", "eraseBatch", &id).await;
    assert_eq!(erased, json!({ "erasedId": id, "userErrors": [] }));
    assert_eq!(harness.batch_states(Value::Null).await, json!([]));
    for mutation in ["cancelBatch", "eraseBatch"] {
        for id in [id.as_str(), "no id"] {
            let payload = harness.change_batch("member", mutation, id).await;
            assert_eq!(payload["userErrors"][0]["code"], "NOT_FOUND");
            assert_eq!(payload["userErrors"][0]["field"], json!(["input", "id"]));
        }
    }
}

#[tokio::test]
async fn a_text_that_is_no_id_names_no_batch() {
    let harness = Harness::new().await;
    let data = harness.member("{ batch(id: \"x\") { id } batchRows(id: \"x\") { hasNextPage } }");
    let nothing = json!({ "batch": null, "batchRows": null });
    assert_eq!(data.await.data(), nothing);
    for query in [
        "{ batches(filter: { keyId: \"x\" }) { nodes { id } } }",
        "{ lookups(filter: { batchId: \"x\" }) { nodes { id } } }",
    ] {
        assert_eq!(harness.member(query).await.code(), "INVALID_REQUEST");
    }
}
