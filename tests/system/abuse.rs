//! Expensive GraphQL operations: each is refused within a second, and does nothing.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::person::{Demo, Person};

const CREATE: &str = "createKey(input: { name: \"abuse\", environment: TEST }) { secret }";

/// Queries, each far over one limit.
fn operations() -> Vec<(&'static str, String)> {
    let many =
        |count: u32, one: &dyn Fn(u32) -> String| (0..count).map(one).collect::<Vec<_>>().join(" ");
    let aliases = many(10_000, &|n| format!("a{n}:viewer{{role}}"));
    let mutations = many(1_000, &|n| format!("m{n}: {CREATE}"));
    let directives = "@include(if: true)".repeat(300_000 / 18);
    let doubling = many(30, &|n| {
        let next = n + 1;
        format!("fragment f{n} on Query {{ ...f{next} ...f{next} }}")
    });
    let deep = format!("{}{}", "{ a ".repeat(50), "}".repeat(50));
    vec![
        ("10,000 aliases", format!("{{ {aliases} }}")),
        ("1,000 mutations", format!("mutation {{ {mutations} }}")),
        (
            "300 kB of directives",
            format!("{{ viewer {directives} {{ role }} }}"),
        ),
        (
            "2ⁿ fragments",
            format!("{{ ...f0 }} {doubling} fragment f30 on Query {{ viewer {{ role }} }}"),
        ),
        (
            "a circle of fragments",
            "{ ...a } fragment a on Query { ...a }".to_owned(),
        ),
        ("depth 50", deep),
        (
            "a million at once",
            "{ keys(first: 1000000) { totalCount } }".to_owned(),
        ),
        (
            "four mutations",
            format!("mutation {{ a: {CREATE} b: {CREATE} c: {CREATE} d: {CREATE} }}"),
        ),
    ]
}

#[tokio::test]
async fn costly_operations_are_refused_within_a_second_and_do_nothing() {
    let (_gateway, person) = Person::with_gateway(Demo::Admin).await;
    let batch = json!([{ "query": "{ viewer { role } }" }, { "query": "{ viewer { role } }" }]);
    let queries = operations().into_iter();
    let bodies = queries.map(|(name, query)| (name, json!({ "query": query })));
    for (name, body) in bodies.chain([("a batch", batch)]) {
        let started = Instant::now();
        let asked = person.sending(Method::POST, "/graphql", &body);
        let answer = asked.send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        let took = started.elapsed();
        assert!(took < Duration::from_secs(1), "{name} took {took:?}");
        assert!([400, 413].contains(&status), "{name}: {status} {text}");
        assert!(text.contains("\"errors\""), "{name}: {text}");
        assert!(text.len() < 64 * 1024, "{name}: {text}");
        assert!(!text.contains("cep_test_"), "{name}: {text}");
    }
    assert_eq!(person.keys().await, Vec::<Value>::new());
}
