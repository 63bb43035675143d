//! Usage reports: requests per slot of time.

use application::{self as app, SeriesLabel};
use async_graphql::{Enum, SimpleObject};
use domain::latency::Percentiles;
use domain::usage::{Period, Totals};
use serde::Serialize;
use utoipa::ToSchema;

use super::requests::{Endpoint, Outcome};
use super::scalars::{Count, DateTime, Id};

/// The length of a slot. Slots begin at full UTC hours, days and months.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::usage::Granularity")]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    /// One hour; a report has at most 744 of them.
    Hour,
    /// One day; a report has at most 400 of them.
    Day,
    /// One calendar month; a report has at most 36 of them.
    Month,
}

/// Use over time, slot by slot without gaps.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct UsageReport {
    /// The length of the slots.
    granularity: Granularity,
    /// The beginning of every slot, in order.
    slots: Vec<DateTime>,
    /// Series of the breakdown, the largest first; 20 at most, and one of all others.
    series: Vec<UsageSeries>,
    /// Everything together.
    totals: UsageTotals,
}

/// Requests of one kind over time. According to the breakdown, the key, the endpoint or the outcome says
/// which kind; of a total, and of the others, none does.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct UsageSeries {
    /// The key that they were made with.
    #[schema(required)]
    key_id: Option<Id>,
    /// Their endpoint.
    #[schema(required)]
    endpoint: Option<Endpoint>,
    /// Their outcome.
    #[schema(required)]
    outcome: Option<Outcome>,
    /// True for the series of all that belong to none of the largest.
    others: bool,
    /// Requests in each slot, as many as there are slots.
    counts: Vec<Count>,
    /// Requests of all slots.
    total: Count,
}

/// Requests added up.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct UsageTotals {
    /// All of them, refused ones included.
    requests: Count,
    /// Those that delivered a proof.
    delivered: Count,
    /// Those that a limit refused; they count against nothing.
    refused: Count,
    /// Those that the gateway or the bank failed; they were given back to the quota.
    failed: Count,
    /// The share of admitted requests, but for receipts that were read, that delivered a proof, 0 to 1; null when none
    /// was admitted.
    #[schema(required, minimum = 0, maximum = 1)]
    success_rate: Option<f64>,
    /// Latency of requests that no limit refused; null when there were none.
    #[schema(required)]
    latency: Option<Latency>,
}

/// Latency of requests, in milliseconds. Each number is within a factor of two of the true one.
#[derive(SimpleObject, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the names are the API's")]
pub struct Latency {
    /// Half of them took no longer.
    p50_ms: f64,
    /// 95 of 100 took no longer.
    p95_ms: f64,
    /// 99 of 100 took no longer.
    p99_ms: f64,
}

impl UsageReport {
    /// A report over the slots of a period.
    pub fn new(period: Period, report: app::UsageReport) -> Self {
        Self {
            granularity: period.granularity().into(),
            slots: report.slots.into_iter().map(DateTime).collect(),
            series: report.series.into_iter().map(UsageSeries::from).collect(),
            totals: (&report.totals).into(),
        }
    }
}

impl From<app::Series> for UsageSeries {
    fn from(series: app::Series) -> Self {
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

impl From<&Totals> for UsageTotals {
    fn from(totals: &Totals) -> Self {
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

impl From<Percentiles> for Latency {
    fn from(percentiles: Percentiles) -> Self {
        Self {
            p50_ms: crate::milliseconds(percentiles.p50),
            p95_ms: crate::milliseconds(percentiles.p95),
            p99_ms: crate::milliseconds(percentiles.p99),
        }
    }
}
