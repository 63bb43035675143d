//! Calls of ports by field: their number doesn't grow with the rows.

use std::collections::BTreeMap;

use rstest::rstest;
use serde_json::{Value, json};

use crate::fakes::{customer_id, key_id};
use crate::harness::Harness;

const KEY: &str = "nodes { name month { used } limits { perMinute } owner { subject } \
                   window { remaining } }";

/// Sends a query as an admin, and counts the calls of both ports.
async fn calls(query: &str) -> BTreeMap<&'static str, usize> {
    let harness = Harness::new();
    harness.ask("admin", query, Value::Null).await.data();
    let mut calls = harness.keys.shared.calls();
    calls.extend(harness.insights.shared.calls());
    calls
}

#[rstest]
#[case("viewer { owner { subject } role account { id plan } }", &[("customer", 1)])]
#[case("viewer { role displayName sessionExpiresAt }", &[])]
#[case("requests(first: 100) { nodes { id issuer { name } receiver { name } } }", &[("requests", 1)])]
#[case("usage(range: { granularity: DAY, newest: 400 }, breakdown: KEY) { slots series { counts } totals { latency { p50Ms } } }", &[("usage", 1)])]
#[case("bank { state latency { p50Ms } budget { remaining } }", &[("bank", 1)])]
#[case("participants { code name active }", &[])]
#[case("admin { accounts(first: 100) { nodes { id activeKeys usedThisMonth } totalCount } }", &[("customers", 1)])]
#[case("admin { requests(first: 100) { nodes { id } } }", &[("requests", 1)])]
#[case("admin { usage(range: { granularity: DAY, newest: 3 }) { slots } }", &[("usage", 1)])]
#[case("admin { audit(first: 100) { nodes { id changes { field } } } }", &[("audit", 1)])]
#[tokio::test]
async fn a_root_field_is_one_call(#[case] field: &str, #[case] expected: &[(&'static str, usize)]) {
    let expected = expected.iter().copied().collect();
    assert_eq!(calls(&format!("{{ {field} }}")).await, expected);
}

/// The window reads no database; see `Insights::limit_status`.
#[rstest]
#[case(format!("admin {{ keys(first: 100) {{ totalCount edges {{ cursor }} {KEY} }} }}"), "list", 100)]
#[case(format!("admin {{ key(id: \"{}\") {{ name window {{ remaining }} }} }}", key_id(1)), "find", 1)]
#[tokio::test]
async fn a_hundred_keys_are_one_call_and_one_for_each_window(
    #[case] field: String,
    #[case] method: &'static str,
    #[case] keys: usize,
) {
    let expected = BTreeMap::from([(method, 1), ("limit_status", keys)]);
    assert_eq!(calls(&format!("{{ {field} }}")).await, expected);
}

#[rstest]
#[case("adminRevokeKey", json!({ "id": key_id(1).to_string() }), "key { name }", "revoke")]
#[case("adminSetLimits", json!({ "id": key_id(1).to_string(), "perMinute": 9 }), "key { name }", "set_limits")]
#[case("adminSetPlan", json!({ "accountId": customer_id("member").to_string(), "plan": "STARTUP" }), "account { id }", "set_plan")]
#[case("createKey", json!({ "name": "x" }), "key { name } secret", "create")]
#[tokio::test]
async fn a_mutation_is_one_call(
    #[case] field: &str,
    #[case] input: Value,
    #[case] fields: &str,
    #[case] method: &'static str,
) {
    let input = input.as_object().unwrap().iter();
    let input: Vec<_> = input
        .map(|(name, value)| match name.as_str() {
            "plan" => format!("{name}: {}", value.as_str().unwrap()),
            _ => format!("{name}: {value}"),
        })
        .collect();
    let input = input.join(", ");
    let query = format!("mutation {{ {field}(input: {{ {input} }}) {{ {fields} }} }}");
    assert_eq!(calls(&query).await, BTreeMap::from([(method, 1)]));
}
