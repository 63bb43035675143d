use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

use axum::http::StatusCode;
use domain::keys::{CountedKey, Environment, KeyId};
use domain::outcome::{Endpoint, Outcome};
use memory::InProcessLimiter;
use ports::outbound::Limiter as _;
use rest::{Ending, ProofMetricsSink as _};
use store_seaorm::CommitMetricsSink as _;
use testkit::fakes::ScriptedBank;
use web::MetricsSink as _;

use super::*;

const DURATION: Duration = Duration::from_millis(30);

fn metered() -> (Arc<Metrics>, MeteredRequests) {
    let metrics = Arc::new(Metrics::new());
    (Arc::clone(&metrics), MeteredRequests::new(metrics))
}

#[track_caller]
fn assert_has_line(text: &str, line: &str) {
    assert!(text.lines().any(|found| found == line), "{line}");
}

/// The lines of a metric, in order.
fn lines<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let mut lines: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with(name) && !line.contains("_bucket{"))
        .collect();
    lines.sort_unstable();
    lines
}

#[test]
fn every_proof_request_is_counted_in_its_own_place() {
    let (metrics, requests) = metered();
    let of_endpoint = |endpoint| Ending::all().map(move |ending| (endpoint, ending));
    let all = || (1..).zip(Endpoint::ALL.into_iter().flat_map(of_endpoint));
    for (count, (endpoint, ending)) in all() {
        for _ in 0..count {
            requests.ended(endpoint, ending, DURATION);
        }
    }
    let text = metrics.render();
    for (count, (endpoint, ending)) in all() {
        let (endpoint, ending) = (endpoint.name(), ending.name());
        let line = format!(
            "cep_request_duration_seconds_count{{endpoint=\"{endpoint}\",outcome=\"{ending}\"}} {count}"
        );
        assert_has_line(&text, &line);
    }
}

#[test]
fn a_duration_falls_into_its_bucket_in_seconds() {
    let (metrics, requests) = metered();
    requests.ended(Endpoint::Xml, Ending::Settled(Outcome::Delivered), DURATION);
    let text = metrics.render();
    let labels = "endpoint=\"xml\",outcome=\"delivered\"";
    for (bound, count) in [("0.025", 0), ("0.1", 1), ("30", 1), ("+Inf", 1)] {
        let bucket = format!("{{{labels},le=\"{bound}\"}}");
        let line = format!("cep_request_duration_seconds_bucket{bucket} {count}");
        assert_has_line(&text, &line);
    }
    let sum = format!("cep_request_duration_seconds_sum{{{labels}}} 0.03");
    assert_has_line(&text, &sum);
}

#[test]
fn answers_are_counted_by_route_and_status_from_many_threads() {
    let (metrics, requests) = metered();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    requests.answered("/healthz", StatusCode::OK);
                    requests.answered(web::UNKNOWN_ROUTE, StatusCode::NOT_FOUND);
                }
            });
        }
    });
    assert_eq!(
        lines(&metrics.render(), "cep_http_responses_total"),
        [
            "cep_http_responses_total{route=\"/healthz\",status=\"200\"} 2000",
            "cep_http_responses_total{route=\"unknown\",status=\"404\"} 2000",
        ]
    );
}

#[test]
fn what_was_added_up_before_a_look_is_not_counted_twice() {
    let metrics = Arc::new(Metrics::new());
    let journal = MeteredJournal::new(&metrics);
    journal.committed(7, DURATION);
    metrics.add_up();
    journal.committed(3, DURATION);
    journal.failed();
    for _ in 0..2 {
        assert_eq!(
            lines(&metrics.render(), "cep_journal_"),
            [
                "cep_journal_commit_duration_seconds_count 2",
                "cep_journal_commit_duration_seconds_sum 0.06",
                "cep_journal_commit_entries_count 2",
                "cep_journal_commit_entries_sum 10",
                "cep_journal_failures_total 1",
            ]
        );
    }
}

#[tokio::test]
async fn a_limiters_calls_are_counted_by_operation_and_result() {
    let metrics = Arc::new(Metrics::new());
    let clock = Arc::new(crate::system::SystemClock::new());
    let limiter = Arc::new(InProcessLimiter::new(clock.clone()));
    let limiter = MeteredLimiter::new(&metrics, limiter, clock);
    let key = CountedKey::first(KeyId(uuid::Uuid::nil()));
    limiter.admit(key).await.unwrap();
    limiter.admit(key).await.unwrap();
    limiter.peek(key).await.unwrap();
    assert_eq!(
        lines(&metrics.render(), "cep_limiter_duration_seconds_count"),
        [
            "cep_limiter_duration_seconds_count{operation=\"admit\",result=\"ok\"} 2",
            "cep_limiter_duration_seconds_count{operation=\"peek\",result=\"ok\"} 1",
        ]
    );
}

#[test]
fn a_series_appears_with_its_first_value_unless_an_alert_looks_for_its_increase() {
    let (metrics, _requests) = metered();
    let _journal = MeteredJournal::new(&metrics);
    let _banks = [Environment::Live, Environment::Test].map(|side| {
        let clock = Arc::new(crate::system::SystemClock::new());
        MeteredBank::new(&metrics, Arc::<ScriptedBank>::default(), side, clock)
    });
    let text = metrics.render();
    let mut series = lines(&text, "cep_");
    series.retain(|line| !line.contains("_sum"));
    assert_eq!(
        series,
        [
            "cep_bank_lookup_duration_seconds_count{side=\"live\",outcome=\"protocol_error\"} 0",
            "cep_journal_failures_total 0",
        ]
    );
}

#[test]
fn metrics_that_are_off_are_empty() {
    let metrics = Arc::new(Metrics::off());
    let requests = MeteredRequests::new(Arc::clone(&metrics));
    requests.answered("/healthz", StatusCode::OK);
    requests.ended(Endpoint::Xml, Ending::InvalidApiKey, DURATION);
    metrics.add_up();
    assert_eq!(metrics.render(), "");
}

#[test]
fn names_are_prometheus_own_way_and_explained() {
    let mut seen = BTreeSet::new();
    for name in &names::ALL {
        assert!(seen.insert(name.name), "{} is there twice", name.name);
        assert!(name.name.starts_with("cep_") || name.name.starts_with("process_"));
        let is_explained = !name.help.is_empty() && !name.help.ends_with('.');
        assert!(is_explained, "{}", name.help);
        if let Kind::Counter = name.kind {
            assert!(name.name.ends_with("_total"), "{}", name.name);
        }
        if let Kind::Histogram { buckets } = name.kind {
            assert!(buckets.is_sorted() && buckets.len() <= 16, "{}", name.name);
        }
        if name.unit == Some(metrics::Unit::Seconds) {
            assert!(name.name.contains("_seconds"), "{}", name.name);
        }
    }
}
