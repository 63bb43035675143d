//! Expensive GraphQL operations and cross-site requests: each is refused, and does nothing.

use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::gateway::Plan;
use crate::person::{Demo, Person};

const CREATE: &str = "createKey(input: { name: \"abuse\", env: TEST }) { apiKey }";

/// Each kind is tested at GraphQL, without a process that could be lost and a store that could be changed.
#[tokio::test]
async fn costly_operations_are_refused_within_a_second_and_do_nothing() {
    let (_gateway, person) = Person::with_gateway(Demo::Admin).await;
    let many = |count: u32, one: &dyn Fn(u32) -> String| (0..count).map(one).collect::<String>();
    let doubling = many(30, &|n| {
        let next = n + 1;
        format!("fragment f{n} on Query {{ ...f{next} ...f{next} }} ")
    });
    let aliases = many(10_000, &|n| format!("a{n}:viewer{{role}} "));
    let mutations = many(1_000, &|n| format!("m{n}: {CREATE} "));
    let operations = [
        format!("{{ {aliases} }}"),
        format!("mutation {{ {mutations} }}"),
        format!("{{ ...f0 }} {doubling} fragment f30 on Query {{ viewer {{ role }} }}"),
        format!("{}{}", "{ a ".repeat(50), "}".repeat(50)),
        format!("mutation {{ a: {CREATE} b: {CREATE} c: {CREATE} d: {CREATE} }}"),
    ];
    let bodies = operations.map(|query| json!({ "query": query }));
    let batch = json!([{ "query": "{ viewer { role } }" }, { "query": "{ viewer { role } }" }]);
    for (number, body) in bodies.iter().chain([&batch]).enumerate() {
        let started = Instant::now();
        let asked = person.sending(Method::POST, "/graphql", body);
        let answer = asked.send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        let took = started.elapsed();
        assert!(took < Duration::from_secs(1), "{number} took {took:?}");
        assert!([400, 413].contains(&status), "{number}: {status} {text}");
        assert!(text.contains("\"errors\""), "{number}: {text}");
        assert!(text.len() < 64 * 1024, "{number}: {text}");
        assert!(!text.contains("cep_test_"), "{number}: {text}");
    }
    assert_eq!(person.keys().await, Vec::<Value>::new());
}

/// Each way to forge a request is tested in `web`, at the REST API and at GraphQL.
#[tokio::test]
async fn a_forged_request_makes_revokes_and_changes_nothing() {
    let (_gateway, person) = Person::with_gateway(Demo::Admin).await;
    let key = person.create_key("mine", "test").await;
    let new = json!({ "name": "forged", "env": "test" });
    let mutation = "mutation { createKey(input: { name: \"forged\", env: TEST }) { apiKey } }";
    let mutation = json!({ "query": mutation });
    let own = format!("/keys/{}", key.id);
    let of_admin = format!("/admin{own}");
    let limit = json!({ "per_minute": 1 });
    for (method, path, body) in [
        (Method::POST, "/keys", &new),
        (Method::POST, "/api/keys", &new),
        (Method::POST, "/graphql", &mutation),
        (Method::POST, "/api/graphql", &mutation),
        (Method::DELETE, &own, &json!({})),
        (Method::DELETE, &of_admin, &json!({})),
        (Method::PATCH, &of_admin, &limit),
        (Method::POST, "/logout", &json!({})),
    ] {
        for (name, value) in [
            ("origin", "https://evil.example"),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-site", "cross-site"),
        ] {
            let forged = person.sending(method.clone(), path, body);
            let answer = forged.header(name, value).send().await.unwrap();
            assert_eq!(answer.status(), 403, "{name} on {method} {path}");
            let text = answer.text().await.unwrap();
            assert!(!text.contains("cep_test_"), "{name} on {path}: {text}");
        }
        if method == Method::POST && path != "/logout" {
            let form = person
                .request(method, path)
                .header("content-type", "text/plain");
            let answer = form.body(body.to_string()).send().await.unwrap();
            assert_eq!(answer.status(), 415, "{path}");
        }
    }
    let kept = person.keys().await;
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0]["revoked_at"], Value::Null);
    assert_eq!(kept[0]["per_minute"], 60);
}

#[tokio::test]
async fn an_allowed_origin_passes_and_may_read_the_answer() {
    let allowed = "https://panel.example.org";
    let gateway = Plan::new().with("CEP_DASHBOARD_ORIGINS", allowed).start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let query = json!({ "query": "{ viewer { role } }" });
    let ask = |origin: &'static str| {
        let asked = person.sending(Method::POST, "/graphql", &query);
        let asked = asked.header("origin", origin);
        asked.header("sec-fetch-site", "cross-site").send()
    };
    let answer = ask(allowed).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["access-control-allow-origin"], allowed);
    assert_eq!(answer.headers()["access-control-allow-credentials"], "true");
    let answer = ask("https://panel.example.org.evil.example").await.unwrap();
    assert_eq!(answer.status(), StatusCode::FORBIDDEN);
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
    // Proofs are for programs: no page of any origin reads them.
    let proofs = gateway.url("/v1/cep/xml");
    let asked = gateway.client.request(Method::OPTIONS, proofs);
    let asked = asked
        .header("origin", allowed)
        .header("access-control-request-method", "POST");
    let answer = asked.send().await.unwrap();
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
}
