//! The shape of answers: the order of what was asked, and nulls where something failed.

use rstest::rstest;
use serde_json::json;

use crate::fakes::{Mood, key_id};
use crate::harness::Harness;

/// The text is compared, for its order counts.
#[rstest]
#[case(
    "{ bank { state } participants(text: \"90638\") { active code } viewer { role displayName } }",
    r#"{"bank":{"state":"DEGRADED"},"participants":[{"active":false,"code":"90638"}],"viewer":{"role":"MEMBER","displayName":"Demo member"}}"#
)]
#[case(
    "{ keys(first: 1) { totalCount } viewer { role } ...F keys(first: 1) { nodes { name } } } fragment F on Query { x: __typename viewer { displayName } }",
    r#"{"keys":{"totalCount":120,"nodes":[{"name":"till 120"}]},"viewer":{"role":"MEMBER","displayName":"Demo member"},"x":"Query"}"#
)]
#[case(
    "{ __type(name: \"Role\") { kind name } viewer { role } }",
    r#"{"__type":{"kind":"ENUM","name":"Role"},"viewer":{"role":"MEMBER"}}"#
)]
#[case("{ viewer { role @skip(if: true) } }", r#"{"viewer":{}}"#)]
#[case("{ viewer @include(if: false) { role } }", r"{}")]
#[tokio::test]
async fn fields_stand_in_the_order_of_the_question(#[case] query: &str, #[case] data: &str) {
    let answer = Harness::new().member(query).await;
    assert_eq!(answer.text, format!("{{\"data\":{data}}}"));
}

#[tokio::test]
async fn what_can_not_be_without_a_failed_field_is_null() {
    let id = key_id(1);
    let rename = format!("renameKey(input: {{ id: \"{id}\", name: \"x\" }})");
    let none = json!(null);
    for (query, data) in [
        (
            "{ viewer { role } keys { totalCount } }".to_owned(),
            none.clone(),
        ),
        (
            "{ role: viewer { role } list: keys { totalCount } }".to_owned(),
            none.clone(),
        ),
        (
            "{ viewer { role account { id } } bank { state } }".to_owned(),
            none.clone(),
        ),
        (
            "{ viewer { role } admin { accounts { totalCount } } }".to_owned(),
            json!({ "viewer": { "role": "ADMIN" }, "admin": null }),
        ),
        (
            "mutation { __typename createKey(input: { name: \"x\" }) { secret } }".to_owned(),
            none,
        ),
    ] {
        let harness = Harness::new();
        harness.keys.shared.feel(Mood::Broken);
        harness.insights.shared.feel(Mood::Broken);
        let json = harness.admin(&query).await.json();
        assert_eq!(json["data"], data, "{query}: {json:#}");
        assert_eq!(json["errors"].as_array().unwrap().len(), 1, "{json:#}");
    }
    // Only the window of the second one's key fails.
    let harness = Harness::new();
    harness.insights.shared.feel(Mood::Broken);
    let query = format!(
        "mutation {{ a: {rename} {{ key {{ name }} }} b: {rename} {{ userErrors {{ code }} \
         key {{ name window {{ remaining }} }} }} }}"
    );
    let json = harness.member(&query).await.json();
    let data = json!({ "a": { "key": { "name": "x" } }, "b": { "userErrors": [], "key": null } });
    assert_eq!(json["data"], data, "{json:#}");
    assert_eq!(
        json["errors"][0]["path"],
        json!(["b", "key", "window"]),
        "{json:#}"
    );
}
