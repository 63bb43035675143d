//! Metrics: each request is counted once, with labels of a closed set.

use std::collections::HashSet;

use domain::outcome::{Endpoint, Outcome};
use ports::outbound::JournalError;
use rest::Ending;
use testkit::fakes::Fault;

use crate::data::{FAST_KEY, GOOD_KEY, SPENT_KEY, UNCAPPED_KEY};
use crate::harness::{Harness, body};

#[tokio::test]
async fn each_proof_request_is_counted_once_with_its_endpoint_and_ending() {
    let harness = Harness::start().await;
    let asked = [
        (
            "/v1/cep/xml",
            GOOD_KEY,
            "10.00",
            200,
            Ending::Settled(Outcome::Delivered),
        ),
        (
            "/api/v1/cep/pdf",
            GOOD_KEY,
            "404.00",
            404,
            Ending::Settled(Outcome::NotFound),
        ),
        (
            "/v1/cep/xml",
            GOOD_KEY,
            "0.001",
            400,
            Ending::Settled(Outcome::InvalidRequest),
        ),
        ("/v1/cep/xml", "canary", "10.00", 401, Ending::InvalidApiKey),
        (
            "/v1/cep/xml",
            FAST_KEY,
            "10.00",
            429,
            Ending::Settled(Outcome::RateLimited),
        ),
        (
            "/v1/cep/xml",
            SPENT_KEY,
            "10.00",
            402,
            Ending::Settled(Outcome::QuotaExceeded),
        ),
        (
            "/v1/cep/xml",
            UNCAPPED_KEY,
            "10.00",
            503,
            Ending::Unavailable,
        ),
        (
            "/v1/cep/xml",
            GOOD_KEY,
            "10.00",
            503,
            Ending::Settled(Outcome::InternalError),
        ),
    ];
    for (path, key, amount, status, ending) in asked {
        match ending {
            Ending::Unavailable => harness.store_faults().inject(Fault::Fails),
            Ending::Settled(Outcome::InternalError) => {
                harness.store_faults().clear();
                harness.journal().fail_with(Some(JournalError::Closed));
            }
            _ => {}
        }
        let request = harness.request("POST", path).header("x-api-key", key);
        let request = request.header("content-type", "application/json");
        let answer = request
            .body(body(&[("monto", amount)]))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), status, "{key}");
    }
    harness.all_ended().await;
    let endpoint = |path: &str| Endpoint::from_name(path.rsplit('/').next().unwrap()).unwrap();
    let ended = asked.map(|(path, .., ending)| (endpoint(path), ending));
    assert_eq!(*harness.metrics_sink.ended.lock().unwrap(), ended);
    let answered = asked.map(|(path, _, _, status, _)| (path.to_owned(), status));
    assert_eq!(*harness.metrics_sink.answered.lock().unwrap(), answered);
}

#[tokio::test]
async fn other_requests_are_counted_by_their_route() {
    let harness = Harness::start().await;
    for (method, path) in [
        ("GET", "/healthz"),
        ("GET", "/docs/canary"),
        ("GET", "/canary/of/a/path"),
        ("GET", "/v1/cep/xml"),
        ("POST", "/v1/cep/canary"),
    ] {
        harness.request(method, path).send().await.unwrap();
    }
    let answered = [
        ("/healthz", 200),
        ("/docs/{file}", 404),
        ("unknown", 404),
        ("/v1/cep/xml", 405),
        ("unknown", 404),
    ];
    let answered = answered.map(|(route, status)| (route.to_owned(), status));
    assert_eq!(*harness.metrics_sink.answered.lock().unwrap(), answered);
    assert!(harness.metrics_sink.ended.lock().unwrap().is_empty());
}

#[test]
fn no_two_endings_have_one_name() {
    let names: Vec<_> = Ending::all().map(Ending::name).collect();
    let different: HashSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len());
    assert_eq!(names.len(), Outcome::ALL.len() + 8);
}
