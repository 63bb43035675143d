//! The examples in `docs/graphql`: each is executed as it stands there.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::batches::{with_batch, with_canceled_batch};
use crate::harness::Harness;
use crate::lookups::{question, with_lookup};
use crate::schema::repository;
use crate::webhooks::{with_ended_delivery, with_webhook};

/// The examples by name, each with the variables that its comment names.
fn examples() -> BTreeMap<String, (String, Value)> {
    let files = std::fs::read_dir(repository("docs/graphql")).unwrap();
    let example = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        let variables = lines.find_map(|line| line.strip_prefix("# Variables: "));
        let variables = variables.map_or(Value::Null, |json| serde_json::from_str(json).unwrap());
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, (text, variables))
    };
    let paths = files.map(|file| file.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|kind| kind == "graphql"));
    paths.map(example).collect()
}

/// A harness with an own account of the member's, and the account's id.
async fn with_own_account() -> (Harness, String) {
    let harness = Harness::with_room().await;
    let (query, _) = examples()["add-own-account"].clone();
    let added = harness.ask("member", &query, Value::Null).await.json();
    let id = &added["data"]["addOwnAccount"]["ownAccount"]["id"];
    let id = id.as_str().unwrap().to_owned();
    (harness, id)
}

/// A harness with something, and variables that name it.
fn named((harness, id): (Harness, String)) -> (Harness, Value) {
    (harness, json!({ "id": id }))
}

#[tokio::test]
async fn every_example_is_answered_without_an_error() {
    for (name, (query, variables)) in examples() {
        // The keys are the member's.
        let person = if name.starts_with("admin-") {
            "admin"
        } else {
            "member"
        };
        // A lookup has the id that it was given.
        let (harness, variables) = match &*name {
            "lookup" | "compare-receipt" | "erase-lookup" => {
                named(with_lookup(question("10.00")).await)
            }
            "cancel-lookup" => named(with_lookup(question("404.02")).await),
            "batch" | "cancel-batch" => named(with_batch().await),
            "erase-batch" => named(with_canceled_batch().await),
            "remove-own-account" => named(with_own_account().await),
            "webhook"
            | "update-webhook"
            | "remove-webhook"
            | "rotate-webhook-secret"
            | "test-webhook" => named(with_webhook().await),
            "resend-webhook-delivery" => {
                let (harness, id, delivery) = with_ended_delivery().await;
                (harness, json!({ "id": id, "delivery": delivery }))
            }
            _ => (Harness::with_room().await, variables),
        };
        let answer = harness.ask(person, &query, variables).await;
        let json = answer.json();
        assert!(json.get("errors").is_none(), "{name}: {json:#}");
        for (field, payload) in json["data"].as_object().unwrap() {
            let errors = payload["userErrors"].as_array();
            let is_good = !payload.is_null() && errors.is_none_or(Vec::is_empty);
            assert!(is_good, "{name}: {field}: {payload:#}");
        }
    }
}

const USES: &str = "viewer keys key create-key rename-key revoke-key rotate-key usage-by-outcome requests \
    lookups lookup compare-receipt cancel-lookup erase-lookup batches batch cancel-batch erase-batch \
    webhooks webhook create-webhook update-webhook remove-webhook rotate-webhook-secret test-webhook \
    own-accounts add-own-account remove-own-account resend-webhook-delivery bank participants admin-accounts admin-keys admin-usage admin-revoke-key \
    admin-limits admin-plan admin-audit start introspection";

#[test]
fn every_use_has_an_example() {
    let examples = examples();
    for name in USES.split_whitespace() {
        assert!(examples.contains_key(name), "{name}");
    }
}

#[tokio::test]
async fn the_guide_names_every_example() {
    let guide = std::fs::read_to_string(repository("docs/graphql/README.md")).unwrap();
    for name in examples().keys() {
        assert!(guide.contains(&format!("({name}.graphql)")), "{name}");
    }
}
