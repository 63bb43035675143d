//! Inbound port: the dashboard's data: use, requests, the bank's health; for admins also all
//! customers and the audit log.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{AuditFilter, AuditPage};
use domain::customer::{Customer, CustomerOverview};
use domain::key::{Environment, KeyId, KeyOverview};
use domain::latency::Percentiles;
use domain::limits::LimitStatus;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::BankBudget;
use domain::page::{Page, PageRequest};
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::{Totals, UsageQuery};

use super::{Caller, KeyError, RequestedScope};

/// Inbound port: reads the dashboard's data. Only [`Insights::customer`] changes anything.
#[async_trait]
pub trait Insights: Send + Sync {
    /// The caller as a customer; created, with the free plan, at the first call.
    async fn customer(&self, caller: &Caller) -> Result<Customer, KeyError>;

    /// Current state of the limits of keys, in their order. One call of the limiter; queries no
    /// database unless the limiter does.
    async fn limit_statuses(&self, keys: &[KeyOverview]) -> Result<Vec<LimitStatus>, KeyError>;

    /// Use over time, slot by slot without gaps.
    async fn usage(
        &self,
        caller: &Caller,
        scope: RequestedScope,
        query: &UsageQuery,
    ) -> Result<UsageReport, KeyError>;

    /// Requests, newest first.
    async fn requests(
        &self,
        caller: &Caller,
        scope: RequestedScope,
        query: &RequestQuery,
    ) -> Result<Page<RequestRecord>, KeyError>;

    /// Health of an environment's bank, as observed by this gateway.
    async fn bank(&self, environment: Environment) -> BankHealth;

    /// All customers, newest first, whose subject or issuer contains `text`. Admins only.
    async fn customers(
        &self,
        caller: &Caller,
        text: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<CustomerOverview>, KeyError>;

    /// The audit log, newest first. Admins only.
    async fn audit(
        &self,
        caller: &Caller,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<AuditPage, KeyError>;
}

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
