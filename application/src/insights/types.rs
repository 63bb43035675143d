//! Inbound port: the dashboard's data: use, requests, the bank's health; for admins also all
//! customers and the audit log.

use chrono::{DateTime, Utc};
use domain::key::KeyId;
use domain::latency::Percentiles;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::BankBudget;
use domain::usage::Totals;

/// Use over time.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageReport {
    /// The beginning of every slot, in order.
    pub slots: Vec<DateTime<Utc>>,
    /// Series of counts, the largest first; at most [`MAX_SERIES`](domain::usage::MAX_SERIES), and
    /// one more for the rest, [`SeriesLabel::Others`].
    pub series: Vec<Series>,
    /// Totals of all series.
    pub totals: Totals,
}

/// Requests of one group over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The group.
    pub label: SeriesLabel,
    /// Requests in each slot, as many as there are slots.
    pub counts: Vec<u64>,
}

/// Common attribute of a series' requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeriesLabel {
    /// None: all requests.
    Total,
    /// Their key.
    Key(KeyId),
    /// Their endpoint.
    Endpoint(Endpoint),
    /// Their outcome.
    Outcome(Outcome),
    /// The rest: requests in none of the largest series.
    Others,
}

/// Health of a bank.
#[derive(Clone, Debug, PartialEq)]
pub struct BankHealth {
    /// The state.
    pub state: BankState,
    /// Lookups of the last hour by this process.
    pub lookups: u64,
    /// Share of them that the bank answered, 0 to 1; `None` when there were none.
    pub success_rate: Option<f64>,
    /// Their durations; `None` when there were none.
    pub latency: Option<Percentiles>,
    /// State of our budget of queries; `None` for a bank without one.
    pub budget: Option<BankBudget>,
}

/// State of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BankState {
    /// No lookup in the last hour.
    Unknown,
    /// It answers.
    Operational,
    /// Some of the last lookups failed.
    Degraded,
    /// All of the last lookups failed.
    Down,
    /// Paused: the bank throttled us.
    Paused,
}
