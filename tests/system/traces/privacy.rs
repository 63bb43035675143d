//! Data that never appears in traces or the log, and the recipients of trace headers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::SAMPLED;
use super::collector::{Behaviour, Collector, PATIENCE};
use crate::canary::ask_for_everything;
use crate::gateway::{Gateway, Plan, eventually, request};
use crate::person::{Demo, Person};

#[tokio::test]
async fn accounts_names_amounts_keys_and_addresses_are_in_no_trace() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector
        .plan()
        .with("CEP_LOG", "trace")
        .with("CEP_BANK_TIMEOUT", "0.5")
        .start();
    let key = gateway.roomy_key();
    let (prefix, secret) = key.full.split_once('.').unwrap();
    let mut canaries: Vec<_> = [
        prefix,
        secret,
        "002010077777777771",
        "77777777",
        "8675309",
        "MBAN0100",
        "canary",
        "127.0.0.1:",
        "Admin Demo",
    ]
    .map(str::to_owned)
    .into();
    canaries.extend(ask_for_everything(&gateway, &key).await);
    let odd = "/v1/cep/xml?cuenta=002010077777777771&canary=8675309.17";
    let odd = gateway.client.post(gateway.url(odd));
    let odd = odd
        .header("x-api-key", "cep_test_AAAAAAAA.canary")
        .header("cookie", "canary-cookie")
        .header("user-agent", "canary-agent")
        .header("x-forwarded-for", "canary-address")
        .header("baggage", "name=canary");
    assert_eq!(odd.send().await.unwrap().status(), 401);
    let nowhere = gateway.get("/canary/8675309/canary@example.org").await;
    assert_eq!(nowhere.status(), 404);
    let person = Person::signed_in(&gateway, Demo::Admin).await;
    person.create_key("canary", "test").await;
    let find = "query($id: ID!) { key(id: $id) { name } }";
    person.ask_anyway(find, json!({ "id": "canary" })).await;
    let token = person.cookie("cep_session").unwrap();
    canaries.extend(token.split('.').map(str::to_owned));
    gateway.stopped().await;
    for text in [&*key.id, "POST /v1/cep/zip_auto", "POST /graphql"] {
        assert!(collector.holds(text), "{text}");
    }
    for canary in canaries {
        assert!(!collector.holds(&canary), "{canary} is in the traces");
    }
}

/// The log of a gateway that has ended.
async fn whole_log(gateway: Gateway) -> String {
    std::fs::read_to_string(gateway.stopped().await.path().join("log")).unwrap()
}

/// Lines of requests without the values that differ from one to the next.
fn lines(log: &str) -> String {
    let mut lines = String::new();
    for line in log.lines().filter(|line| line.contains("cep::request")) {
        let mut line: Value = serde_json::from_str(line).unwrap();
        for name in ["timestamp", "duration_ms", "bank_ms", "key"] {
            line.as_object_mut().unwrap().remove(name);
        }
        writeln!(lines, "{line}").unwrap();
    }
    lines
}

#[tokio::test]
async fn the_log_is_the_same_with_and_without_traces() {
    let collector = Collector::start(Behaviour::Takes).await;
    for level in ["info", "trace", "info,cep::trace=trace"] {
        let mut both = Vec::new();
        for plan in [Plan::new(), collector.plan()] {
            let gateway = plan.with("CEP_LOG", level).start();
            let key = gateway.roomy_key();
            for amount in ["10.00", "404.00", "500.00"] {
                let asking = gateway.asking("xml", &key).header("x-request-id", "same");
                let asking = asking.header(SAMPLED.0, SAMPLED.1);
                let asked = asking.body(request(1, amount).to_string()).send();
                asked.await.unwrap();
            }
            let nowhere = gateway.client.get(gateway.url("/nowhere"));
            let nowhere = nowhere.header("x-request-id", "same");
            nowhere.send().await.unwrap();
            let log = whole_log(gateway).await;
            for word in ["cep::trace\"", "cep.request_id", "bank lookup"] {
                assert!(!log.contains(word), "{level}: {log}");
            }
            both.push(lines(&log));
        }
        assert_eq!(both[0].lines().count(), 4, "{}", both[0]);
        assert_eq!(both[0], both[1], "{level}");
    }
    assert!(!collector.spans().is_empty());
}

#[tokio::test]
async fn a_gateway_that_logs_nothing_traces_all_the_same() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector.plan().with("CEP_LOG", "off").start();
    gateway.status_of(&gateway.roomy_key()).await;
    let trace = collector.trace("POST /v1/cep/xml").await;
    assert_eq!(trace.children(trace.the("POST /v1/cep/xml")).len(), 3);
    assert_eq!(gateway.log(), "");
}

#[tokio::test]
async fn text_log_lines_have_no_spans_either() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector.plan().with("CEP_LOG_FORMAT", "text").start();
    let key = gateway.roomy_key();
    gateway.post("xml", &key, &request(1, "500.00")).await;
    let log = whole_log(gateway).await;
    assert!(log.contains("bank_unavailable"), "{log}");
    for word in ["request{", "otel", "bank lookup", "cep.request_id"] {
        assert!(!log.contains(word), "{word}: {log}");
    }
}

#[tokio::test]
async fn the_collector_gets_the_headers_from_a_file() {
    let collector = Collector::start(Behaviour::Takes).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("headers");
    std::fs::write(&file, "Authorization=Bearer%20hunter2,x-scope=a b\n").unwrap();
    let gateway = Plan::in_folder(folder)
        .with("CEP_LOG", "trace")
        .with("CEP_OTLP_ENDPOINT", format!("{}/", collector.url))
        .with("CEP_OTLP_HEADERS_FILE", file.display())
        .start();
    gateway.status_of(&gateway.roomy_key()).await;
    let has_arrived = async || !collector.headers().is_empty();
    eventually("a batch arrives", PATIENCE, has_arrived).await;
    let headers = &collector.headers()[0];
    assert_eq!(headers["authorization"], "Bearer hunter2");
    assert_eq!(headers["x-scope"], "a b");
    assert_eq!(headers["content-type"], "application/x-protobuf");
    assert!(!headers.contains_key("traceparent"));
    let log = whole_log(gateway).await;
    assert!(!log.contains("hunter2"), "{log}");
}
