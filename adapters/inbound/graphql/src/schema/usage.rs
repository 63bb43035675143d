//! Usage reports: requests per slot of time.

use application::{Series, SeriesLabel};
use async_graphql::{ID, SimpleObject};
use domain::latency::Percentiles;
use domain::usage::Totals;

use super::enums::{Endpoint, Granularity, Outcome};
use super::scalars::{Count, DateTime};

/// Use over time, slot by slot without gaps.
#[derive(SimpleObject)]
pub(crate) struct UsageReport {
    /// The beginning of every slot, in order.
    slots: Vec<DateTime>,
    /// Series of the breakdown, the largest first; 20 at most, and one of all others.
    series: Vec<UsageSeries>,
    /// Everything together.
    totals: UsageTotals,
    /// The length of the slots.
    granularity: Granularity,
}

impl UsageReport {
    pub(super) fn new(
        report: application::UsageReport,
        granularity: domain::usage::Granularity,
    ) -> Self {
        Self {
            slots: report.slots.into_iter().map(DateTime::from).collect(),
            series: report.series.into_iter().map(UsageSeries::from).collect(),
            totals: report.totals.into(),
            granularity: granularity.into(),
        }
    }
}

/// Requests of one kind over time. According to the breakdown one of `keyId`, `endpoint` and
/// `outcome` says which kind; of a total, and of the others, none does.
#[derive(SimpleObject)]
pub(crate) struct UsageSeries {
    /// The key that they were made with.
    key_id: Option<ID>,
    /// Their endpoint.
    endpoint: Option<Endpoint>,
    /// Their outcome.
    outcome: Option<Outcome>,
    /// True for the series of all that belong to none of the largest.
    others: bool,
    /// Requests in each slot, as many as there are slots.
    counts: Vec<Count>,
    /// Requests of all slots.
    total: Count,
}

impl From<Series> for UsageSeries {
    fn from(series: Series) -> Self {
        let mut labelled = Self {
            key_id: None,
            endpoint: None,
            outcome: None,
            others: false,
            total: Count(series.counts.iter().sum()),
            counts: series.counts.into_iter().map(Count).collect(),
        };
        match series.label {
            SeriesLabel::Total => {}
            SeriesLabel::Key(key) => labelled.key_id = Some(key.into()),
            SeriesLabel::Endpoint(endpoint) => labelled.endpoint = Some(endpoint.into()),
            SeriesLabel::Outcome(outcome) => labelled.outcome = Some(outcome.into()),
            SeriesLabel::Others => labelled.others = true,
        }
        labelled
    }
}

/// Requests added up.
#[derive(SimpleObject)]
pub(crate) struct UsageTotals {
    /// All of them, refused ones included.
    requests: Count,
    /// Those that delivered a proof.
    delivered: Count,
    /// Those that a limit refused; they count against nothing.
    refused: Count,
    /// Those that the gateway or the bank failed; they were given back to the quota.
    failed: Count,
    /// The share of admitted requests that delivered a proof, 0 to 1; null when none was admitted.
    success_rate: Option<f64>,
    /// Latency of requests that no limit refused; null when there were none.
    latency: Option<Latency>,
}

impl From<Totals> for UsageTotals {
    fn from(totals: Totals) -> Self {
        Self {
            requests: Count(totals.requests),
            delivered: Count(totals.delivered),
            refused: Count(totals.refused),
            failed: Count(totals.failed),
            success_rate: totals.success_rate(),
            latency: totals.latencies.percentiles().map(Latency::from),
        }
    }
}

/// Latency of requests, in milliseconds. Each number is within a factor of two of the true one.
#[derive(SimpleObject)]
#[expect(clippy::struct_field_names, reason = "the names are the API's")]
pub(crate) struct Latency {
    /// Half of them took no longer.
    p50_ms: f64,
    /// 95 of 100 took no longer.
    p95_ms: f64,
    /// 99 of 100 took no longer.
    p99_ms: f64,
}

impl From<Percentiles> for Latency {
    fn from(percentiles: Percentiles) -> Self {
        let millis = |span: std::time::Duration| span.as_secs_f64() * 1_000.0;
        Self {
            p50_ms: millis(percentiles.p50),
            p95_ms: millis(percentiles.p95),
            p99_ms: millis(percentiles.p99),
        }
    }
}
