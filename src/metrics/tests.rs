use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::http::StatusCode;
use domain::keys::{CountedKey, KeyId};
use domain::outcome::{Endpoint, Outcome};
use memory::InProcessLimiter;
use metrics::with_local_recorder;
use ports::outbound::Limiter as _;
use rest::{Ending, ProofMetricsSink as _};
use store_seaorm::CommitMetricsSink as _;
use web::MetricsSink as _;

use super::exposition::{expose_alerted, recorder};
use super::names::Kind;
use super::*;

const DURATION: Duration = Duration::from_millis(30);

/// Metrics after what `work` records.
fn recorded(work: impl FnOnce()) -> String {
    let recorder = recorder();
    with_local_recorder(&recorder, work);
    Metrics(Some(recorder.handle())).render()
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
fn a_duration_falls_into_its_bucket_in_seconds() {
    let delivered = Ending::Settled(Outcome::Delivered);
    let text = recorded(|| MeteredRequests.ended(Endpoint::Xml, delivered, DURATION));
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
    let recorder = recorder();
    let answer = || {
        for _ in 0..500 {
            MeteredRequests.answered("/healthz", StatusCode::OK);
            MeteredRequests.answered(web::UNKNOWN_ROUTE, StatusCode::NOT_FOUND);
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| with_local_recorder(&recorder, answer));
        }
    });
    assert_eq!(
        lines(&recorder.handle().render(), "cep_http_responses_total"),
        [
            "cep_http_responses_total{route=\"/healthz\",status=\"200\"} 2000",
            "cep_http_responses_total{route=\"unknown\",status=\"404\"} 2000",
        ]
    );
}

#[test]
fn what_was_added_up_before_a_look_is_not_counted_twice() {
    let recorder = recorder();
    let metrics = Metrics(Some(recorder.handle()));
    with_local_recorder(&recorder, || {
        MeteredJournal.committed(7, DURATION);
        metrics.add_up();
        MeteredJournal.committed(3, DURATION);
        MeteredJournal.failed();
    });
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
    let recorder = recorder();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let clock = Arc::new(crate::system::SystemClock::new());
    let limiter = Arc::new(InProcessLimiter::new(clock.clone()));
    let limiter = MeteredLimiter::new(limiter, clock);
    let key = CountedKey::first(KeyId(uuid::Uuid::nil()));
    limiter.admit(key).await.unwrap();
    limiter.admit(key).await.unwrap();
    limiter.peek(key).await.unwrap();
    assert_eq!(
        lines(
            &recorder.handle().render(),
            "cep_limiter_duration_seconds_count"
        ),
        [
            "cep_limiter_duration_seconds_count{operation=\"admit\",result=\"ok\"} 2",
            "cep_limiter_duration_seconds_count{operation=\"peek\",result=\"ok\"} 1",
        ]
    );
}

#[test]
fn a_series_appears_with_its_first_value_unless_an_alert_looks_for_its_increase() {
    let text = recorded(expose_alerted);
    let mut series = lines(&text, "cep_");
    series.retain(|line| !line.contains("_sum"));
    assert_eq!(
        series,
        [
            "cep_bank_lookup_duration_seconds_count{side=\"live\",outcome=\"protocol_error\"} 0",
            "cep_journal_failures_total 0",
            "cep_seals_total{side=\"live\",verdict=\"invalid\"} 0",
        ]
    );
}

#[test]
fn metrics_that_are_off_are_empty() {
    let metrics = Metrics::off();
    MeteredRequests.answered("/healthz", StatusCode::OK);
    metrics.add_up();
    assert_eq!(metrics.render(), "");
}

#[test]
fn names_are_prometheus_own_way_and_explained() {
    let mut seen = BTreeSet::new();
    for metric in names::ALL {
        assert!(seen.insert(metric.name), "{} is there twice", metric.name);
        assert!(metric.name.starts_with("cep_") || metric.name.starts_with("process_"));
        let is_explained = !metric.help.is_empty() && !metric.help.ends_with('.');
        assert!(is_explained, "{}", metric.help);
        if let Kind::Counter = metric.kind {
            assert!(metric.name.ends_with("_total"), "{}", metric.name);
        }
        if let Kind::Histogram { buckets } = metric.kind {
            let is_short = buckets.is_sorted() && buckets.len() <= 16;
            assert!(is_short, "{}", metric.name);
        }
    }
}
