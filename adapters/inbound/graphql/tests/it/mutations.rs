//! Payloads of typical mutations and of refused ones.

use domain::keys::FullKey;
use insta::assert_json_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

use crate::data::{customer_id, key, key_id};
use crate::harness::{Harness, post};

/// A payload with placeholders for random values.
fn without(random: &[&str], mut payload: Value) -> Value {
    for pointer in random {
        let value = payload.pointer_mut(pointer).unwrap();
        assert!(value.is_string(), "{pointer}: {value}");
        *value = json!("(random)");
    }
    payload
}

#[tokio::test]
async fn a_new_key_shows_its_secret_once() {
    let harness = Harness::with_room().await;
    let fields = "apiKey key { id name prefix env state perMinute monthlyQuota \
                  month { used remaining } lastUsedAt }";
    let input = json!({ "name": "  till 4 " });
    let created = harness.mutate("member", "createKey", fields, input).await;
    let secret = created["apiKey"].as_str().unwrap();
    assert_eq!(created.to_string().matches(secret).count(), 1);
    let prefix = created["key"]["prefix"].as_str().unwrap();
    assert_eq!(FullKey::parse(secret).unwrap().prefix().as_str(), prefix);
    let random = ["/apiKey", "/key/id", "/key/prefix"];
    assert_json_snapshot!(without(&random, created));
}

#[tokio::test]
async fn a_key_is_renamed() {
    let harness = Harness::new().await;
    let input = json!({ "id": id(1), "name": "caja 1" });
    let renamed = harness.mutate("member", "renameKey", "key { name }", input);
    let expected = json!({ "key": { "name": "caja 1" }, "userErrors": [] });
    assert_eq!(renamed.await, expected);
}

#[tokio::test]
async fn revoking_again_changes_nothing() {
    let harness = Harness::new().await;
    let fields = "key { state revokedAt }";
    let revoked = harness.mutate("member", "revokeKey", fields, json!({ "id": id(2) }));
    let key = json!({ "state": "REVOKED", "revokedAt": "2026-11-21T04:23:27.000Z" });
    assert_eq!(revoked.await, json!({ "key": key, "userErrors": [] }));
}

#[tokio::test]
async fn a_rotated_key_has_a_day_of_grace_by_default() {
    let harness = Harness::with_room().await;
    let fields = "apiKey oldKey { id state retiresAt } newKey { id name }";
    let rotated = harness.mutate("member", "rotateKey", fields, json!({ "id": id(1) }));
    let rotated = rotated.await;
    let secret = rotated["apiKey"].as_str().unwrap();
    assert!(FullKey::parse(secret).is_some());
    assert_json_snapshot!(without(&["/apiKey", "/newKey/id"], rotated));
}

#[tokio::test]
async fn an_admin_sets_limits_one_by_one_or_by_a_plan() {
    let harness = Harness::new().await;
    let fields = "key { perMinute monthlyQuota }";
    let large = 1_000_000_000_000_u64;
    let both = json!({ "monthlyQuota": large, "perMinute": null });
    for (mut input, minute, quota) in [
        (json!({ "perMinute": 5 }), 5, Some(1_000)),
        (json!({ "monthlyQuota": null }), 5, None),
        (both, 5, Some(large)),
        (json!({ "plan": "STARTUP" }), 60, Some(1_000)),
        (json!({ "plan": "STARTUP", "perMinute": 9 }), 9, Some(1_000)),
    ] {
        input["id"] = json!(id(1));
        let set = harness.mutate("admin", "adminSetLimits", fields, input);
        let limits = json!({ "perMinute": minute, "monthlyQuota": quota });
        let expected = json!({ "key": limits, "userErrors": [] });
        assert_eq!(set.await, expected);
    }
}

#[tokio::test]
async fn an_admin_sets_a_plan() {
    let harness = Harness::new().await;
    let input = json!({ "accountId": account(), "plan": "ENTERPRISE" });
    let fields = "account { owner { subject } plan activeKeys }";
    let set = harness.mutate("admin", "adminSetPlan", fields, input);
    let owner = json!({ "subject": "member" });
    let account = json!({ "owner": owner, "plan": "ENTERPRISE", "activeKeys": null });
    assert_eq!(set.await, json!({ "account": account, "userErrors": [] }));
}

fn id(number: u128) -> String {
    key_id(number).to_string()
}

fn account() -> String {
    customer_id("member").to_string()
}

#[rstest]
#[case("no_name", "createKey", json!({ "name": " " }))]
#[case("long_name", "createKey", json!({ "name": "x".repeat(101) }))]
#[case("rename_all_wrong", "renameKey", json!({ "id": "nonsense", "name": "\u{7}" }))]
#[case("rename_anothers", "renameKey", json!({ "id": id(121), "name": "x" }))]
#[case("revoke_anothers", "revokeKey", json!({ "id": id(121) }))]
#[case("rotate_anothers", "rotateKey", json!({ "id": id(121) }))]
#[case("rotate_revoked", "rotateKey", json!({ "id": id(2) }))]
#[case("rotate_again", "rotateKey", json!({ "id": id(3) }))]
#[case("long_grace", "rotateKey", json!({ "id": id(1), "graceHours": 169 }))]
#[case("negative_grace", "rotateKey", json!({ "id": id(1), "graceHours": -1 }))]
#[case("member_revokes", "adminRevokeKey", json!({ "id": id(1) }))]
#[case("member_sets_limits", "adminSetLimits", json!({ "id": id(1), "perMinute": 9 }))]
#[case("member_sets_a_plan", "adminSetPlan", json!({ "accountId": account(), "plan": "ENTERPRISE" }))]
#[case("no_limit", "adminSetLimits", json!({ "id": id(1) }))]
#[case("limits_out_of_range", "adminSetLimits", json!({ "id": "nonsense", "perMinute": -1, "monthlyQuota": 0 }))]
#[case("limits_of_nothing", "adminSetLimits", json!({ "id": id(9_999), "perMinute": 9 }))]
#[case("plan_of_nobody", "adminSetPlan", json!({ "accountId": id(9), "plan": "STARTUP" }))]
#[case("plan_of_nonsense", "adminSetPlan", json!({ "accountId": "nonsense", "plan": "STARTUP" }))]
#[tokio::test]
async fn an_expected_refusal_is_data(
    #[case] name: &str,
    #[case] field: &str,
    #[case] input: Value,
) {
    let fields = match field {
        "createKey" => "key { id } apiKey",
        "rotateKey" => "oldKey { id } newKey { id } apiKey",
        "adminSetPlan" => "account { id }",
        _ => "key { id }",
    };
    let is_admins = field.starts_with("admin") && !name.starts_with("member_");
    let person = if is_admins { "admin" } else { "member" };
    let harness = Harness::new().await;
    let refused = harness.mutate(person, field, fields, input).await;
    assert_json_snapshot!(format!("refused_{name}"), refused);
}

#[tokio::test]
async fn a_key_beyond_the_most_that_an_account_may_have_is_refused() {
    let harness = Harness::with_room().await;
    // The member has 119 keys that aren't revoked.
    for number in 1_001..=1_881 {
        harness.services.add_key(key(number, "member")).await;
    }
    let input = json!({ "name": "one too many" });
    let refused = harness.mutate("member", "createKey", "key { id } apiKey", input);
    assert_json_snapshot!("refused_too_many_keys", refused.await);
}

#[tokio::test]
async fn a_refusal_is_in_spanish_unless_english_is_preferred() {
    let query = "mutation { createKey(input: { name: \"\" }) { userErrors { code message } } }";
    let mut request = post("member", json!({ "query": query }).to_string());
    request.headers_mut().remove("accept-language");
    assert_json_snapshot!(Harness::new().await.send(request).await.data());
}

#[tokio::test]
async fn three_mutations_run_one_after_the_other() {
    let harness = Harness::new().await;
    let id = id(1);
    let query = format!(
        "mutation {{ a: renameKey(input: {{ id: \"{id}\", name: \"a\" }}) {{ key {{ name }} }} \
         b: renameKey(input: {{ id: \"{id}\", name: \"b\" }}) {{ key {{ name }} }} \
         c: revokeKey(input: {{ id: \"{id}\" }}) {{ key {{ name state }} }} }}"
    );
    let data = harness.member(&query).await.data();
    let expected = json!({
        "a": { "key": { "name": "a" } },
        "b": { "key": { "name": "b" } },
        "c": { "key": { "name": "b", "state": "REVOKED" } },
    });
    assert_eq!(data, expected);
}

#[tokio::test]
async fn a_client_that_chooses_owner_or_limits_of_a_new_key_is_refused() {
    let harness = Harness::new().await;
    for member in ["perMinute: 9", "owner: \"x\"", "limits: {}"] {
        let input = format!("{{ name: \"x\", {member} }}");
        let query = format!("mutation {{ createKey(input: {input}) {{ apiKey }} }}");
        let answer = harness.member(&query).await;
        answer.assert_error(400, "INVALID_REQUEST");
    }
    assert!(harness.calls().is_empty());
}

#[tokio::test]
async fn a_key_beyond_the_most_of_an_hour_is_refused() {
    let harness = Harness::with_room().await;
    let refused = loop {
        let input = json!({ "name": "one of many" });
        let created = harness.mutate("member", "createKey", "key { id }", input);
        let created = created.await;
        if created["userErrors"] != json!([]) {
            break created;
        }
    };
    assert_json_snapshot!("refused_too_many_new_keys", refused);
}
