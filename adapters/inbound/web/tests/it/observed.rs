//! Ids, panics and bodies under observation.

use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::extract::Request;
use bytes::Bytes;
use futures::stream;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::harness::{Harness, MOST, request, session, transcript};

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn a_panic_behind_the_guard_is_answered_with_the_requests_id() {
    let answer = Harness::new().send(session("GET", "/panic", &[])).await;
    insta::assert_snapshot!("panic", transcript(answer).await);
}

#[tokio::test]
async fn a_handler_reads_the_body() {
    let harness = Harness::new();
    let request = session("POST", "/body", &[JSON]);
    assert_eq!(harness.status(request).await, 200);
    assert_eq!(*harness.bodies.lock().unwrap(), ["{}"]);
}

fn streamed(method: &str, chunks: impl futures::Stream<Item = Bytes> + Send + 'static) -> Request {
    use futures::StreamExt as _;
    let mut request = session(method, "/body", &[JSON]);
    *request.body_mut() = Body::from_stream(chunks.map(Ok::<_, std::io::Error>));
    request
}

#[tokio::test]
async fn a_body_over_its_limit_is_refused_and_taken_in_after_the_answer() {
    let harness = Harness::new();
    let chunks = vec![Bytes::from(vec![b' '; MOST]); 5];
    let request = streamed("POST", stream::iter(chunks));
    let answer = harness.send(request).await;
    insta::assert_snapshot!("too_large", transcript(answer).await);
    assert!(harness.bodies.lock().unwrap().is_empty());
    harness.all_ended().await;
}

#[tokio::test]
async fn a_body_that_does_not_end_is_given_up() {
    let harness = Harness::new();
    let answer = harness.send(streamed("POST", stream::pending())).await;
    assert_eq!(answer.status(), 408);
    assert_eq!(answer.headers()["connection"], "close");
    harness.all_ended().await;
}

#[tokio::test]
async fn a_body_that_nobody_reads_is_taken_in_within_its_deadline() {
    let harness = Harness::new();
    let request = streamed("GET", stream::pending());
    assert_eq!(harness.status(request).await, 200);
    harness.all_ended().await;
}

#[tokio::test]
async fn the_metrics_sink_gets_routes_and_statuses_and_never_what_a_caller_wrote() {
    let harness = Harness::new();
    for request in [
        session("GET", "/thing?a=canary", &[]),
        request("GET", "/thing", &[]),
        session("BREW", "/thing", &[]),
        session("GET", "/panic", &[]),
        session("GET", "/canary", &[]),
    ] {
        harness.send(request).await;
    }
    let expected = [
        ("/thing", 200),
        ("/thing", 401),
        ("/thing", 405),
        ("/panic", 500),
        ("unknown", 404),
    ];
    let expected = expected.map(|(route, status)| (route.to_owned(), status));
    assert_eq!(*harness.answers.0.lock().unwrap(), expected);
}

#[tokio::test]
async fn an_id_that_holds_an_api_key_is_replaced() {
    let harness = Harness::new();
    let key = "cep_live_AbCd1234.0123456789abcdefghijABCD";
    for id in [key.to_owned(), format!("for:{key}-2")] {
        let mut request = request("GET", "/thing", &[]);
        let headers = request.headers_mut();
        headers.insert("x-request-id", id.parse().unwrap());
        let answer = transcript(harness.send(request).await).await;
        assert!(answer.contains("x-request-id: 01a1f8d3-ea00-7"), "{answer}");
        assert!(!answer.contains("cep_live"), "{answer}");
    }
}

#[tokio::test]
async fn spans_are_made_for_those_alone_who_want_them() {
    let harness = Harness::new();
    let ask = || harness.status(session("GET", "/thing", &[]));
    let spans = || harness.spans.0.load(Ordering::Relaxed);
    let lines = || tracing_subscriber::registry().with(tracing_subscriber::fmt::layer());
    let wanting = |what: &str| lines().with(EnvFilter::new(what));
    let logging = testkit::log::listen_with(wanting("trace,cep::trace=off"));
    assert_eq!(ask().await, 200);
    assert_eq!(spans(), 0);
    drop(logging);
    let _tracing = testkit::log::listen_with(wanting("off,cep::trace=info"));
    assert_eq!(ask().await, 200);
    assert_eq!(spans(), 1);
}

#[tokio::test]
async fn a_callers_own_method_is_not_in_the_log() {
    let (lines, _guard) = testkit::log::listen();
    let harness = Harness::new();
    harness.send(session("CANARY", "/thing", &[])).await;
    harness.send(session("GET", "/thing", &[])).await;
    let requests = lines.fields_of("cep::request");
    let methods = requests.iter().map(|fields| &fields["method"]);
    assert!(methods.eq(["other", "GET"]), "{requests:?}");
    assert!(!lines.text().contains("CANARY"), "{}", lines.text());
}
