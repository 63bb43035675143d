//! Lists, cancellation and erasure, which lookups and batches have alike.

use domain::people::customer::Role;
use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::data::key_id;
use crate::harness::Harness;

pub(crate) const LOOKUPS: Stored = Stored {
    list: "lookups",
    filter: "LookupFilter",
    cancel: ("cancelLookup", "lookup { state nextAttemptAt }"),
    erase: "eraseLookup",
};

pub(crate) const BATCHES: Stored = Stored {
    list: "batches",
    filter: "BatchFilter",
    cancel: ("cancelBatch", "batch { state counts { notBegun } }"),
    erase: "eraseBatch",
};

/// Lookups or batches: their list, the type of its filter, and their mutations.
pub(crate) struct Stored {
    list: &'static str,
    filter: &'static str,
    /// The mutation and fields of its payload.
    cancel: (&'static str, &'static str),
    erase: &'static str,
}

impl Stored {
    /// States in a list of the member's.
    pub(crate) async fn states(&self, harness: &Harness, filter: Value) -> Value {
        let Self {
            list, filter: ty, ..
        } = self;
        let query = format!("query($f: {ty}) {{ {list}(filter: $f) {{ nodes {{ state }} }} }}");
        let data = harness.read(&query, json!({ "f": filter })).await;
        let nodes = data[list]["nodes"].as_array().unwrap();
        nodes.iter().map(|node| node["state"].clone()).collect()
    }

    pub(crate) async fn cancel(&self, harness: &Harness, person: &str, id: &str) -> Value {
        let ((mutation, fields), input) = (self.cancel, json!({ "id": id }));
        harness.mutate(person, mutation, fields, input).await
    }

    async fn erase(&self, harness: &Harness, person: &str, id: &str) -> Value {
        let (mutation, input) = (self.erase, json!({ "id": id }));
        harness.mutate(person, mutation, "erasedId", input).await
    }

    /// Asserts that one of the member's can be canceled once, erased then, and not found any more.
    pub(crate) async fn assert_canceled_first_and_erased_afterwards(
        &self,
        harness: &Harness,
        id: &str,
    ) {
        let list = self.list;
        let early = self.erase(harness, "member", id).await;
        assert_json_snapshot!(format!("{list}_erased_too_early"), early);
        let canceled = self.cancel(harness, "member", id).await;
        assert_json_snapshot!(format!("{list}_canceled"), canceled);
        let again = self.cancel(harness, "member", id).await;
        assert_json_snapshot!(format!("{list}_canceled_too_late"), again);
        let erased = self.erase(harness, "member", id).await;
        assert_eq!(erased, json!({ "erasedId": id, "userErrors": [] }));
        assert_eq!(self.states(harness, Value::Null).await, json!([]));
        for id in [id, "no id"] {
            self.assert_not_found(harness, "member", id).await;
        }
    }

    async fn assert_not_found(&self, harness: &Harness, person: &str, id: &str) {
        let canceled = self.cancel(harness, person, id).await;
        let erased = self.erase(harness, person, id).await;
        for payload in [canceled, erased] {
            let error = &payload["userErrors"][0];
            assert_eq!(error["code"], "NOT_FOUND", "{person}");
            assert_eq!(error["field"], json!(["input", "id"]), "{person}");
        }
    }

    /// Asserts that the only one of the member's isn't there for others, who leave its state as it is. A query with its id has this answer.
    pub(crate) async fn assert_only_its_account_has_it(
        &self,
        harness: &Harness,
        id: &str,
        (query, nothing): (&str, Value),
    ) {
        harness.services.sign_in("other", "other", Role::Member);
        let before = self.states(harness, Value::Null).await;
        assert_eq!(before.as_array().unwrap().len(), 1);
        let list = self.list;
        let of_key = format!(
            "{{ {list}(filter: {{ keyId: \"{}\" }}) {{ nodes {{ id }} }} }}",
            key_id(1)
        );
        let all = format!("{{ {list} {{ nodes {{ id }} }} }}");
        for person in ["other", "admin"] {
            let found = harness.ask(person, query, json!({ "id": id })).await;
            assert_eq!(found.data(), nothing, "{person}");
            let all = harness.ask(person, &all, Value::Null).await;
            assert_eq!(all.data()[list]["nodes"], json!([]), "{person}");
            self.assert_not_found(harness, person, id).await;
            let of_key = harness.ask(person, &of_key, Value::Null).await;
            assert_eq!(of_key.code(), "NOT_FOUND", "{person}");
        }
        assert_eq!(self.states(harness, Value::Null).await, before);
    }

    /// Asserts that pages of two follow each other, newest first.
    pub(crate) async fn assert_pages_of_two(&self, harness: &Harness, mut ids: Vec<Value>) {
        let list = self.list;
        let query = format!(
            "query($after: String) {{ {list}(first: 2, after: $after) {{ nodes {{ id }} \
             pageInfo {{ hasNextPage endCursor }} }} }}"
        );
        ids.reverse();
        let pages = harness.pages(list, &query).await;
        assert_eq!(pages, ids.chunks(2).collect::<Vec<_>>());
        let query = format!("{{ {list}(after: \"bm90aGluZw\") {{ nodes {{ id }} }} }}");
        assert_eq!(harness.member(&query).await.code(), "INVALID_REQUEST");
    }
}

#[tokio::test]
async fn a_text_that_is_no_id_names_nothing() {
    let harness = Harness::new().await;
    let query = "{ lookup(id: \"x\") { id } batch(id: \"x\") { id } \
                 batchRows(id: \"x\") { nodes { row } } }";
    let nothing = json!({ "lookup": null, "batch": null, "batchRows": null });
    assert_eq!(harness.member(query).await.data(), nothing);
    for list in [
        "lookups(filter: { keyId: \"x\" })",
        "lookups(filter: { batchId: \"x\" })",
        "batches(filter: { keyId: \"x\" })",
    ] {
        let query = format!("{{ {list} {{ nodes {{ id }} }} }}");
        let code = harness.member(&query).await.code();
        assert_eq!(code, "INVALID_REQUEST", "{list}");
    }
}
