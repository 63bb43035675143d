//! Metrics: each request is counted once, with labels of a closed set.

use std::collections::HashSet;

use domain::outcome::{Endpoint, Outcome};
use ports::outbound::JournalError;
use rest::Ending;
use testkit::fakes::Fault;

use crate::data::{FAST_KEY, GOOD_KEY, SPENT_KEY, UNCAPPED_KEY};
use crate::harness::{Exchange, Harness, body};

#[tokio::test]
async fn each_proof_request_is_counted_once_with_its_endpoint_and_ending() {
    let harness = Harness::start().await;
    let settled = Ending::Settled;
    let (xml, pdf) = ("/v1/cep/xml", "/api/v1/cep/pdf");
    let invalid = settled(Outcome::InvalidRequest);
    let spent = settled(Outcome::QuotaExceeded);
    let failed = settled(Outcome::InternalError);
    let asked = [
        (xml, GOOD_KEY, "10.00", 200, settled(Outcome::Delivered)),
        (pdf, GOOD_KEY, "404.00", 404, settled(Outcome::NotFound)),
        (xml, GOOD_KEY, "0.001", 400, invalid),
        (xml, "canary", "10.00", 401, Ending::InvalidApiKey),
        (xml, FAST_KEY, "10.00", 429, settled(Outcome::RateLimited)),
        (xml, SPENT_KEY, "10.00", 402, spent),
        (xml, UNCAPPED_KEY, "10.00", 503, Ending::Unavailable),
        (xml, GOOD_KEY, "10.00", 503, failed),
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
        let request = harness.post_by(key, path, body(&[("monto", amount)]));
        assert_eq!(request.status().await, status, "{key}");
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
    let asked = [
        ("GET", "/healthz", "/healthz", 200),
        ("GET", "/docs/canary", "/docs/{file}", 404),
        ("GET", "/canary/of/a/path", "unknown", 404),
        ("GET", "/v1/cep/xml", "/v1/cep/xml", 405),
        ("POST", "/v1/cep/canary", "unknown", 404),
    ];
    for (method, path, ..) in asked {
        harness.request(method, path).response().await;
    }
    let answered = asked.map(|(_, _, route, status)| (route.to_owned(), status));
    assert_eq!(*harness.metrics_sink.answered.lock().unwrap(), answered);
    assert!(harness.metrics_sink.ended.lock().unwrap().is_empty());
}

#[test]
fn no_two_endings_have_one_name() {
    let names: Vec<_> = Ending::all().map(Ending::name).collect();
    let different: HashSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len());
    assert_eq!(names.len(), Outcome::ALL.len() + 9);
}
