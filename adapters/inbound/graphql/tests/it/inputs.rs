//! Variables and arguments: what isn't given, what can't be, and that nothing is done before all of
//! them are looked at.

use axum::http::HeaderValue;
use rstest::rstest;
use serde_json::{Value, json};

use crate::fakes::key_id;
use crate::harness::{Answer, Harness, post};

async fn member(query: &str, variables: Value) -> Answer {
    Harness::new().ask("member", query, variables).await
}

/// Checks that a request is refused as the caller's mistake, and that nothing of it was executed.
async fn refused(query: &str, variables: Value) -> Answer {
    let harness = Harness::new();
    let answer = harness.ask("admin", query, variables).await;
    let told = (answer.status.as_u16(), &*answer.code());
    assert_eq!(told, (400, "INVALID_REQUEST"), "{}", answer.text);
    assert!(answer.json().get("data").is_none(), "{}", answer.text);
    assert!(harness.keys.shared.calls().is_empty(), "{}", answer.text);
    assert!(
        harness.insights.shared.calls().is_empty(),
        "{}",
        answer.text
    );
    answer
}

#[rstest]
#[case(
    "query($f: Int) { keys(first: $f) { nodes { id } } }",
    "{ keys { nodes { id } } }"
)]
#[case(
    "query($f: Int, $a: String) { ...F } fragment F on Query { keys(first: $f, after: $a) { nodes { id } } }",
    "{ keys { nodes { id } } }"
)]
#[case(
    "query($e: Environment) { bank(environment: $e) { environment state } }",
    "{ bank { environment state } }"
)]
#[case(
    "query($b: Breakdown, $k: ID) { usage(range: { granularity: DAY, newest: 2 }, breakdown: $b, keyId: $k) { series { outcome counts } } }",
    "{ usage(range: { granularity: DAY, newest: 2 }) { series { outcome counts } } }"
)]
#[case(
    "query($t: String, $s: [KeyStatus!]) { keys(filter: { text: $t, statuses: $s, environment: TEST }) { nodes { id } } }",
    "{ keys(filter: { environment: TEST }) { nodes { id } } }"
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
async fn a_variable_without_a_value_leaves_the_default(#[case] query: &str, #[case] same: &str) {
    let expected = member(same, Value::Null).await.data();
    assert_eq!(member(query, Value::Null).await.data(), expected);
    assert_eq!(member(query, json!({})).await.data(), expected);
}

#[tokio::test]
async fn a_rotation_has_its_day_of_grace_when_its_variable_has_no_value() {
    let query = "mutation($g: Int) { rotateKey(input: { id: \"ID\", graceHours: $g }) \
                 { oldKey { retiresAt } userErrors { code } } }";
    let query = query.replace("ID", &key_id(1).to_string());
    let absent = member(&query, Value::Null).await.data();
    assert_eq!(absent, member(&query, json!({ "g": 24 })).await.data());
    assert_ne!(absent, member(&query, json!({ "g": 1 })).await.data());
}

#[tokio::test]
async fn a_nullable_variable_may_stand_where_there_is_a_default() {
    let query = "query($f: Int) { keys(first: $f) { nodes { id } } }";
    let data = member(query, json!({ "f": 2 })).await.data();
    assert_eq!(data["keys"]["nodes"].as_array().unwrap().len(), 2);
    let answer = refused(query, json!({ "f": null })).await;
    assert_eq!(
        answer.message(),
        "first must not be null; leave it out or give it a value."
    );
}

#[tokio::test]
async fn what_is_not_given_costs_what_its_default_costs() {
    let fields = "id name prefix createdAt lastUsedAt owner { issuer subject } \
                  limits { perMinute monthlyQuota } month { used charged refunded remaining }";
    let lists = ["a", "b", "c", "d", "e", "f"]
        .map(|alias| format!("{alias}: keys(first: $n) {{ nodes {{ {fields} }} }}"));
    let query = format!("query($n: Int) {{ {} }}", lists.join(" "));
    member(&query, Value::Null).await.data();
    let answer = member(&query, json!({ "n": 100 })).await;
    assert_eq!(answer.code(), "QUERY_TOO_COMPLEX");
}

#[tokio::test]
async fn another_operation_shares_a_fragment_and_not_its_variables() {
    let document = "query A($f: Int) { ...F } query B($f: Int = 4) { ...F } \
                    fragment F on Query { keys(first: $f) { nodes { id } } }";
    for (name, count) in [("A", 20), ("B", 4)] {
        let body = json!({ "query": document, "operationName": name }).to_string();
        let data = Harness::new().send(post("member", body)).await.data();
        assert_eq!(data["keys"]["nodes"].as_array().unwrap().len(), count);
    }
}

#[rstest]
#[case("query($id: ID) { key(id: $id) { id } }")]
#[case("query($f: String) { keys(first: $f) { totalCount } }")]
#[case("query($f: [Int!]) { keys(first: $f) { totalCount } }")]
#[case("query($s: KeyStatus) { keys(filter: { statuses: [$s] }) { totalCount } }")]
#[case("query($s: [KeyStatus]) { keys(filter: { statuses: $s }) { totalCount } }")]
#[case("query($f: Int) { viewer { role } }")]
#[case("query($f: Nope) { keys(first: $f) { totalCount } }")]
#[case("{ keys(first: $f) { totalCount } }")]
#[case("query($yes: Boolean) { viewer { role @include(if: $yes) } }")]
#[case("query($n: String) { __type(name: $n) { name } }")]
#[case("query($g: Granularity) { usage(range: { granularity: $g }) { slots } }")]
#[case("mutation($n: String) { createKey(input: { name: $n }) { secret } }")]
#[case("query A($f: String) { keys(first: $f) { totalCount } }")]
#[tokio::test]
async fn a_variable_must_fit_its_place_with_or_without_a_value(#[case] query: &str) {
    refused(query, Value::Null).await;
}

/// A mutation that would succeed, and one after it whose input can't be.
#[rstest]
#[case(
    "rotateKey(input: { id: \"x\", graceHours: VALUE }) { secret }",
    "2147483648",
    "Int",
    "input.graceHours must be a whole number from 0 to 168."
)]
#[case(
    "rotateKey(input: { id: \"x\", graceHours: VALUE }) { secret }",
    "-2147483649",
    "Int",
    "input.graceHours must be a whole number from 0 to 168."
)]
#[case(
    "rotateKey(input: { id: \"x\", graceHours: VALUE }) { secret }",
    "24.5",
    "Int",
    "input.graceHours must be a whole number from 0 to 168."
)]
#[case(
    "rotateKey(input: { id: \"x\", graceHours: VALUE }) { secret }",
    "null",
    "Int",
    "input.graceHours must not be null; leave it out or give it a value."
)]
#[case(
    "adminSetLimits(input: { id: \"x\", perMinute: VALUE }) { key { id } }",
    "1099511627776",
    "Int",
    "input.perMinute must be a whole number from 1 to 1000000."
)]
#[case(
    "adminSetLimits(input: { id: \"x\", perMinute: VALUE }) { key { id } }",
    "18446744073709551616",
    "Int",
    "input.perMinute must be a whole number from 1 to 1000000."
)]
#[case(
    "adminSetLimits(input: { id: \"x\", monthlyQuota: VALUE }) { key { id } }",
    "-1",
    "Count",
    "input.monthlyQuota must be a whole number from 1 to 1000000000000."
)]
#[case(
    "createKey(input: { name: VALUE }) { secret }",
    "5",
    "String!",
    "input.name must be a text."
)]
#[case(
    "revokeKey(input: { id: VALUE }) { key { id } }",
    "1.5",
    "ID!",
    "input.id must be an id, which is a text."
)]
#[case(
    "createKey(input: { name: \"x\", environment: VALUE }) { secret }",
    "\"MOON\"",
    "Environment",
    "input.environment must be one of LIVE, TEST."
)]
#[case(
    "createKey(input: VALUE) { secret }",
    "7",
    "CreateKeyInput!",
    "input must be an object."
)]
#[tokio::test]
async fn nothing_is_done_when_the_input_of_a_later_mutation_can_not_be(
    #[case] mutation: &str,
    #[case] value: &str,
    #[case] ty: &str,
    #[case] expected: &str,
) {
    let first = format!(
        "a: renameKey(input: {{ id: \"{}\", name: \"x\" }}) {{ key {{ name }} }}",
        key_id(1)
    );
    let literal = format!("{first} b: {}", mutation.replace("VALUE", value));
    let answer = refused(&format!("mutation {{ {literal} }}"), Value::Null).await;
    assert_eq!(answer.message(), expected);

    let spread = format!(
        "mutation {{ {first} ...B }} fragment B on Mutation {{ b: {} }}",
        mutation.replace("VALUE", value)
    );
    assert_eq!(refused(&spread, Value::Null).await.message(), expected);

    let variable = format!("{first} b: {}", mutation.replace("VALUE", "$v"));
    let given: Value = serde_json::from_str(value).unwrap();
    let answer = refused(
        &format!("mutation($v: {ty}) {{ {variable} }}"),
        json!({ "v": given }),
    )
    .await;
    let wanted = answer.message() == expected || answer.message().contains("$v");
    assert!(wanted, "{}", answer.text);

    let defaulted = format!("mutation($v: {ty} = {value}) {{ {variable} }}");
    refused(&defaulted, Value::Null).await;
}

#[tokio::test]
async fn a_default_beside_a_mistake_hides_no_mistake() {
    for mistake in ["bogus: 1", "environment: 5", "environment: MOON"] {
        let query = format!(
            "mutation($n: String = \"x\") {{ a: createKey(input: {{ name: $n }}) {{ secret }} \
             b: createKey(input: {{ name: $n, {mistake} }}) {{ secret }} }}"
        );
        refused(&query, Value::Null).await;
    }
}

#[rstest]
#[case(
    "{ requests(filter: { requestId: 5 }) { nodes { id } } }",
    "filter.requestId debe ser un texto."
)]
#[case(
    "{ requests(filter: { from: \"ayer\" }) { nodes { id } } }",
    "filter.from debe ser un instante según RFC 3339, como 2026-11-21T06:23:27Z, de los años 0 a 9999."
)]
#[case(
    "{ usage(range: { granularity: DAY, newest: 99999999999 }) { slots } }",
    "range.newest debe ser un número entero de 1 a 744."
)]
#[case(
    "{ keys(filter: { statuses: [ACTIVE, GONE] }) { totalCount } }",
    "filter.statuses.1 debe ser uno de ACTIVE, RETIRING, REVOKED."
)]
#[case(
    "query($e: String!) { bank(environment: $e) { state } }",
    "La variable $e es de tipo String! y se usa donde hace falta Environment!; declárela así."
)]
#[tokio::test]
async fn a_value_that_can_not_be_is_told_in_spanish(#[case] query: &str, #[case] expected: &str) {
    let body = json!({ "query": query, "variables": { "e": "LIVE" } }).to_string();
    let mut request = post("member", body);
    let spanish = HeaderValue::from_static("es");
    request.headers_mut().insert("accept-language", spanish);
    let answer = Harness::new().send(request).await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.message(), expected);
}

#[tokio::test]
async fn an_instant_may_be_long_ago() {
    let query = "{ requests(filter: { from: \"1950-01-01T00:00:00Z\", to: \"1969-12-31T23:59:59Z\" }) \
                 { nodes { id } } }";
    member(query, Value::Null).await.data();
}
