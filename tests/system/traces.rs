//! Traces: from the caller, through the gateway, to the bank, and to a collector.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use rstest::rstest;
use serde_json::json;
use tempfile::TempDir;

use crate::gateway::{CountingBank, Gateway, Key, Plan, eventually, request};
use crate::person::{Demo, Person};

mod collector;
mod outage;
mod privacy;

use collector::{Behaviour, Collector, PATIENCE, Trace};

/// The example of W3C Trace Context.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

fn sampled() -> String {
    format!("00-{TRACE}-{CALLER}-01")
}

/// Requests the proof of this number with these headers.
async fn ask(gateway: &Gateway, key: &Key, number: u32, headers: &[(&str, &str)]) -> StatusCode {
    let mut asking = gateway.asking("xml", key);
    for (name, value) in headers {
        asking = asking.header(*name, *value);
    }
    let body = request(number, "10.00").to_string();
    asking.body(body).send().await.unwrap().status()
}

/// Stops a gateway while collector and bank, which run in this test, go on.
async fn stop(gateway: Gateway) -> TempDir {
    let stopped = tokio::task::spawn_blocking(|| gateway.stop());
    stopped.await.unwrap()
}

/// Returns whether nothing of a trace was exported by the time that a later one was.
async fn is_silent(collector: &Collector, gateway: &Gateway, trace: &str) -> bool {
    let asked = gateway.client.get(gateway.url("/openapi.json"));
    let marked = asked.header("traceparent", format!("00-{}-{CALLER}-01", "f".repeat(32)));
    marked.send().await.unwrap();
    collector.span("GET /openapi.json").await;
    collector.spans().iter().all(|span| span.trace != trace)
}

#[tokio::test]
async fn a_request_is_one_trace_from_its_caller_to_the_bank() {
    let collector = Collector::start(Behaviour::Takes).await;
    let bank = CountingBank::start(Duration::ZERO).await;
    let plan = collector.trusting_plan().with("CEP_INSTANCE", "pod-7");
    let gateway = bank.known_to(plan).start();
    let key = gateway.live_key();
    let headers = [
        ("traceparent", &*sampled()),
        ("tracestate", "vendor=1"),
        ("x-request-id", "request-7"),
    ];
    assert_eq!(ask(&gateway, &key, 1, &headers).await, 200);

    let trace = collector.trace("POST /v1/cep/xml").await;
    let server = trace.the("POST /v1/cep/xml");
    assert_eq!((&*server.trace, &*server.parent), (TRACE, CALLER));
    assert_eq!((server.kind, server.status), (2, 0));
    assert_eq!(server.state, "vendor=1");
    for (name, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/v1/cep/xml"),
        ("http.response.status_code", "200"),
        ("url.scheme", "http"),
        ("cep.request_id", "request-7"),
        ("cep.endpoint", "xml"),
        ("cep.outcome", "delivered"),
        ("cep.environment", "live"),
        ("cep.key_id", &key.id),
    ] {
        assert_eq!(server.attribute(name), Some(value), "{name}");
    }
    assert_eq!(server.attributes.len(), 9, "{:?}", server.attributes);
    assert_eq!(
        trace.children(server),
        ["admission", "bank lookup", "settlement"]
    );
    let lookup = trace.the("bank lookup");
    assert_eq!(lookup.attribute("cep.outcome"), Some("issued"));
    assert_eq!(
        trace.children(lookup),
        ["GET /cep/descarga.do", "POST /cep/valida.do", "bank turn"]
    );
    assert_eq!(trace.the("bank turn").attribute("cep.turn"), Some("taken"));
    let mut told = Vec::new();
    for name in ["POST /cep/valida.do", "GET /cep/descarga.do"] {
        let client = trace.the(name);
        assert_eq!((client.kind, client.status), (3, 0), "{name}");
        let status = client.attribute("http.response.status_code");
        assert_eq!(status, Some("200"), "{name}");
        assert_eq!(client.attribute("server.address"), Some("127.0.0.1"));
        told.push(Some(format!("00-{TRACE}-{}-01", client.id)));
    }
    assert_eq!(bank.told("traceparent"), told);
    assert_eq!(bank.told("tracestate"), [None, None]);
    assert_eq!(trace.0.len(), 7, "{:#?}", trace.0);
    assert!(trace.0.iter().all(|span| span.events == 0));
    for (name, value) in [
        ("service.name", "cep-gateway"),
        ("service.version", env!("CARGO_PKG_VERSION")),
        ("service.instance.id", "pod-7"),
    ] {
        assert_eq!(server.resource[name], value, "{name}");
    }
}

#[tokio::test]
async fn a_process_without_a_name_has_the_same_random_one_everywhere() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector.plan().start();
    ask(&gateway, &gateway.roomy_key(), 1, &[]).await;
    let instance = &collector.span("admission").await.resource["service.instance.id"];
    let log = gateway.log();
    assert!(instance.len() > 30 && log.contains(&**instance), "{log}");
}

#[tokio::test]
async fn routes_of_people_have_spans_and_probes_and_files_have_none() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector.plan().start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    for path in ["/healthz", "/readyz", "/api/readyz"] {
        let probe = gateway.client.get(gateway.url(path)).send().await.unwrap();
        assert_eq!(probe.status(), StatusCode::OK, "{path}");
    }
    let page = person.request(Method::GET, "/dashboard").send().await;
    let page = page.unwrap().text().await.unwrap();
    let (_, file) = page.split_once("src=\"").unwrap();
    let file = file.split('"').next().unwrap();
    assert!(file.starts_with("/dashboard/assets/"), "{file}");
    let file = person.request(Method::GET, file).send().await.unwrap();
    assert_eq!(file.status(), StatusCode::OK);
    person.ask("{ __typename }", json!({})).await;
    let keys = person.request(Method::GET, "/keys").send().await.unwrap();
    assert_eq!(keys.status(), StatusCode::OK);
    let brew = Method::from_bytes(b"CANARY").unwrap();
    let nowhere = gateway.client.request(brew, gateway.url("/canary/1"));
    assert_eq!(nowhere.send().await.unwrap().status(), 404);

    let nowhere = collector.span("HTTP").await;
    assert_eq!(nowhere.attribute("http.request.method"), Some("_OTHER"));
    assert_eq!(nowhere.attribute("http.route"), None);
    assert_eq!((nowhere.kind, nowhere.status), (2, 0));
    for name in [
        "GET /login",
        "GET /auth/callback",
        "GET /keys",
        "POST /graphql",
    ] {
        let span = collector.span(name).await;
        assert_eq!((span.kind, &*span.parent), (2, ""), "{name}");
        assert!(span.attribute("cep.request_id").is_some(), "{name}");
    }
    let names: Vec<_> = collector
        .spans()
        .into_iter()
        .map(|span| span.name)
        .collect();
    for untold in ["healthz", "readyz", "assets"] {
        let told = names.iter().any(|name| name.contains(untold));
        assert!(!told, "{untold}: {names:?}");
    }
}

#[tokio::test]
async fn only_what_is_our_fault_is_an_error() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector.trusting_plan().start();
    let key = gateway.roomy_key();
    for (amount, status, outcome, error) in [
        ("404.00", 404, "not_found", None),
        ("500.00", 503, "bank_unavailable", Some("503")),
        ("0.001", 400, "invalid_request", None),
    ] {
        let trace = format!("{status:032x}");
        let asked = gateway
            .asking("xml", &key)
            .header("traceparent", format!("00-{trace}-{CALLER}-01"))
            .body(request(1, amount).to_string());
        assert_eq!(asked.send().await.unwrap().status(), status);
        let of_it = || {
            let mut spans = collector.spans();
            spans.retain(|span| span.trace == trace);
            Trace(spans)
        };
        eventually("it is exported", PATIENCE, async || {
            of_it().0.iter().any(|span| span.kind == 2)
        })
        .await;
        let of_it = of_it();
        let server = of_it.the("POST /v1/cep/xml");
        assert_eq!(server.attribute("cep.outcome"), Some(outcome));
        assert_eq!(
            server.status,
            if error.is_some() { 2 } else { 0 },
            "{amount}"
        );
        assert_eq!(server.attribute("error.type"), error);
        if error.is_some() {
            let bank = of_it.the("POST /cep/valida.do");
            assert_eq!(bank.status, 2);
            assert_eq!(bank.attribute("http.response.status_code"), Some("500"));
            let lookup = of_it.the("bank lookup");
            assert_eq!(lookup.status, 2);
            assert_eq!(lookup.attribute("cep.outcome"), Some("unavailable"));
        }
    }
}

#[rstest]
#[case::malformed(&["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"])]
#[case::no_trace(&["00-00000000000000000000000000000000-00f067aa0ba902b7-01"])]
#[case::no_span(&["00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"])]
#[case::twice(&[
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
])]
#[case::not_even_text(&["\u{e9}"])]
#[tokio::test]
async fn an_invalid_traceparent_is_ignored(#[case] values: &[&str]) {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector.trusting_plan().start();
    let key = gateway.roomy_key();
    let headers: Vec<_> = values.iter().map(|value| ("traceparent", *value)).collect();
    assert_eq!(ask(&gateway, &key, 1, &headers).await, 200);
    let server = collector.span("POST /v1/cep/xml").await;
    assert_eq!(server.parent, "");
    assert_ne!(server.trace, TRACE);
    assert_eq!(server.state, "");
}

#[tokio::test]
async fn a_caller_that_does_not_want_a_trace_gets_none_and_the_bank_is_told_so() {
    let collector = Collector::start(Behaviour::Takes).await;
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.known_to(collector.trusting_plan()).start();
    let unsampled = format!("00-{TRACE}-{CALLER}-00");
    let headers = [("traceparent", &*unsampled)];
    let key = gateway.live_key();
    assert_eq!(ask(&gateway, &key, 1, &headers).await, 200);
    assert!(is_silent(&collector, &gateway, TRACE).await);
    let told = bank.told("traceparent");
    assert_eq!(told.len(), 2);
    for told in told.into_iter().flatten() {
        assert!(
            told.starts_with(&format!("00-{TRACE}-")) && told.ends_with("-00"),
            "{told}"
        );
    }
}

#[tokio::test]
async fn the_ratio_is_of_traces_that_begin_here() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector
        .trusting_plan()
        .with("CEP_TRACE_RATIO", "0")
        .start();
    let key = gateway.roomy_key();
    for number in 1..20 {
        ask(&gateway, &key, number, &[]).await;
    }
    ask(&gateway, &key, 20, &[("traceparent", &*sampled())]).await;
    collector.span("POST /v1/cep/xml").await;
    assert!(collector.spans().iter().all(|span| span.trace == TRACE));
}

#[tokio::test]
async fn a_stranger_cannot_have_a_trace_sampled() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector.plan().with("CEP_TRACE_RATIO", "0").start();
    let key = gateway.roomy_key();
    for number in 1..20 {
        let headers = [("traceparent", &*sampled())];
        assert_eq!(ask(&gateway, &key, number, &headers).await, 200);
    }
    // What waits to be sent is sent before the end.
    stop(gateway).await;
    assert!(collector.headers().is_empty());
}

#[tokio::test]
async fn a_strangers_trace_is_linked_to_one_that_begins_here() {
    let collector = Collector::start(Behaviour::Takes).await;
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.known_to(collector.plan()).start();
    let key = gateway.live_key();
    let unsampled = format!("00-{TRACE}-{CALLER}-00");
    let headers = [("traceparent", &*unsampled), ("tracestate", "vendor=1")];
    assert_eq!(ask(&gateway, &key, 1, &headers).await, 200);

    let trace = collector.trace("POST /v1/cep/xml").await;
    let server = trace.the("POST /v1/cep/xml");
    assert_ne!(server.trace, TRACE);
    assert_eq!((&*server.parent, &*server.state), ("", ""));
    assert_eq!(server.links, [CALLER]);
    assert_eq!(trace.0.len(), 7, "{:#?}", trace.0);
    assert_eq!(bank.told("tracestate"), [None, None]);
    for told in bank.told("traceparent") {
        let told = told.unwrap();
        assert!(told.starts_with(&format!("00-{}-", server.trace)), "{told}");
        assert!(told.ends_with("-01"), "{told}");
    }
    let exported = collector.bytes();
    let state = b"vendor=1";
    assert!(!exported.windows(state.len()).any(|window| window == state));
}

#[tokio::test]
async fn without_a_collector_nothing_is_exported() {
    let collector = Collector::start(Behaviour::Takes).await;
    let bank = CountingBank::start(Duration::ZERO).await;
    // Settings of other OpenTelemetry programs don't apply to the gateway.
    let plan = Plan::new()
        .with("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)
        .with("OTEL_TRACES_EXPORTER", "otlp");
    let gateway = bank.known_to(plan).start();
    let key = gateway.live_key();
    let headers = [("traceparent", &*sampled()), ("tracestate", "vendor=1")];
    assert_eq!(ask(&gateway, &key, 1, &headers).await, 200);
    stop(gateway).await;
    assert_eq!(bank.told("traceparent"), [None, None]);
    assert_eq!(bank.told("tracestate"), [None, None]);
    assert!(collector.headers().is_empty());
}

#[tokio::test]
async fn other_programs_settings_change_nothing() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector
        .plan()
        .with("OTEL_TRACES_SAMPLER", "always_off")
        .with("OTEL_SERVICE_NAME", "another")
        .with("OTEL_RESOURCE_ATTRIBUTES", "service.name=another,owner=x")
        .with("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "1")
        .with("OTEL_BSP_SCHEDULE_DELAY", "3600000")
        .start();
    ask(&gateway, &gateway.roomy_key(), 1, &[]).await;
    let server = collector.span("POST /v1/cep/xml").await;
    assert_eq!(server.resource["service.name"], "cep-gateway");
    assert!(!server.resource.contains_key("owner"));
    assert_eq!(server.attributes.len(), 9, "{:?}", server.attributes);
}

#[tokio::test]
async fn a_shared_lookup_is_in_the_trace_of_the_first_request_and_linked_from_the_others() {
    let collector = Collector::start(Behaviour::Takes).await;
    let bank = CountingBank::start(Duration::from_millis(500)).await;
    let gateway = bank.known_to(collector.plan()).start();
    let key = gateway.live_key();
    let together = (0..4).map(|_| ask(&gateway, &key, 1, &[]));
    let answers = futures::future::join_all(together).await;
    assert!(answers.iter().all(|status| *status == 200));
    let named = |name: &str| {
        let mut spans = collector.spans();
        spans.retain(|span| span.name == name);
        spans
    };
    eventually("all are exported", PATIENCE, async || {
        named("POST /v1/cep/xml").len() == 4
    })
    .await;
    let [lookup] = &*named("bank lookup") else {
        panic!("not one lookup: {:#?}", named("bank lookup"));
    };
    let servers = named("POST /v1/cep/xml");
    let asker = servers
        .iter()
        .find(|span| span.id == lookup.parent)
        .unwrap();
    let waits = named("wait for a shared lookup");
    assert_eq!(waits.len(), 3);
    for wait in waits {
        assert_ne!(wait.trace, asker.trace);
        assert_eq!(wait.links, std::slice::from_ref(&asker.id));
    }
}

#[tokio::test]
async fn a_caller_who_hangs_up_leaves_a_whole_trace() {
    let collector = Collector::start(Behaviour::Takes).await;
    let bank = CountingBank::start(Duration::from_millis(500)).await;
    let gateway = bank.known_to(collector.plan()).start();
    let key = gateway.live_key();
    let impatient = gateway
        .asking("xml", &key)
        .body(request(1, "10.00").to_string())
        .timeout(Duration::from_millis(200));
    assert!(impatient.send().await.is_err());
    let trace = collector.trace("POST /v1/cep/xml").await;
    let server = trace.the("POST /v1/cep/xml");
    assert_eq!(server.attribute("cep.outcome"), Some("delivered"));
    assert_eq!(
        trace.children(server),
        ["admission", "bank lookup", "settlement"]
    );
    assert!(server.nanoseconds >= 500_000_000, "{}", server.nanoseconds);
}
