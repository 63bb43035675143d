//! Payloads of typical mutations and of refused ones.

use domain::key::FullKey;
use insta::assert_json_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

use crate::data::{customer_id, key, key_id};
use crate::harness::{Harness, post};

const ERRORS: &str = "userErrors { code field message }";

/// Executes one mutation on `input` and returns its payload.
async fn payload(
    harness: &Harness,
    person: &str,
    field: &str,
    fields: &str,
    input: Value,
) -> Value {
    let ty = match field {
        "createKey" => "CreateKeyInput",
        "renameKey" => "RenameKeyInput",
        "revokeKey" | "adminRevokeKey" => "RevokeKeyInput",
        "rotateKey" => "RotateKeyInput",
        "adminSetLimits" => "SetLimitsInput",
        "adminSetPlan" => "SetPlanInput",
        _ => panic!("{field}"),
    };
    let query =
        format!("mutation($input: {ty}!) {{ {field}(input: $input) {{ {fields} {ERRORS} }} }}");
    let answer = harness.ask(person, &query, json!({ "input": input })).await;
    answer.data()[field].clone()
}

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
    let fields = "secret key { id name prefix environment status limits { perMinute monthlyQuota } \
                  month { used remaining } lastUsedAt }";
    let input = json!({ "name": "  till 4 " });
    let created = payload(&harness, "member", "createKey", fields, input).await;
    let secret = created["secret"].as_str().unwrap();
    assert_eq!(created.to_string().matches(secret).count(), 1);
    let prefix = created["key"]["prefix"].as_str().unwrap();
    assert_eq!(FullKey::parse(secret).unwrap().prefix().as_str(), prefix);
    let random = ["/secret", "/key/id", "/key/prefix"];
    assert_json_snapshot!(without(&random, created));
}

#[tokio::test]
async fn a_key_is_renamed() {
    let input = json!({ "id": key_id(1).to_string(), "name": "caja 1" });
    let renamed = payload(
        &Harness::new().await,
        "member",
        "renameKey",
        "key { name }",
        input,
    )
    .await;
    assert_eq!(
        renamed,
        json!({ "key": { "name": "caja 1" }, "userErrors": [] })
    );
}

#[tokio::test]
async fn revoking_again_changes_nothing() {
    let harness = Harness::new().await;
    let input = json!({ "id": key_id(2).to_string() });
    let fields = "key { status revokedAt }";
    let revoked = payload(&harness, "member", "revokeKey", fields, input).await;
    let key = json!({ "status": "REVOKED", "revokedAt": "2026-11-21T04:23:27.000Z" });
    assert_eq!(revoked, json!({ "key": key, "userErrors": [] }));
}

#[tokio::test]
async fn a_rotated_key_has_a_day_of_grace_by_default() {
    let fields = "secret oldKey { id status retiresAt } newKey { id name }";
    let input = json!({ "id": key_id(1).to_string() });
    let rotated = payload(
        &Harness::with_room().await,
        "member",
        "rotateKey",
        fields,
        input,
    )
    .await;
    let secret = rotated["secret"].as_str().unwrap();
    assert!(FullKey::parse(secret).is_some());
    assert_json_snapshot!(without(&["/secret", "/newKey/id"], rotated));
}

#[tokio::test]
async fn an_admin_sets_limits_one_by_one_or_by_a_plan() {
    let harness = Harness::new().await;
    let set = async |change: Value| {
        let mut input = change;
        input["id"] = json!(key_id(1).to_string());
        let fields = "key { limits { perMinute monthlyQuota } }";
        let set = payload(&harness, "admin", "adminSetLimits", fields, input).await;
        assert_eq!(set["userErrors"], json!([]));
        set["key"]["limits"].clone()
    };
    let limits =
        |minute: u32, quota: Option<u64>| json!({ "perMinute": minute, "monthlyQuota": quota });
    assert_eq!(set(json!({ "perMinute": 5 })).await, limits(5, Some(1_000)));
    assert_eq!(set(json!({ "monthlyQuota": null })).await, limits(5, None));
    let quota = json!({ "monthlyQuota": 1_000_000_000_000_u64, "perMinute": null });
    assert_eq!(set(quota).await, limits(5, Some(1_000_000_000_000)));
    assert_eq!(
        set(json!({ "plan": "STARTUP" })).await,
        limits(60, Some(1_000))
    );
}

#[tokio::test]
async fn an_admin_sets_a_plan() {
    let input = json!({ "accountId": customer_id("member").to_string(), "plan": "ENTERPRISE" });
    let fields = "account { owner { subject } plan activeKeys }";
    let set = payload(
        &Harness::new().await,
        "admin",
        "adminSetPlan",
        fields,
        input,
    )
    .await;
    let account =
        json!({ "owner": { "subject": "member" }, "plan": "ENTERPRISE", "activeKeys": null });
    assert_eq!(set, json!({ "account": account, "userErrors": [] }));
}

#[rstest]
#[case("no_name", "createKey", "key { id } secret", json!({ "name": " " }))]
#[case("long_name", "createKey", "key { id } secret", json!({ "name": "x".repeat(101) }))]
#[case("rename_all_wrong", "renameKey", "key { id }", json!({ "id": "nonsense", "name": "\u{7}" }))]
#[case("rename_anothers", "renameKey", "key { id }", json!({ "id": key_id(121).to_string(), "name": "x" }))]
#[case("revoke_anothers", "revokeKey", "key { id }", json!({ "id": key_id(121).to_string() }))]
#[case("rotate_anothers", "rotateKey", "oldKey { id } newKey { id } secret", json!({ "id": key_id(121).to_string() }))]
#[case("rotate_revoked", "rotateKey", "oldKey { id } secret", json!({ "id": key_id(2).to_string() }))]
#[case("rotate_again", "rotateKey", "oldKey { id } secret", json!({ "id": key_id(3).to_string() }))]
#[case("long_grace", "rotateKey", "oldKey { id } secret", json!({ "id": key_id(1).to_string(), "graceHours": 169 }))]
#[case("negative_grace", "rotateKey", "oldKey { id } secret", json!({ "id": key_id(1).to_string(), "graceHours": -1 }))]
#[case("member_revokes", "adminRevokeKey", "key { id }", json!({ "id": key_id(1).to_string() }))]
#[case("member_sets_limits", "adminSetLimits", "key { id }", json!({ "id": key_id(1).to_string(), "perMinute": 9 }))]
#[case("member_sets_a_plan", "adminSetPlan", "account { id }", json!({ "accountId": customer_id("member").to_string(), "plan": "ENTERPRISE" }))]
#[tokio::test]
async fn an_expected_refusal_is_data(
    #[case] name: &str,
    #[case] field: &str,
    #[case] fields: &str,
    #[case] input: Value,
) {
    let refused = payload(&Harness::new().await, "member", field, fields, input).await;
    assert_json_snapshot!(format!("refused_{name}"), refused);
}

#[rstest]
#[case("no_limit", "adminSetLimits", "key { id }", json!({ "id": key_id(1).to_string() }))]
#[case("plan_and_limits", "adminSetLimits", "key { id }", json!({ "id": key_id(1).to_string(), "plan": "STARTUP", "perMinute": 9 }))]
#[case("limits_out_of_range", "adminSetLimits", "key { id }", json!({ "id": "nonsense", "perMinute": -1, "monthlyQuota": 0 }))]
#[case("limits_of_nothing", "adminSetLimits", "key { id }", json!({ "id": key_id(9_999).to_string(), "perMinute": 9 }))]
#[case("plan_of_nobody", "adminSetPlan", "account { id }", json!({ "accountId": key_id(9).to_string(), "plan": "STARTUP" }))]
#[case("plan_of_nonsense", "adminSetPlan", "account { id }", json!({ "accountId": "nonsense", "plan": "STARTUP" }))]
#[tokio::test]
async fn an_admins_mistake_is_data(
    #[case] name: &str,
    #[case] field: &str,
    #[case] fields: &str,
    #[case] input: Value,
) {
    let refused = payload(&Harness::new().await, "admin", field, fields, input).await;
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
    let refused = payload(&harness, "member", "createKey", "key { id } secret", input).await;
    assert_json_snapshot!("refused_too_many_keys", refused);
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
    let id = key_id(1);
    let query = format!(
        "mutation {{ a: renameKey(input: {{ id: \"{id}\", name: \"a\" }}) {{ key {{ name }} }} \
         b: renameKey(input: {{ id: \"{id}\", name: \"b\" }}) {{ key {{ name }} }} \
         c: revokeKey(input: {{ id: \"{id}\" }}) {{ key {{ name status }} }} }}"
    );
    let data = harness.member(&query).await.data();
    let expected = json!({
        "a": { "key": { "name": "a" } },
        "b": { "key": { "name": "b" } },
        "c": { "key": { "name": "b", "status": "REVOKED" } },
    });
    assert_eq!(data, expected);
}

#[tokio::test]
async fn a_client_that_chooses_owner_or_limits_of_a_new_key_is_refused() {
    let harness = Harness::new().await;
    for member in ["perMinute: 9", "owner: \"x\"", "limits: {}"] {
        let query =
            format!("mutation {{ createKey(input: {{ name: \"x\", {member} }}) {{ secret }} }}");
        let answer = harness.member(&query).await;
        assert_eq!(
            (answer.status.as_u16(), &*answer.code()),
            (400, "INVALID_REQUEST")
        );
    }
    assert!(harness.calls().is_empty());
}

#[tokio::test]
async fn a_key_beyond_the_most_of_an_hour_is_refused() {
    let harness = Harness::with_room().await;
    let create = async || {
        let input = json!({ "name": "one of many" });
        payload(&harness, "member", "createKey", "key { id }", input).await
    };
    let mut refused = create().await;
    while refused["userErrors"] == json!([]) {
        refused = create().await;
    }
    assert_json_snapshot!("refused_too_many_new_keys", refused);
}
