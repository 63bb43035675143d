//! Webhooks, their secrets and their deliveries.

use domain::people::customer::Role;
use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::harness::Harness;

const WEBHOOK: &str = "env url events enabled disabledReason disabledAt failingSince \
                       previousSecretUntil createdAt updatedAt";
const DELIVERY: &str = "id event subjectId state createdAt nextAttemptAt attemptCount \
                        attemptsLeft finalAttemptAt lastAttempt { at durationMs status failure answer }";
const URL: &str = "https://hooks.example/cep";

impl Harness {
    async fn create_webhook(&self, url: &str, events: Value) -> Value {
        let input = json!({ "url": url, "events": events, "env": "TEST" });
        let fields = format!("webhook {{ id {WEBHOOK} }} secret");
        self.mutate("member", "createWebhook", &fields, input).await
    }

    async fn update_webhook(&self, input: Value) -> Value {
        let fields = format!("webhook {{ id {WEBHOOK} }}");
        self.mutate("member", "updateWebhook", &fields, input).await
    }

    async fn enable_webhook(&self, id: &str, enabled: bool) -> Value {
        let input = json!({ "id": id, "enabled": enabled });
        self.update_webhook(input).await
    }

    async fn test_webhook(&self, id: &str) -> Value {
        let fields = format!("delivery {{ {DELIVERY} }}");
        let input = json!({ "id": id });
        self.mutate("member", "testWebhook", &fields, input).await
    }

    async fn resend(&self, id: &str, delivery: &str) -> Value {
        let input = json!({ "webhookId": id, "deliveryId": delivery });
        let fields = "delivery { id state }";
        let mutation = "resendWebhookDelivery";
        self.mutate("member", mutation, fields, input).await
    }
}

/// A harness with a webhook of the member's, and its id.
pub(crate) async fn with_webhook() -> (Harness, String) {
    let harness = Harness::new().await;
    let created = harness.create_webhook(URL, json!(["BATCH_FINISHED", "LOOKUP_EXPIRED"]));
    let id = created.await["webhook"]["id"].as_str().unwrap().to_owned();
    (harness, id)
}

/// The same, with a delivery that has ended: the webhook was disabled meanwhile.
pub(crate) async fn with_ended_delivery() -> (Harness, String, String) {
    let (harness, id) = with_webhook().await;
    let sent = harness.test_webhook(&id).await;
    for enabled in [false, true] {
        harness.enable_webhook(&id, enabled).await;
    }
    let delivery = sent["delivery"]["id"].as_str().unwrap().to_owned();
    (harness, id, delivery)
}

fn code(payload: &Value) -> (&Value, &Value) {
    let error = &payload["userErrors"][0];
    (&error["code"], &error["field"])
}

#[tokio::test]
async fn a_webhook_is_added_changed_and_removed() {
    let harness = Harness::new().await;
    let events = json!(["BATCH_FINISHED", "LOOKUP_EXPIRED", "BATCH_FINISHED"]);
    let mut created = harness.create_webhook(URL, events).await;
    let secret = created["secret"].take();
    assert!(secret.as_str().unwrap().starts_with("whsec_"), "{secret}");
    let id = created["webhook"]["id"].take();
    assert_json_snapshot!("created", created);

    let query = format!(
        "query($id: ID!) {{ webhook(id: $id) {{ id {WEBHOOK} }} webhooks {{ id {WEBHOOK} }} }}"
    );
    let read = harness.ask("member", &query, json!({ "id": id })).await;
    assert!(!read.text.contains("whsec_"));
    let read = read.data();
    assert_eq!(read["webhooks"], json!([read["webhook"]]));
    assert_eq!(read["webhook"]["id"], id);

    let change = json!({ "id": id, "url": "https://other.example/", "events": ["LOOKUP_FAILED"] });
    let changed = harness.update_webhook(change).await;
    assert_eq!(changed["webhook"]["url"], "https://other.example/");
    assert_eq!(changed["webhook"]["events"], json!(["LOOKUP_FAILED"]));
    let mut disabled = harness.enable_webhook(id.as_str().unwrap(), false).await;
    disabled["webhook"]["id"].take();
    assert_json_snapshot!("disabled", disabled);

    let input = json!({ "id": id });
    let fields = "webhook { previousSecretUntil } secret";
    let rotated = harness.mutate("member", "rotateWebhookSecret", fields, input.clone());
    let rotated = rotated.await;
    assert_ne!(rotated["secret"], secret);
    assert_ne!(rotated["webhook"]["previousSecretUntil"], Value::Null);
    let removed = harness.mutate("member", "removeWebhook", "removedId", input);
    let removed = removed.await;
    assert_eq!(removed, json!({ "removedId": id, "userErrors": [] }));
    let read = harness.read(&query, json!({ "id": id })).await;
    assert_eq!(read, json!({ "webhook": null, "webhooks": [] }));
}

#[tokio::test]
async fn a_faulty_webhook_is_refused_by_its_member() {
    let (harness, id) = with_webhook().await;
    for (url, events, member) in [
        ("x", &["LOOKUP_FAILED"][..], "url"),
        ("http://a.example/", &["LOOKUP_FAILED"], "url"),
        ("https://a.example:22/", &["LOOKUP_FAILED"], "url"),
        ("https://localhost/", &["LOOKUP_FAILED"], "url"),
        (URL, &[], "events"),
        (URL, &["LOOKUP_FAILED", "WEBHOOK_TEST"], "events"),
    ] {
        let created = harness.create_webhook(url, json!(events)).await;
        let input = json!(["input", member]);
        assert_eq!(code(&created), (&json!("INVALID"), &input), "{url}");
        assert_eq!(created["secret"], Value::Null, "{url}");
        let change = json!({ "id": id, "url": url, "events": events });
        let changed = harness.update_webhook(change).await;
        assert_eq!(changed["userErrors"], created["userErrors"], "{url}");
    }
}

#[tokio::test]
async fn every_refusal_has_its_own_words() {
    let (harness, id) = with_webhook().await;
    let nothing = harness.update_webhook(json!({ "id": id })).await;
    assert_json_snapshot!("nothing_to_change", nothing);
    let tests = harness.create_webhook(URL, json!(["WEBHOOK_TEST"])).await;
    assert_json_snapshot!("tests_are_no_subscription", tests);
    for _ in 1..10 {
        harness.create_webhook(URL, json!(["LOOKUP_FAILED"])).await;
    }
    let eleventh = harness.create_webhook(URL, json!(["LOOKUP_FAILED"])).await;
    assert_json_snapshot!("too_many", eleventh);
    harness.enable_webhook(&id, false).await;
    let disabled = harness.test_webhook(&id).await;
    assert_json_snapshot!("tested_while_disabled", disabled);
}

#[tokio::test]
async fn deliveries_are_listed_and_sent_again() {
    let (harness, id) = with_webhook().await;
    let sent = harness.test_webhook(&id).await;
    // A test is tried once.
    for (field, expected) in [
        ("event", json!("WEBHOOK_TEST")),
        ("subjectId", json!(id)),
        ("state", json!("PENDING")),
        ("attemptsLeft", json!(1)),
        ("finalAttemptAt", sent["delivery"]["nextAttemptAt"].clone()),
    ] {
        assert_eq!(sent["delivery"][field], expected, "{field}");
    }
    let query = format!(
        "query($id: ID!) {{ webhookDeliveries(id: $id) {{ nodes {{ {DELIVERY} }} \
         pageInfo {{ hasNextPage }} }} }}"
    );
    let listed = harness.read(&query, json!({ "id": id })).await;
    let nodes = &listed["webhookDeliveries"]["nodes"];
    assert_eq!(*nodes, json!([sent["delivery"]]));
    let delivery = sent["delivery"]["id"].as_str().unwrap();
    let pending = harness.resend(&id, delivery).await;
    assert_json_snapshot!("pending", pending);
    harness.enable_webhook(&id, false).await;
    let ended = harness.read(&query, json!({ "id": id })).await;
    let ended = &ended["webhookDeliveries"]["nodes"][0];
    assert_eq!(ended["attemptsLeft"], 0);
    assert_eq!(ended["finalAttemptAt"], Value::Null);
    let disabled = harness.resend(&id, delivery).await;
    let webhook = json!(["input", "webhookId"]);
    assert_eq!(code(&disabled), (&json!("WEBHOOK_DISABLED"), &webhook));
    harness.enable_webhook(&id, true).await;
    let sent = harness.resend(&id, delivery).await;
    let expected = json!({ "id": delivery, "state": "PENDING" });
    assert_eq!(sent, json!({ "delivery": expected, "userErrors": [] }));
    let field = json!(["input", "deliveryId"]);
    for unknown in [id.as_str(), "x"] {
        let unknown = harness.resend(&id, unknown).await;
        assert_eq!(code(&unknown), (&json!("NOT_FOUND"), &field));
    }
}

#[tokio::test]
async fn a_webhook_of_another_account_does_not_exist_for_a_member_nor_an_admin() {
    let (harness, id) = with_webhook().await;
    harness.services.sign_in("other", "other", Role::Member);
    let query = "query($id: ID!) { webhook(id: $id) { id } webhooks { id } \
                 webhookDeliveries(id: $id) { nodes { id } } }";
    let nothing = json!({ "webhook": null, "webhooks": [], "webhookDeliveries": null });
    for person in ["other", "admin"] {
        let found = harness.ask(person, query, json!({ "id": id })).await;
        assert_eq!(found.data(), nothing, "{person}");
        for (mutation, fields) in [
            ("updateWebhook", "webhook { id }"),
            ("removeWebhook", "removedId"),
            ("rotateWebhookSecret", "secret"),
            ("testWebhook", "delivery { id }"),
        ] {
            let mut input = json!({ "id": id });
            if mutation == "updateWebhook" {
                input["enabled"] = json!(false);
            }
            let payload = harness.mutate(person, mutation, fields, input).await;
            let input = json!(["input", "id"]);
            assert_eq!(code(&payload), (&json!("NOT_FOUND"), &input), "{mutation}");
        }
    }
    let malformed = harness.read(query, json!({ "id": "x" })).await;
    assert_eq!(malformed["webhook"], Value::Null);
    assert_eq!(malformed["webhookDeliveries"], Value::Null);
    assert_eq!(malformed["webhooks"].as_array().unwrap().len(), 1);
}
