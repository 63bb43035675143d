//! What people see of their use, of the bank, and — admins — of everybody.

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

/// Reads what the dashboard shows. Nothing here changes anything, but for [`Insights::customer`].
#[async_trait]
pub trait Insights: Send + Sync {
    /// The caller as a customer; made, with the free plan, when it is seen for the first time.
    async fn customer(&self, caller: &Caller) -> Result<Customer, KeyError>;

    /// What is left of a key's limits at this moment. Asks no database.
    async fn limit_status(&self, key: &KeyOverview) -> Result<LimitStatus, KeyError>;

    /// Use over time, slot by slot without gaps.
    async fn usage(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &UsageQuery,
    ) -> Result<UsageReport, KeyError>;

    /// Requests, newest first.
    async fn requests(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &RequestQuery,
    ) -> Result<Page<RequestRecord>, KeyError>;

    /// How the bank of an environment does, as this gateway sees it.
    async fn bank(&self, environment: Environment) -> BankHealth;

    /// All customers, newest first, whose subject or issuer holds `text`. Admins only.
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
    /// One series of counts each, the largest first; at most [`MAX_SERIES`](domain::usage::MAX_SERIES), what is left over is
    /// one more, [`SeriesLabel::Others`].
    pub series: Vec<Series>,
    /// Everything together.
    pub totals: Totals,
}

/// Requests of one kind over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// Which kind.
    pub label: SeriesLabel,
    /// Requests in each slot, as many as there are slots.
    pub counts: Vec<u64>,
}

/// What the requests of a series have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeriesLabel {
    /// Nothing: all of them.
    Total,
    /// Their key.
    Key(KeyId),
    /// What they asked for.
    Endpoint(Endpoint),
    /// What became of them.
    Outcome(Outcome),
    /// That they belong to none of the largest series.
    Others,
}

/// How a bank does.
#[derive(Clone, Debug, PartialEq)]
pub struct BankHealth {
    /// In a word.
    pub state: BankState,
    /// Lookups of the last hour that this process made.
    pub lookups: u64,
    /// The share of them that the bank answered, 0 to 1; `None` when there were none.
    pub success_rate: Option<f64>,
    /// How long those took; `None` when there were none.
    pub latency: Option<Percentiles>,
    /// What is left of our budget of questions; `None` for a bank without one.
    pub budget: Option<BankBudget>,
}

/// How a bank does, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BankState {
    /// Nobody asked in the last hour.
    Unknown,
    /// It answers.
    Operational,
    /// Some of the last lookups failed.
    Degraded,
    /// All of the last lookups failed.
    Down,
    /// It wants to be left alone for a while.
    Paused,
}
