//! Metrics of adapters: answers, proof requests, and commits of the journal.

use std::time::Duration;

use axum::http::StatusCode;
use domain::outcome::Endpoint;
use metrics::{counter, histogram};
use rest::{Ending, ProofMetricsSink};
use store_seaorm::CommitMetricsSink;
use web::MetricsSink;

use super::number::number;

/// Measures proof requests and counts answers.
pub(crate) struct MeteredRequests;

impl MetricsSink for MeteredRequests {
    fn answered(&self, route: &str, status: StatusCode) {
        let (route, status) = (route.to_owned(), status.as_str().to_owned());
        counter!("cep_http_responses_total", "route" => route, "status" => status).increment(1);
    }
}

impl ProofMetricsSink for MeteredRequests {
    fn ended(&self, endpoint: Endpoint, ending: Ending, duration: Duration) {
        let (endpoint, outcome) = (endpoint.name(), ending.name());
        histogram!(
            "cep_request_duration_seconds", "endpoint" => endpoint, "outcome" => outcome
        )
        .record(duration);
    }
}

/// Counts and measures commits.
pub(crate) struct MeteredJournal;

impl CommitMetricsSink for MeteredJournal {
    fn committed(&self, entries: usize, took: Duration) {
        histogram!("cep_journal_commit_duration_seconds").record(took);
        histogram!("cep_journal_commit_entries").record(number(entries as u64));
    }

    fn failed(&self) {
        counter!("cep_journal_failures_total").increment(1);
    }
}
