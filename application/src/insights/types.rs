//! Data of the dashboard: usage and bank health.

use chrono::{DateTime, Utc};
use domain::keys::KeyId;
use domain::latency::Percentiles;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::BankBudget;
use domain::usage::Totals;

/// Number of requests over time.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageReport {
    /// Start times of all slots, in order.
    pub slots: Vec<DateTime<Utc>>,
    /// Series of counts, the largest first; at most [`MAX_SERIES`](domain::usage::MAX_SERIES), and
    /// [`SeriesLabel::Others`] for the remaining requests.
    pub series: Vec<Series>,
    /// Totals of all requests.
    pub totals: Totals,
}

/// Number of requests of one group over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The attribute that defines the group.
    pub label: SeriesLabel,
    /// Number of requests in each slot.
    pub counts: Vec<u64>,
}

/// Attribute that the requests of a series have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeriesLabel {
    /// All requests.
    Total,
    /// Requests with this key.
    Key(KeyId),
    /// Requests of this endpoint.
    Endpoint(Endpoint),
    /// Requests with this outcome.
    Outcome(Outcome),
    /// Requests that belong to none of the largest series.
    Others,
}

/// Health of a bank in the last hour.
#[derive(Clone, Debug, PartialEq)]
pub struct BankHealth {
    /// State derived from the last lookups.
    pub state: BankState,
    /// Number of lookups of the last hour by this process.
    pub lookups: u64,
    /// Share of these that the bank answered, from 0 to 1; `None` without lookups.
    pub success_rate: Option<f64>,
    /// Percentiles of their durations; `None` without lookups.
    pub latency: Option<Percentiles>,
    /// State of the query budget; `None` for a bank without one.
    pub budget: Option<BankBudget>,
}

/// State of a bank, derived from the last lookups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BankState {
    /// No lookup in the last hour.
    Unknown,
    /// The bank answers.
    Operational,
    /// The last two lookups failed, or more than one in five of the last hour.
    Degraded,
    /// At least the last three lookups failed.
    Down,
    /// The bank throttled us, and a back-off is in effect.
    Paused,
}
