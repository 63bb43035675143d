//! Collectors that are down, slow or broken, and the end of the process.

use std::fmt::Display;
use std::time::{Duration, Instant};

use futures::future::join_all;
use reqwest::StatusCode;
use rstest::rstest;
use testkit::free_port;

use super::collector::{Behaviour, Collector, PATIENCE};
use crate::fairness::slowest_of_fifty;
use crate::gateway::{Gateway, Key, Plan, eventually, request};
use crate::metrics::Measured;

const WARNING: &str = "the collector of traces doesn't take spans";
const RELIEF: &str = "the collector of traces takes spans again";
/// Longest duration of a stop: five seconds for the last spans, and a busy machine's delays.
const STOPPED: Duration = Duration::from_secs(9);

fn times(gateway: &Gateway, words: &str) -> usize {
    gateway.log().matches(words).count()
}

/// Waits until a line was logged so often.
async fn is_said(gateway: &Gateway, words: &str, so_often: usize) {
    let is_said = async || times(gateway, words) == so_often;
    eventually(words, PATIENCE, is_said).await;
}

/// Asserts that the gateway serves as with a good collector, logs the failure once, and stops in
/// time.
async fn carries_on(endpoint: impl Display) {
    let gateway = Plan::new().with("CEP_OTLP_ENDPOINT", endpoint).start();
    let key = gateway.roomy_key();
    // A request that waited for a collector would wait for three seconds.
    let before = slowest_of_fifty(&gateway, &key).await;
    is_said(&gateway, WARNING, 1).await;
    let longest = before.max(slowest_of_fifty(&gateway, &key).await);
    assert!(longest < Duration::from_secs(2), "{longest:?}");
    let failed = "cep_trace_spans_total{result=\"failed\"}";
    eventually("more fail", PATIENCE, async || {
        slowest_of_fifty(&gateway, &key).await;
        measured(&gateway, failed).await > 600.0
    })
    .await;
    assert_eq!(times(&gateway, WARNING), 1, "{}", gateway.log());
    assert_eq!(times(&gateway, RELIEF), 0);
    let began = Instant::now();
    gateway.stopped().await;
    assert!(began.elapsed() < STOPPED, "{:?}", began.elapsed());
}

async fn measured(gateway: &Gateway, series: &str) -> f64 {
    Measured::of(gateway).await.value(series)
}

#[tokio::test]
async fn a_collector_that_is_down_changes_nothing() {
    carries_on(format_args!("http://127.0.0.1:{}", free_port())).await;
}

#[rstest]
#[case::hangs(Behaviour::Hangs)]
#[case::fails(Behaviour::Fails)]
#[tokio::test]
async fn a_collector_that_takes_nothing_changes_nothing(#[case] behaviour: Behaviour) {
    let collector = Collector::start(behaviour).await;
    carries_on(&collector.url).await;
}

#[tokio::test]
async fn a_collector_that_is_back_gets_the_spans_from_then_on() {
    let collector = Collector::start(Behaviour::Fails).await;
    let gateway = collector.plan().start();
    let key = gateway.roomy_key();
    for outage in 1..=2 {
        collector.becomes(Behaviour::Fails);
        eventually("it is said", PATIENCE, async || {
            slowest_of_fifty(&gateway, &key).await;
            times(&gateway, WARNING) == outage
        })
        .await;
        assert_eq!(times(&gateway, RELIEF), outage - 1);
        let had = collector.spans().len();
        collector.becomes(Behaviour::Takes);
        eventually("spans arrive", PATIENCE, async || {
            slowest_of_fifty(&gateway, &key).await;
            collector.spans().len() > had
        })
        .await;
        is_said(&gateway, RELIEF, outage).await;
    }
}

#[tokio::test]
async fn spans_beyond_the_queue_are_dropped_counted_and_logged_once() {
    let collector = Collector::start(Behaviour::Hangs).await;
    let gateway = collector.plan().start();
    let key = Key::unknown();
    let dropped = "cep_trace_spans_total{result=\"dropped\"}";
    let body = request(1, "10.00");
    eventually("spans are dropped", Duration::from_mins(1), async || {
        // Two spans each, and no bank.
        for _ in 0..10 {
            let asked = (0..64).map(|_| gateway.post("xml", &key, &body));
            join_all(asked).await;
        }
        measured(&gateway, dropped).await > 0.0
    })
    .await;
    let words = "more spans end than the collector of traces takes";
    is_said(&gateway, words, 1).await;
    let memory = measured(&gateway, "process_resident_memory_bytes").await;
    assert!(memory < 3e8, "{memory}");
    collector.becomes(Behaviour::Takes);
    let sent = "cep_trace_spans_total{result=\"sent\"}";
    let is_sent = async || measured(&gateway, sent).await > 4_000.0;
    eventually("what waited is sent", PATIENCE, is_sent).await;
    assert_eq!(times(&gateway, words), 1);
}

#[tokio::test]
async fn queued_spans_are_sent_when_the_process_ends() {
    let collector = Collector::start(Behaviour::Takes).await;
    let gateway = collector.plan().start();
    let key = gateway.roomy_key();
    for number in 0..30 {
        let answer = gateway.post("xml", &key, &request(number, "10.00")).await;
        assert_eq!(answer.status(), StatusCode::OK);
    }
    gateway.stopped().await;
    let spans = collector.spans();
    let servers = spans.iter().filter(|span| span.kind == 2);
    assert_eq!(servers.count(), 30);
}
