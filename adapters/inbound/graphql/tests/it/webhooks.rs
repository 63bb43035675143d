//! Webhooks, their secrets and their deliveries.

use domain::customer::Role;
use insta::assert_json_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Harness;

const WEBHOOK: &str = "environment url events enabled disabledReason disabledAt failingSince \
                       previousSecretUntil createdAt updatedAt";
const DELIVERY: &str = "id event subjectId state createdAt nextAttemptAt attemptCount \
                        attemptsLeft finalAttemptAt lastAttempt { at durationMs status failure answer }";
const URL: &str = "https://hooks.example/cep";

impl Harness {
    async fn create_webhook(&self, url: &str, events: Value) -> Value {
        let input = json!({ "url": url, "events": events, "environment": "TEST" });
        let fields = format!("webhook {{ id {WEBHOOK} }} secret");
        self.mutate("member", "createWebhook", &fields, input).await
    }

    async fn update_webhook(&self, input: Value) -> Value {
        let fields = format!("webhook {{ id {WEBHOOK} }}");
        self.mutate("member", "updateWebhook", &fields, input).await
    }

    async fn test_webhook(&self, id: &str) -> Value {
        let fields = format!("delivery {{ {DELIVERY} }}");
        let input = json!({ "id": id });
        self.mutate("member", "testWebhook", &fields, input).await
    }

    async fn resend(&self, id: &str, delivery: &str) -> Value {
        let input = json!({ "webhookId": id, "deliveryId": delivery });
        let fields = "delivery { id state }";
        self.mutate("member", "resendWebhookDelivery", fields, input)
            .await
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
        harness
            .update_webhook(json!({ "id": id, "enabled": enabled }))
            .await;
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
    let mut disabled = harness
        .update_webhook(json!({ "id": id, "enabled": false }))
        .await;
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
    let read = harness.ask("member", &query, json!({ "id": id })).await;
    let read = read.data();
    assert_eq!(read, json!({ "webhook": null, "webhooks": [] }));
}

#[rstest]
#[case::malformed("x", json!(["LOOKUP_FAILED"]), "url")]
#[case::not_https("http://a.example/", json!(["LOOKUP_FAILED"]), "url")]
#[case::another_port("https://a.example:22/", json!(["LOOKUP_FAILED"]), "url")]
#[case::this_machine("https://localhost/", json!(["LOOKUP_FAILED"]), "url")]
#[case::no_events(URL, json!([]), "events")]
#[case::tests(URL, json!(["LOOKUP_FAILED", "TEST"]), "events")]
#[tokio::test]
async fn a_faulty_webhook_is_refused_by_its_member(
    #[case] url: &str,
    #[case] events: Value,
    #[case] member: &str,
) {
    let (harness, id) = with_webhook().await;
    let created = harness.create_webhook(url, events.clone()).await;
    let input = json!(["input", member]);
    assert_eq!(code(&created), (&json!("INVALID"), &input));
    assert_eq!(created["secret"], Value::Null);
    let change = json!({ "id": id, "url": url, "events": events });
    let changed = harness.update_webhook(change).await;
    assert_eq!(code(&changed), (&json!("INVALID"), &input));
    assert_eq!(changed["userErrors"], created["userErrors"]);
}

#[tokio::test]
async fn every_refusal_has_its_own_words() {
    let (harness, id) = with_webhook().await;
    let nothing = harness.update_webhook(json!({ "id": id })).await;
    assert_json_snapshot!("nothing_to_change", nothing);
    let tests = harness.create_webhook(URL, json!(["TEST"])).await;
    assert_json_snapshot!("tests_are_no_subscription", tests);
    for _ in 1..10 {
        harness.create_webhook(URL, json!(["LOOKUP_FAILED"])).await;
    }
    let eleventh = harness.create_webhook(URL, json!(["LOOKUP_FAILED"])).await;
    assert_json_snapshot!("too_many", eleventh);
    harness
        .update_webhook(json!({ "id": id, "enabled": false }))
        .await;
    let disabled = harness.test_webhook(&id).await;
    assert_json_snapshot!("tested_while_disabled", disabled);
}

#[tokio::test]
async fn deliveries_are_listed_and_sent_again() {
    let (harness, id) = with_webhook().await;
    let sent = harness.test_webhook(&id).await;
    assert_eq!(sent["delivery"]["event"], "TEST");
    assert_eq!(sent["delivery"]["subjectId"], json!(id));
    assert_eq!(sent["delivery"]["state"], "PENDING");
    // A test is tried once.
    assert_eq!(sent["delivery"]["attemptsLeft"], 1);
    let next = &sent["delivery"]["nextAttemptAt"];
    assert_eq!(&sent["delivery"]["finalAttemptAt"], next);
    let query = format!(
        "query($id: ID!) {{ webhookDeliveries(id: $id) {{ nodes {{ {DELIVERY} }} \
         pageInfo {{ hasNextPage }} }} }}"
    );
    let listed = harness.ask("member", &query, json!({ "id": id })).await;
    let listed = listed.data()["webhookDeliveries"].clone();
    assert_eq!(listed["nodes"], json!([sent["delivery"]]));
    let delivery = sent["delivery"]["id"].as_str().unwrap();
    let pending = harness.resend(&id, delivery).await;
    assert_json_snapshot!("pending", pending);
    harness
        .update_webhook(json!({ "id": id, "enabled": false }))
        .await;
    let ended = harness.ask("member", &query, json!({ "id": id })).await;
    let ended = ended.data()["webhookDeliveries"]["nodes"][0].clone();
    assert_eq!(ended["attemptsLeft"], 0);
    assert_eq!(ended["finalAttemptAt"], Value::Null);
    let disabled = harness.resend(&id, delivery).await;
    let webhook = json!(["input", "webhookId"]);
    assert_eq!(code(&disabled), (&json!("WEBHOOK_DISABLED"), &webhook));
    harness
        .update_webhook(json!({ "id": id, "enabled": true }))
        .await;
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
        let id_alone = json!({ "id": id });
        for (mutation, fields, input) in [
            (
                "updateWebhook",
                "webhook { id }",
                json!({ "id": id, "enabled": false }),
            ),
            ("removeWebhook", "removedId", id_alone.clone()),
            ("rotateWebhookSecret", "secret", id_alone.clone()),
            ("testWebhook", "delivery { id }", id_alone),
        ] {
            let payload = harness.mutate(person, mutation, fields, input).await;
            let input = json!(["input", "id"]);
            assert_eq!(code(&payload), (&json!("NOT_FOUND"), &input), "{mutation}");
        }
    }
    let malformed = harness.ask("member", query, json!({ "id": "x" })).await;
    let malformed = malformed.data();
    assert_eq!(malformed["webhook"], Value::Null);
    assert_eq!(malformed["webhookDeliveries"], Value::Null);
    assert_eq!(malformed["webhooks"].as_array().unwrap().len(), 1);
}
