//! Traces: from the caller, through the gateway, to the bank, and to a collector.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::gateway::{CountingBank, Gateway, Key, Plan, eventually, request};
use crate::person::{Demo, Person};

mod collector;
mod outage;
mod privacy;

use collector::{Behaviour, Collector, PATIENCE};

/// The example of W3C Trace Context.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";
const SAMPLED: (&str, &str) = (
    "traceparent",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
);
const UNSAMPLED: (&str, &str) = (
    "traceparent",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
);
const STATE: (&str, &str) = ("tracestate", "vendor=1");
/// The variable of a gateway that continues the traces of its callers.
const TRUSTING: (&str, &str) = ("CEP_TRACE_TRUST", "on");
/// Parts of a request that is admitted.
const PARTS: [&str; 3] = ["admission", "bank lookup", "settlement"];

/// A gateway that sends its traces to a collector, and a key that queries a bank.
struct Scene {
    collector: Collector,
    bank: CountingBank,
    gateway: Gateway,
    key: Key,
}

impl Scene {
    /// Starts a gateway with these variables too.
    async fn start(variables: &[(&str, &str)]) -> Self {
        Self::with_bank(Duration::ZERO, variables).await
    }

    /// The same, whose bank takes so long for an answer.
    async fn with_bank(latency: Duration, variables: &[(&str, &str)]) -> Self {
        let collector = Collector::start(Behaviour::Takes).await;
        let plan = collector.plan().with_all(variables.iter().copied());
        Self::of(collector, latency, plan).await
    }

    async fn of(collector: Collector, latency: Duration, plan: Plan) -> Self {
        let bank = CountingBank::start(latency).await;
        let gateway = bank.known_to(plan).start();
        let key = gateway.live_key();
        Self {
            collector,
            bank,
            gateway,
            key,
        }
    }

    /// Requests the proof of this number with these headers.
    async fn ask(&self, number: u32, headers: &[(&str, &str)]) -> StatusCode {
        let asking = self.gateway.asking("xml", &self.key);
        let headers = headers.iter();
        let asking = headers.fold(asking, |asking, (name, value)| asking.header(*name, *value));
        let body = request(number, "10.00").to_string();
        asking.body(body).send().await.unwrap().status()
    }
}

#[tokio::test]
async fn a_request_is_one_trace_from_its_caller_to_the_bank() {
    let scene = Scene::start(&[TRUSTING, ("CEP_INSTANCE", "pod-7")]).await;
    let headers = [SAMPLED, STATE, ("x-request-id", "request-7")];
    assert_eq!(scene.ask(1, &headers).await, 200);

    let trace = scene.collector.trace("POST /v1/cep/xml").await;
    let server = trace.the("POST /v1/cep/xml");
    assert_eq!((&*server.trace, &*server.parent), (TRACE, CALLER));
    assert_eq!((server.kind, server.status), (2, 0));
    assert_eq!(server.state, "vendor=1");
    let attributes = [
        ("http.request.method", "POST"),
        ("http.route", "/v1/cep/xml"),
        ("http.response.status_code", "200"),
        ("url.scheme", "http"),
        ("cep.request_id", "request-7"),
        ("cep.endpoint", "xml"),
        ("cep.outcome", "delivered"),
        ("cep.environment", "live"),
        ("cep.key_id", &scene.key.id),
    ];
    let attributes = attributes.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(server.attributes, attributes.into());
    assert_eq!(trace.children(server), PARTS);
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
    assert_eq!(scene.bank.told("traceparent"), told);
    assert_eq!(scene.bank.told("tracestate"), [None, None]);
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
    let scene = Scene::start(&[]).await;
    scene.ask(1, &[]).await;
    let instance = &scene.collector.span("admission").await.resource["service.instance.id"];
    let log = scene.gateway.log();
    assert!(instance.len() > 30 && log.contains(&**instance), "{log}");
}

#[tokio::test]
async fn routes_of_people_have_spans_and_probes_and_files_have_none() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector.plan().start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    for path in ["/healthz", "/readyz", "/api/readyz"] {
        assert_eq!(gateway.get(path).await.status(), StatusCode::OK, "{path}");
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
    let routes = ["/login", "/auth/callback", "/keys"].map(|route| format!("GET {route}"));
    for name in routes.iter().map(String::as_str).chain(["POST /graphql"]) {
        let span = collector.span(name).await;
        assert_eq!((span.kind, &*span.parent), (2, ""), "{name}");
        assert!(span.attribute("cep.request_id").is_some(), "{name}");
    }
    let spans = collector.spans();
    for untold in ["healthz", "readyz", "assets"] {
        let told = spans.iter().any(|span| span.name.contains(untold));
        assert!(!told, "{untold}: {spans:?}");
    }
}

#[tokio::test]
async fn only_what_is_our_fault_is_an_error() {
    let scene = Scene::start(&[]).await;
    for (amount, status, outcome, error) in [
        ("404.00", 404, "not_found", None),
        ("500.00", 503, "bank_unavailable", Some("503")),
        ("0.001", 400, "invalid_request", None),
    ] {
        let body = request(1, amount);
        let answer = scene.gateway.post("xml", &scene.key, &body).await;
        assert_eq!(answer.status(), status);
        let outcome = ("cep.outcome", outcome);
        let of_it = scene.collector.trace_of("POST /v1/cep/xml", outcome).await;
        let server = of_it.the("POST /v1/cep/xml");
        let failed = if error.is_some() { 2 } else { 0 };
        assert_eq!(server.status, failed, "{amount}");
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

#[tokio::test]
async fn an_invalid_traceparent_is_ignored() {
    let scene = Scene::start(&[TRUSTING]).await;
    let no_trace = SAMPLED.1.replace(TRACE, &"0".repeat(32));
    let no_span = SAMPLED.1.replace(CALLER, &"0".repeat(16));
    for (case, values) in [
        ("malformed", [&SAMPLED.1[..52]].as_slice()),
        ("no-trace", &[&no_trace]),
        ("no-span", &[&no_span]),
        ("twice", &[SAMPLED.1; 2]),
        ("not-even-text", &["\u{e9}"]),
    ] {
        let values = values.iter().map(|value| ("traceparent", *value));
        let headers: Vec<_> = values.chain([("x-request-id", case)]).collect();
        assert_eq!(scene.ask(1, &headers).await, 200, "{case}");
        let id = ("cep.request_id", case);
        let trace = scene.collector.trace_of("POST /v1/cep/xml", id).await;
        let server = trace.the("POST /v1/cep/xml");
        assert_eq!((&*server.parent, &*server.state), ("", ""), "{case}");
        assert_ne!(server.trace, TRACE, "{case}");
    }
}

#[tokio::test]
async fn a_caller_that_does_not_want_a_trace_gets_none_and_the_bank_is_told_so() {
    let scene = Scene::start(&[TRUSTING]).await;
    assert_eq!(scene.ask(1, &[UNSAMPLED]).await, 200);
    // Spans are exported in their order.
    let later = scene.gateway.client.get(scene.gateway.url("/openapi.json"));
    later.send().await.unwrap();
    scene.collector.span("GET /openapi.json").await;
    let mut spans = scene.collector.spans().into_iter();
    assert!(spans.all(|span| span.trace != TRACE));
    let told = scene.bank.told("traceparent");
    assert_eq!(told.len(), 2);
    for told in told.into_iter().flatten() {
        let is_of_trace = told.starts_with(&format!("00-{TRACE}-"));
        assert!(is_of_trace && told.ends_with("-00"), "{told}");
    }
}

#[tokio::test]
async fn the_ratio_is_of_traces_that_begin_here() {
    let scene = Scene::start(&[TRUSTING, ("CEP_TRACE_RATIO", "0")]).await;
    for number in 1..20 {
        scene.ask(number, &[]).await;
    }
    scene.ask(20, &[SAMPLED]).await;
    scene.collector.span("POST /v1/cep/xml").await;
    let mut spans = scene.collector.spans().into_iter();
    assert!(spans.all(|span| span.trace == TRACE));
}

#[tokio::test]
async fn a_stranger_cannot_have_a_trace_sampled() {
    let scene = Scene::start(&[("CEP_TRACE_RATIO", "0")]).await;
    for number in 1..20 {
        assert_eq!(scene.ask(number, &[SAMPLED]).await, 200);
    }
    // What waits to be sent is sent before the end.
    scene.gateway.stopped().await;
    assert!(scene.collector.headers().is_empty());
}

#[tokio::test]
async fn a_strangers_trace_is_linked_to_one_that_begins_here() {
    let scene = Scene::start(&[]).await;
    assert_eq!(scene.ask(1, &[UNSAMPLED, STATE]).await, 200);

    let trace = scene.collector.trace("POST /v1/cep/xml").await;
    let server = trace.the("POST /v1/cep/xml");
    assert_ne!(server.trace, TRACE);
    assert_eq!((&*server.parent, &*server.state), ("", ""));
    assert_eq!(server.links, [CALLER]);
    assert_eq!(trace.0.len(), 7, "{:#?}", trace.0);
    assert_eq!(scene.bank.told("tracestate"), [None, None]);
    for told in scene.bank.told("traceparent") {
        let told = told.unwrap();
        assert!(told.starts_with(&format!("00-{}-", server.trace)), "{told}");
        assert!(told.ends_with("-01"), "{told}");
    }
    assert!(!scene.collector.holds("vendor=1"));
}

#[tokio::test]
async fn without_a_collector_nothing_is_exported() {
    let collector = Collector::start(Behaviour::Takes).await;
    // Settings of other OpenTelemetry programs don't apply to the gateway.
    let plan = Plan::new()
        .with("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)
        .with("OTEL_TRACES_EXPORTER", "otlp");
    let scene = Scene::of(collector, Duration::ZERO, plan).await;
    assert_eq!(scene.ask(1, &[SAMPLED, STATE]).await, 200);
    scene.gateway.stopped().await;
    assert_eq!(scene.bank.told("traceparent"), [None, None]);
    assert_eq!(scene.bank.told("tracestate"), [None, None]);
    assert!(scene.collector.headers().is_empty());
}

#[tokio::test]
async fn other_programs_settings_change_nothing() {
    let scene = Scene::start(&[
        ("OTEL_TRACES_SAMPLER", "always_off"),
        ("OTEL_SERVICE_NAME", "another"),
        ("OTEL_RESOURCE_ATTRIBUTES", "service.name=another,owner=x"),
        ("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "1"),
        ("OTEL_BSP_SCHEDULE_DELAY", "3600000"),
    ])
    .await;
    scene.ask(1, &[]).await;
    let server = scene.collector.span("POST /v1/cep/xml").await;
    assert_eq!(server.resource["service.name"], "cep-gateway");
    assert!(!server.resource.contains_key("owner"));
    assert_eq!(server.attributes.len(), 9, "{:?}", server.attributes);
}

#[tokio::test]
async fn a_shared_lookup_is_in_the_trace_of_the_first_request_and_linked_from_the_others() {
    let scene = Scene::with_bank(Duration::from_millis(500), &[]).await;
    let together = (0..4).map(|_| scene.ask(1, &[]));
    let answers = futures::future::join_all(together).await;
    assert!(answers.iter().all(|status| *status == 200));
    let named = |name: &str| {
        let mut spans = scene.collector.spans();
        spans.retain(|span| span.name == name);
        spans
    };
    let are_exported = async || named("POST /v1/cep/xml").len() == 4;
    eventually("all are exported", PATIENCE, are_exported).await;
    let [lookup] = &*named("bank lookup") else {
        panic!("not one lookup: {:#?}", named("bank lookup"));
    };
    let mut servers = named("POST /v1/cep/xml").into_iter();
    let asker = servers.find(|span| span.id == lookup.parent).unwrap();
    let waits = named("wait for a shared lookup");
    assert_eq!(waits.len(), 3);
    for wait in waits {
        assert_ne!(wait.trace, asker.trace);
        assert_eq!(wait.links, std::slice::from_ref(&asker.id));
    }
}

#[tokio::test]
async fn a_caller_who_hangs_up_leaves_a_whole_trace() {
    let scene = Scene::with_bank(Duration::from_millis(500), &[]).await;
    let impatient = tokio::time::timeout(Duration::from_millis(200), scene.ask(1, &[]));
    assert!(impatient.await.is_err());
    let trace = scene.collector.trace("POST /v1/cep/xml").await;
    let server = trace.the("POST /v1/cep/xml");
    assert_eq!(server.attribute("cep.outcome"), Some("delivered"));
    assert_eq!(trace.children(server), PARTS);
    assert!(server.nanoseconds >= 500_000_000, "{}", server.nanoseconds);
}
