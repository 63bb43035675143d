//! The log: one line for each operation, each cause once, and no values.

use serde_json::{Value, json};
use testkit::fakes::{DRIVER_ERROR, Fault};
use testkit::log::listen;

use crate::data::key_id;
use crate::harness::Harness;

#[tokio::test]
async fn an_operation_is_one_line_with_its_name_fields_and_outcome() {
    let (lines, _guard) = listen();
    let harness = Harness::new().await;
    let query = "query Start { viewer { role } ...F } fragment F on Query { bank { state } }";
    harness.member(query).await.data();
    harness.member("{ admin { keys { totalCount } } }").await;
    harness.member("{ nonsense }").await;
    harness.member("{").await;
    let mut operations = lines.fields_of("cep::graphql");
    for operation in &mut operations {
        let taken = operation.as_object_mut().unwrap().remove("duration_ms");
        assert!(taken.unwrap().is_f64());
    }
    let line = |mut line: Value| {
        line["request_id"] = json!("test-1");
        line
    };
    let expected = [
        json!({ "kind": "query", "operation": "Start", "fields": "viewer,bank", "outcome": "ok" }),
        json!({ "kind": "query", "fields": "admin", "outcome": "FORBIDDEN" }),
        json!({ "kind": "query", "fields": "nonsense", "outcome": "INVALID_REQUEST" }),
        json!({ "fields": "", "outcome": "INVALID_REQUEST" }),
    ];
    assert_eq!(operations, expected.map(line));
}

#[tokio::test]
async fn names_and_fields_are_bounded() {
    let (lines, _guard) = listen();
    let (name, fields) = ("N".repeat(5_000), "viewer { role } ".repeat(40));
    let query = format!("query {name} {{ {fields} }}");
    Harness::new().await.member(&query).await.data();
    let operation = &lines.fields_of("cep::graphql")[0];
    assert_eq!(operation["operation"].as_str().unwrap().len(), 64);
    assert_eq!(operation["fields"].as_str().unwrap().split(',').count(), 10);
}

#[tokio::test]
async fn neither_values_nor_secrets_are_logged() {
    let (lines, _guard) = listen();
    let harness = Harness::with_room().await;
    let create = "mutation($input: CreateKeyInput!) { createKey(input: $input) { apiKey } }";
    let input = json!({ "input": { "name": "a private name" } });
    let created = harness.read(create, input).await;
    let rotate = "mutation($id: ID!) { rotateKey(input: { id: $id }) { apiKey } }";
    let id = key_id(1).to_string();
    harness.read(rotate, json!({ "id": id })).await;
    let search = "{ keys(filter: { text: \"a private text\" }) { totalCount } }";
    harness.member(search).await.data();
    let text = lines.text();
    assert_eq!(lines.fields_of("cep::graphql").len(), 3);
    let secret = created["createKey"]["apiKey"].as_str().unwrap();
    let secret = secret.split_once('.').unwrap().1;
    for hidden in [secret, "a private", "Demo member"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    // The administration of keys logs each change with the key's id.
    let mut others = text.lines().filter(|line| !line.contains("cep::keys"));
    assert!(others.all(|line| !line.contains(&id)), "{text}");
}

#[tokio::test]
async fn a_cause_is_logged_once_with_the_request_id() {
    let (lines, _guard) = listen();
    let harness = Harness::new().await;
    harness.services.store.faults().inject(Fault::Fails);
    harness.member("{ keys { totalCount } }").await;
    let text = lines.text();
    let causes = text.lines().filter(|line| line.contains("no such table"));
    let [cause] = causes.collect::<Vec<_>>()[..] else {
        panic!("{text}");
    };
    let line: Value = serde_json::from_str(cause).unwrap();
    assert_eq!(line["level"], "ERROR");
    assert_eq!(line["fields"]["request_id"], "test-1");
    let cause = format!("the store failed: {DRIVER_ERROR}");
    assert_eq!(line["fields"]["cause"], cause);
}
