//! Calls of outbound ports by field: their number doesn't grow with the rows.

use std::collections::BTreeMap;

use rstest::rstest;
use serde_json::Value;
use testkit::fakes::Fault;

use crate::data::{customer_id, key_id};
use crate::harness::{Harness, permitted};

const KEY: &str = "nodes { name month { used } perMinute owner { subject } \
                   window { remaining } }";

/// Sends a query, and counts the calls of outbound ports.
async fn calls(query: &str) -> BTreeMap<&'static str, usize> {
    let harness = Harness::new().await;
    let answer = harness.ask(permitted(query), query, Value::Null).await;
    answer.data();
    harness.calls()
}

#[rstest]
#[case("viewer { owner { subject } role account { id plan } }", &["customer"])]
#[case("viewer { role displayName sessionExpiresAt }", &[])]
#[case("requests(first: 100) { nodes { id issuer { name } receiver { name } } }", &["customer", "requests"])]
#[case("usage(range: { granularity: DAY, newest: 400 }, breakdown: KEY) { slots series { counts } totals { latency { p50Ms } } }", &["customer", "usage"])]
#[case("batches(first: 100) { nodes { id progress counts { rows } } }", &["customer", "batches"])]
#[case("webhooks { id events }", &["customer", "endpoints"])]
#[case("ownAccounts { id cuenta }", &["customer", "own_accounts"])]
#[case("bank { state latency { p50Ms } budget { remaining } }", &["budget"])]
#[case("participants { code name active }", &[])]
#[case("admin { accounts(first: 100) { nodes { id activeKeys month { used } } totalCount } }", &["customers"])]
#[case("admin { requests(first: 100) { nodes { id } } }", &["requests"])]
#[case("admin { usage(range: { granularity: DAY, newest: 3 }) { slots } }", &["usage"])]
#[case("admin { audit(first: 100) { nodes { id changes { field } } } }", &["audit"])]
#[tokio::test]
async fn a_root_field_reads_each_list_once(#[case] field: &str, #[case] methods: &[&'static str]) {
    let expected = methods.iter().map(|method| (*method, 1)).collect();
    assert_eq!(calls(&format!("{{ {field} }}")).await, expected);
}

/// The window reads no database.
#[rstest]
#[case(format!("admin {{ keys(first: 100) {{ totalCount edges {{ cursor }} {KEY} }} }}"), "list")]
#[case(format!("admin {{ key(id: \"{}\") {{ name window {{ remaining }} }} }}", key_id(1)), "find")]
#[tokio::test]
async fn a_hundred_keys_are_one_call_of_the_store_and_one_of_the_limiter_for_all_windows(
    #[case] field: String,
    #[case] method: &'static str,
) {
    let expected = BTreeMap::from([(method, 1), ("peek", 1)]);
    assert_eq!(calls(&format!("{{ {field} }}")).await, expected);
}

#[tokio::test]
async fn the_windows_of_all_aliases_are_one_call_of_the_limiter() {
    let keys = (0..10).map(|number| format!("a{number}: keys(first: 10) {{ {KEY} }}"));
    let key = |number| {
        let id = key_id(number);
        format!("b{number}: key(id: \"{id}\") {{ window {{ limit }} }}")
    };
    let fields: Vec<_> = keys.chain((1..=5).map(key)).collect();
    let query = format!("{{ admin {{ {} }} }}", fields.join(" "));
    let expected = BTreeMap::from([("list", 10), ("find", 5), ("peek", 1)]);
    assert_eq!(calls(&query).await, expected);
}

#[tokio::test]
async fn the_windows_of_a_list_that_is_read_sooner_wait_for_those_of_the_others() {
    let harness = Harness::new().await;
    let faults = harness.services.store.faults();
    faults.inject_into("find", Fault::Hangs);
    let key = format!("key(id: \"{}\") {{ window {{ limit }} }}", key_id(1));
    let query = format!("{{ admin {{ keys(first: 10) {{ {KEY} }} {key} }} }}");
    let release = async {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(harness.calls(), BTreeMap::from([("list", 1), ("find", 1)]));
        faults.clear();
    };
    let (answer, ()) = tokio::join!(harness.admin(&query), release);
    answer.data();
    assert_eq!(harness.calls()["peek"], 1);
}

#[tokio::test]
async fn a_banks_budget_is_read_once_however_many_aliases_ask_for_it() {
    let bank = |number| format!("a{number}: bank {{ budget {{ remaining }} }}");
    let banks = (0..30).map(bank).collect::<Vec<_>>().join(" ");
    let query = format!("{{ {banks} b: bank(env: TEST) {{ state }} }}");
    assert_eq!(calls(&query).await, BTreeMap::from([("budget", 2)]));
}

#[rstest]
#[case("adminRevokeKey(input: { id: KEY }) { key { name } }", &["customer", "change", "snapshots", "apply"])]
#[case("adminSetLimits(input: { id: KEY, perMinute: 9 }) { key { name } }", &["customer", "change", "snapshots", "apply"])]
#[case("adminSetPlan(input: { accountId: ACCOUNT, plan: STARTUP }) { account { id } }", &["customer", "set_plan"])]
#[case("renameKey(input: { id: KEY, name: \"x\" }) { key { name } }", &["customer", "change", "snapshot"])]
#[case("createKey(input: { name: \"x\" }) { key { name } apiKey }", &["customer", "insert"])]
#[tokio::test]
async fn a_mutation_is_one_change_and_its_payload_costs_no_call(
    #[case] mutation: &str,
    #[case] methods: &[&'static str],
) {
    let query = format!("mutation {{ {mutation} }}")
        .replace("KEY", &format!("\"{}\"", key_id(1)))
        .replace("ACCOUNT", &format!("\"{}\"", customer_id("member")));
    let expected = methods.iter().map(|method| (*method, 1)).collect();
    assert_eq!(calls(&query).await, expected);
}
