//! Abusive requests, each refused within a second and before any port is called.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use graphql::Introspection;
use insta::assert_json_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::{Answer, Harness, post};

/// Sends a request, and checks that it is refused at once and without effect.
async fn refused(body: String) -> Answer {
    let harness = Harness::new().await;
    let begun = Instant::now();
    let answer = harness.send(post("member", body)).await;
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(1), "{waited:?}");
    assert!(harness.calls().is_empty(), "{}", answer.text);
    assert!(answer.status.is_client_error(), "{}", answer.text);
    assert!(answer.json().get("data").is_none());
    assert!(answer.text.len() < 8_000, "{}", answer.text.len());
    answer
}

async fn query_refused(query: &str) -> Answer {
    refused(json!({ "query": query }).to_string()).await
}

fn aliases(count: usize, field: &str) -> String {
    let alias = |number| format!("a{number}:{field} ");
    (0..count).map(alias).collect()
}

/// Fragments of which each spreads the next one twice.
fn chain(length: usize) -> String {
    let mut query = "{ viewer { ...f0 } }".to_owned();
    for number in 0..length {
        let spreads = format!("...f{} ", number + 1).repeat(2);
        write!(query, " fragment f{number} on Viewer {{ {spreads} }}").unwrap();
    }
    write!(query, " fragment f{length} on Viewer {{ role }}").unwrap();
    query
}

/// Fragments of which each spreads the next one 25 times, without a single field among them.
fn multiplied(last: &str) -> String {
    let mut query = "{ viewer { ...f0 } }".to_owned();
    for number in 0..18 {
        let spreads = format!("...f{} ", number + 1).repeat(25);
        write!(query, " fragment f{number} on Viewer {{ {spreads} }}").unwrap();
    }
    write!(query, " fragment f18 on Viewer {{ {last} }}").unwrap();
    query
}

#[rstest]
#[case::many_aliases(format!("{{ {} }}", aliases(3_000, "__typename")))]
#[case::too_many_aliases(format!("{{ {} }}", aliases(1_001, "__typename")))]
#[case::aliases_with_fields(format!("{{ {} }}", aliases(260, "bank{state}")))]
#[case::long_directives(format!("{{ viewer {{ role {} }} }}", "@skip(if: false) ".repeat(3_500)))]
#[case::of_a_field(format!("{{ viewer {{ role {} }} }}", "@a ".repeat(1_000)))]
#[case::of_a_query(format!("query {} {{ viewer {{ role }} }}", "@a ".repeat(1_000)))]
#[case::of_a_variable(format!("query($a: Int {}) {{ viewer {{ role }} }}", "@a ".repeat(1_000)))]
#[case::of_a_spread(format!("{{ ...F {} }} fragment F on Query {{ viewer {{ role }} }}", "@a ".repeat(1_000)))]
#[case::of_a_fragment(format!("{{ ...F }} fragment F on Query {} {{ viewer {{ role }} }}", "@a ".repeat(1_000)))]
#[case::of_an_inline_fragment(format!("{{ ... {} {{ viewer {{ role }} }} }}", "@a ".repeat(1_000)))]
#[case::doubling_fragments(chain(30))]
#[case::many_doubling_fragments(chain(500))]
#[case::multiplying_fragments(multiplied("...Nowhere"))]
#[case::multiplying_fragments_and_one_inline(multiplied("... { ...Nowhere }"))]
#[case::visits_to_the_store(format!("{{ {} }}", aliases(100, "usage(range:{granularity:HOUR,newest:1}){granularity}")))]
#[case::introspection_in_circles("{ __schema { types { fields { type { fields { type { fields { type { fields { type { name } } } } } } } } } } }".to_owned())]
#[case::introspection_again(format!("{{ {} }}", aliases(30, "__schema { types { fields { args { name type { name } } } } }")))]
#[tokio::test]
async fn a_document_beyond_a_limit_is_too_complex(#[case] query: String) {
    assert_eq!(query_refused(&query).await.code(), "QUERY_TOO_COMPLEX");
}

#[rstest]
#[case::mutations(format!("mutation {{ {} }}", aliases(10_000, "createKey(input:{name:\"x\"}){apiKey}")))]
#[case::fields(format!("{{ {} }}", aliases(10_000, "bank{state}")))]
#[case::directives(format!("{{ viewer {{ role {} }} }}", "@skip(if: false) ".repeat(18_000)))]
#[tokio::test]
async fn a_document_beyond_the_size_of_a_body_is_too_large(#[case] query: String) {
    assert_eq!(query_refused(&query).await.code(), "PAYLOAD_TOO_LARGE");
}

#[tokio::test]
async fn a_short_chain_of_fragments_that_double_each_other() {
    let answer = query_refused(&chain(18)).await;
    assert_json_snapshot!("doubling_fragments", answer.json());
}

#[rstest]
#[case("{ viewer { ...A } } fragment A on Viewer { ...A }")]
#[case("{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }")]
#[case("{ viewer { role } } fragment A on Viewer { ...B } fragment B on Viewer { ... { ...A } }")]
#[tokio::test]
async fn fragments_that_spread_themselves(#[case] query: &str) {
    let answer = query_refused(query).await;
    assert_eq!(answer.code(), "INVALID_REQUEST");
    assert!(answer.message().contains("cycle"), "{}", answer.text);
}

#[rstest]
#[case(50)]
#[case(3_000)]
#[tokio::test]
async fn deep_selections_and_values(#[case] depth: usize) {
    let nested = |open: &str, inner, close: &str| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let (list, ty) = (nested("[", "1", "]"), nested("[", "Int", "]"));
    for query in [
        format!("{{ {} }}", nested("a{", "b", "}")),
        format!("{{ keys(first: {list}) {{ totalCount }} }}"),
        format!("query($a: {ty}) {{ viewer {{ role }} }}"),
    ] {
        assert_eq!(query_refused(&query).await.code(), "QUERY_TOO_COMPLEX");
    }
}

#[tokio::test]
async fn deep_variables() {
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let body = format!(r#"{{"query":"{{ viewer {{ role }} }}","variables":{{"x":{deep}}}}}"#);
    assert_eq!(refused(body).await.code(), "INVALID_REQUEST");
}

#[tokio::test]
async fn selections_29_deep() {
    let query = format!("{}a{}", "{a".repeat(28) + "{", "}".repeat(29));
    assert_json_snapshot!("too_deep", query_refused(&query).await.json());
}

#[rstest]
#[case("1000000")]
#[case("1e6")]
#[case("101")]
#[case("0")]
#[case("-1")]
#[tokio::test]
async fn pages_out_of_range(#[case] first: &str) {
    for query in [
        format!("{{ keys(first: {first}) {{ totalCount }} }}"),
        format!("query($n: Int = {first}) {{ keys(first: $n) {{ totalCount }} }}"),
        format!(
            "{{ admin {{ ...A }} }} fragment A on Admin {{ audit(first: {first}) {{ nodes {{ id }} }} }}"
        ),
    ] {
        let answer = query_refused(&query).await;
        assert_eq!(answer.code(), "INVALID_REQUEST");
        let message = answer.message();
        assert!(message.contains("from 1 to 100"), "{message}");
    }
    let number: Value = serde_json::from_str(first).unwrap();
    let query = "query($n: Int!) { requests(first: $n) { nodes { id } } }";
    let body = json!({ "query": query, "variables": { "n": number } }).to_string();
    let message = refused(body).await.message();
    assert!(message.contains("first of requests"), "{message}");
}

#[tokio::test]
async fn long_lists_of_wide_items() {
    let fields = "id name prefix createdAt lastUsedAt owner { issuer subject } \
                  perMinute monthlyQuota month { used charged refunded remaining }";
    let keys = |first: &str| aliases(6, &format!("keys{first}{{nodes{{{fields}}}}}"));
    let query = |first: &str| format!("query($n: Int) {{ {} }}", keys(first));
    let answer = query_refused(&query("(first: 100)")).await;
    assert_json_snapshot!("too_costly", answer.json());
    let asked =
        |n: u32| json!({ "query": query("(first: $n)"), "variables": { "n": n } }).to_string();
    assert_eq!(refused(asked(100)).await.code(), "QUERY_TOO_COMPLEX");

    let harness = Harness::new().await;
    harness.send(post("member", asked(10))).await.data();
    harness.member(&format!("{{ {} }}", keys(""))).await.data();
}

/// Windows and budgets cost the server that decides on admissions.
#[rstest]
#[case(aliases(18, "keys(first:100){nodes{window{remaining}}}"))]
#[case(aliases(4, "keys(first:100){nodes{window{remaining}}}"))]
#[case(aliases(18, "keys(first:100){edges{node{window{remaining}}}}"))]
#[case(aliases(40, "bank{budget{remaining}}"))]
#[tokio::test]
async fn many_visits_to_the_limiter(#[case] fields: String) {
    let query = format!("{{ {fields} }}");
    assert_eq!(query_refused(&query).await.code(), "QUERY_TOO_COMPLEX");
}

#[rstest]
#[case(format!("mutation {{ {} }}", aliases(4, "createKey(input: {name: \"x\"}) { apiKey }")))]
#[case(format!("mutation {{ {} ...F }} fragment F on Mutation {{ b: createKey(input: {{name: \"x\"}}) {{ apiKey }} }}", aliases(3, "createKey(input: {name: \"x\"}) { apiKey }")))]
#[case(format!("mutation {{ ...F ...F }} fragment F on Mutation {{ {} }}", aliases(2, "createKey(input: {name: \"x\"}) { apiKey }")))]
#[tokio::test]
async fn four_mutations(#[case] query: String) {
    let answer = query_refused(&query).await;
    assert_eq!(answer.code(), "QUERY_TOO_COMPLEX");
}

#[tokio::test]
async fn many_operations() {
    let operation = |number| format!("query Q{number} {{ {} }} ", aliases(6, "__typename"));
    let operations: String = (0..190).map(operation).collect();
    let body = json!({ "query": operations, "operationName": "Q1" }).to_string();
    assert_eq!(refused(body).await.code(), "QUERY_TOO_COMPLEX");
}

#[rstest]
#[case("subscription { viewer { role } }")]
#[case("{ secrets { hash } }")]
#[case("{ keys { nodes { hash } } }")]
#[case("{ viewer }")]
#[case("{ viewer { role { x } } }")]
#[case("{ key { id } }")]
#[case("{ keys(first: \"1\") { totalCount } }")]
#[case("{ keys(first: null) { totalCount } }")]
#[case("{ usage(range: { granularity: DAY, from: \"yesterday\", to: \"today\" }) { slots } }")]
#[case("query($x: Nope) { viewer { role } }")]
#[case("{ viewer { ...Nowhere } }")]
#[case("{ ...F } fragment F on Key { id }")]
#[tokio::test]
async fn a_document_that_does_not_fit_the_schema(#[case] query: &str) {
    let answer = query_refused(query).await;
    answer.assert_error(400, "INVALID_REQUEST");
    assert!(!answer.text.contains("Did you mean"), "{}", answer.text);
}

#[tokio::test]
async fn many_mistakes_are_reported_up_to_a_bound() {
    let query = format!("{{ {} }}", aliases(400, &"x".repeat(100)));
    let answer = query_refused(&query).await;
    assert_eq!(answer.json()["errors"].as_array().unwrap().len(), 10);
    let long = "y".repeat(60_000);
    assert!(query_refused(&format!("{{ {long} }}")).await.text.len() < 600);
}

#[tokio::test]
async fn an_argument_that_is_wrong_is_named() {
    let query = "{ requests(filter: { from: \"2026-11-21 06:00:00Z\" }) { nodes { id } } }";
    let answer = query_refused(query).await;
    assert_json_snapshot!("wrong_argument", answer.json());
    assert!(answer.message().contains("filter.from"), "{}", answer.text);
}

#[rstest]
#[case(json!({}))]
#[case(json!({ "first": null, "second": { "id": "x" } }))]
#[case(json!({ "first": { "name": "x" }, "second": null }))]
#[case(json!({ "first": { "name": "x" } }))]
#[tokio::test]
async fn a_variable_without_a_required_value_stops_the_first_mutation_too(
    #[case] variables: Value,
) {
    let query = "mutation($first: CreateKeyInput!, $second: RevokeKeyInput!) { \
                 createKey(input: $first) { apiKey } revokeKey(input: $second) { key { id } } }";
    let answer = refused(json!({ "query": query, "variables": variables }).to_string()).await;
    answer.assert_error(400, "INVALID_REQUEST");
    let message = answer.message();
    assert!(message.contains("The variable $"), "{message}");
}

#[rstest]
#[case("")]
#[case("{")]
#[case("{ viewer { role } ")]
#[case("query { viewer { role } } }")]
#[case("{ viewer(\"\"\" ) { role } }")]
#[case("fragment A on Viewer { role }")]
#[case("query A { viewer { role } } query A { viewer { role } }")]
#[case("{ viewer { role } } { viewer { role } }")]
#[case("type Query { a: Int }")]
#[tokio::test]
async fn a_text_that_is_no_query(#[case] query: &str) {
    let answer = query_refused(query).await;
    answer.assert_error(400, "INVALID_REQUEST");
    let names_rule = answer.text.contains("expected");
    assert!(!names_rule, "no rule of the grammar: {}", answer.text);
}

#[tokio::test]
async fn introspection_is_refused_where_it_is_off() {
    let harness = Harness::with(Introspection::Off).await;
    for query in [
        "{ __schema { types { name } } }",
        "{ viewer { role } __type(name: \"Key\") { name } }",
        "{ ...F } fragment F on Query { __schema { types { name } } }",
    ] {
        let answer = harness.member(query).await;
        answer.assert_error(400, "INVALID_REQUEST");
        assert!(!answer.text.contains("Key"), "{}", answer.text);
    }
    let named = harness.member("{ __typename viewer { __typename role } }");
    assert_eq!(named.await.data()["viewer"]["__typename"], "Viewer");
}
