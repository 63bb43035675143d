//! Variables and arguments: defaults, invalid values, and validation before execution.

use rstest::rstest;
use serde_json::{Value, json};

use crate::data::key_id;
use crate::harness::{Answer, Harness, post};

/// Checks that a request is refused as invalid, and that no port was called.
async fn refused(query: &str, variables: Value) -> Answer {
    let harness = Harness::new().await;
    let answer = harness.ask("admin", query, variables).await;
    answer.assert_error(400, "INVALID_REQUEST");
    assert!(answer.json().get("data").is_none(), "{}", answer.text);
    assert!(harness.calls().is_empty(), "{}", answer.text);
    answer
}

#[rstest]
#[case(
    "query($e: Environment = TEST) { bank(env: $e) { env state } }",
    "{ bank(env: TEST) { env state } }"
)]
#[case(
    "query($a: String) { ...F } fragment F on Query { keys(after: $a) { nodes { id } } }",
    "{ keys { nodes { id } } }"
)]
#[case(
    "query($k: ID) { usage(range: { granularity: DAY, newest: 2 }, keyId: $k) { series { outcome counts } } }",
    "{ usage(range: { granularity: DAY, newest: 2 }) { series { outcome counts } } }"
)]
#[case(
    "query($t: String, $s: [KeyState!]) { keys(filter: { text: $t, states: $s, env: TEST }) { nodes { id } } }",
    "{ keys(filter: { env: TEST }) { nodes { id } } }"
)]
#[case(
    "query($f: Int = 3) { keys(first: $f) { nodes { id } } }",
    "{ keys(first: 3) { nodes { id } } }"
)]
#[case(
    "query($yes: Boolean! = true) { viewer { role @include(if: $yes) displayName @skip(if: $yes) } }",
    "{ viewer { role } }"
)]
#[case(
    "query($r: Granularity = DAY) { usage(range: { granularity: $r, newest: 1 }) { slots } }",
    "{ usage(range: { granularity: DAY, newest: 1 }) { slots } }"
)]
#[tokio::test]
async fn a_variable_without_a_value_is_its_default_or_null(
    #[case] query: &str,
    #[case] same: &str,
) {
    let harness = Harness::new().await;
    let expected = harness.read(same, Value::Null).await;
    assert_eq!(harness.read(query, Value::Null).await, expected);
    assert_eq!(harness.read(query, json!({})).await, expected);
}

#[tokio::test]
async fn another_operation_shares_a_fragment_and_not_its_variables() {
    let document = "query A($f: Int = 20) { ...F } query B($f: Int = 4) { ...F } \
                    fragment F on Query { keys(first: $f) { nodes { id } } }";
    let harness = Harness::new().await;
    for (name, count) in [("A", 20), ("B", 4)] {
        let body = json!({ "query": document, "operationName": name }).to_string();
        let data = harness.send(post("member", body)).await.data();
        assert_eq!(data["keys"]["nodes"].as_array().unwrap().len(), count);
    }
}

#[rstest]
#[case("query($id: ID) { key(id: $id) { id } }")]
#[case("query($f: String) { keys(first: $f) { totalCount } }")]
#[case("query($f: [Int!]) { keys(first: $f) { totalCount } }")]
#[case("query($s: KeyState) { keys(filter: { states: [$s] }) { totalCount } }")]
#[case("query($f: Int) { viewer { role } }")]
#[case("query($f: Nope) { keys(first: $f) { totalCount } }")]
#[case("{ keys(first: $f) { totalCount } }")]
#[case("query($yes: Boolean) { viewer { role @include(if: $yes) } }")]
#[case("query($n: String) { __type(name: $n) { name } }")]
#[case("query($g: Granularity) { usage(range: { granularity: $g }) { slots } }")]
#[case("mutation($n: String) { createKey(input: { name: $n }) { apiKey } }")]
#[case("query A($f: String) { keys(first: $f) { totalCount } }")]
#[tokio::test]
async fn a_variable_whose_value_does_not_fit_its_place_is_refused(#[case] query: &str) {
    refused(query, Value::Null).await;
}

const GRACE: &str = "rotateKey(input: { id: \"x\", graceHours: VALUE }) { apiKey }";

/// A mutation that would succeed, and one after it whose input is invalid.
#[rstest]
#[case(GRACE, "24.5", "Int")]
#[case(GRACE, "null", "Int")]
#[case(
    "adminSetLimits(input: { id: \"x\", monthlyQuota: VALUE }) { key { id } }",
    "-1",
    "Count"
)]
#[case("createKey(input: { name: VALUE }) { apiKey }", "5", "String!")]
#[case("revokeKey(input: { id: VALUE }) { key { id } }", "1.5", "ID!")]
#[case(
    "createKey(input: { name: \"x\", env: VALUE }) { apiKey }",
    "\"MOON\"",
    "Environment"
)]
#[tokio::test]
async fn nothing_is_done_when_the_input_of_a_later_mutation_is_invalid(
    #[case] mutation: &str,
    #[case] value: &str,
    #[case] ty: &str,
) {
    let (first, literal) = (renaming(), mutation.replace("VALUE", value));
    let fragment = format!("fragment B on Mutation {{ b: {literal} }}");
    let variable = format!("{first} b: {}", mutation.replace("VALUE", "$v"));
    let given: Value = serde_json::from_str(value).unwrap();
    for query in [
        format!("mutation {{ {first} b: {literal} }}"),
        format!("mutation {{ {first} ...B }} {fragment}"),
        format!("mutation($v: {ty} = {value}) {{ {variable} }}"),
    ] {
        refused(&query, Value::Null).await;
    }
    let query = format!("mutation($v: {ty}) {{ {variable} }}");
    refused(&query, json!({ "v": given })).await;
}

/// A mutation that succeeds.
fn renaming() -> String {
    let key = key_id(1);
    format!("a: renameKey(input: {{ id: \"{key}\", name: \"x\" }}) {{ key {{ name }} }}")
}

/// The library looks at the range of an `Int` when it executes the field.
#[rstest]
#[case("rotateKey(input: { id: \"x\", graceHours: 2147483648 }) { apiKey }")]
#[case("adminSetLimits(input: { id: \"x\", perMinute: 1099511627776 }) { key { id } }")]
#[tokio::test]
async fn a_number_beyond_32_bits_is_an_error_of_its_field(#[case] mutation: &str) {
    let harness = Harness::new().await;
    let query = format!("mutation {{ {} b: {mutation} }}", renaming());
    let answer = harness.member(&query).await;
    // The error precedes the field, so that the library has no null to put there.
    answer.assert_error(200, "INVALID_REQUEST");
    let data = json!({ "a": { "key": { "name": "x" } } });
    assert_eq!(answer.json()["data"], data, "{}", answer.text);
}

#[tokio::test]
async fn a_default_beside_a_mistake_hides_no_mistake() {
    for mistake in ["bogus: 1", "env: 5", "env: MOON"] {
        let query = format!(
            "mutation($n: String = \"x\") {{ a: createKey(input: {{ name: $n }}) {{ apiKey }} \
             b: createKey(input: {{ name: $n, {mistake} }}) {{ apiKey }} }}"
        );
        refused(&query, Value::Null).await;
    }
}

#[tokio::test]
async fn an_invalid_value_is_named_after_a_sentence_in_the_caller_s_language() {
    let harness = Harness::new().await;
    let gone = "filter.states.1";
    let sentence = "La consulta no corresponde al esquema: ";
    for (list, named) in [
        ("requests(filter: { requestId: 5 })", "filter.requestId"),
        ("requests(filter: { from: \"ayer\" })", "filter.from"),
        ("keys(filter: { states: [ACTIVE, GONE] })", gone),
    ] {
        let query = format!("{{ {list} {{ nodes {{ id }} }} }}");
        let answer = harness.ask_in("es", "member", &query).await;
        assert_eq!(answer.status, 400, "{list}");
        let message = answer.message();
        assert!(message.starts_with(sentence), "{message}");
        assert!(message.contains(named), "{message}");
    }
}

#[tokio::test]
async fn an_instant_may_be_long_ago() {
    let query = "{ requests(filter: { from: \"1950-01-01T00:00:00Z\", to: \"1969-12-31T23:59:59Z\" }) \
                 { nodes { id } } }";
    Harness::new().await.read(query, Value::Null).await;
}

/// Null lifts the cap, and nothing leaves it as it is.
#[tokio::test]
async fn a_mutation_does_not_take_an_absent_variable_for_null() {
    let query = "mutation($id: ID!, $quota: Count) { adminSetLimits(input: { id: $id, \
                 perMinute: 7, monthlyQuota: $quota }) { key { monthlyQuota } } }";
    let id = key_id(1).to_string();
    let answer = refused(query, json!({ "id": id })).await;
    assert!(answer.message().contains("$quota"), "{}", answer.text);
    let variables = json!({ "id": id, "quota": null });
    let set = Harness::new().await.ask("admin", query, variables).await;
    let limits = &set.data()["adminSetLimits"]["key"];
    assert_eq!(*limits, json!({ "monthlyQuota": null }));
}
