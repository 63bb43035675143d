//! What people see of their use, of the bank, and — admins — of everybody.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::customer::Customer;
use domain::key::{Environment, KeyId};
use domain::latency::Percentiles;
use domain::limits::LimitStatus;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Page, PageRequest};
use domain::request::RequestId;
use domain::usage::{Breakdown, Period, RequestCriteria, Totals};
use uuid::Uuid;

use super::{
    AuditFilter, AuditPage, Banks, Caller, CustomerOverview, KeyError, KeyOverview, RequestedScope,
};

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

/// Which use is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageQuery {
    /// When, and in which slots.
    pub period: Period,
    /// What is told apart.
    pub breakdown: Breakdown,
    /// Of this key alone.
    pub key: Option<KeyId>,
    /// Of these requests alone.
    pub criteria: RequestCriteria,
}

/// Use over time.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageReport {
    /// The beginning of every slot, in order.
    pub slots: Vec<DateTime<Utc>>,
    /// One series of counts each, the largest first; at most [`MAX_SERIES`], what is left over is
    /// one more, [`SeriesLabel::Others`].
    pub series: Vec<Series>,
    /// Everything together.
    pub totals: Totals,
}

/// Most series of a report that are told apart.
pub const MAX_SERIES: usize = 20;

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

/// Which requests are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestQuery {
    /// Of this key alone.
    pub key: Option<KeyId>,
    /// Of these alone.
    pub criteria: RequestCriteria,
    /// With this request id alone.
    pub request_id: Option<RequestId>,
    /// At or after this.
    pub from: Option<DateTime<Utc>>,
    /// Before this.
    pub to: Option<DateTime<Utc>>,
    /// Which page.
    pub page: PageRequest,
}

/// One request, as it is kept. It holds no account, name or amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRecord {
    /// Our own id.
    pub id: Uuid,
    /// The id that the answer carried.
    pub request_id: RequestId,
    /// The key.
    pub key: KeyId,
    /// What was asked for.
    pub endpoint: Endpoint,
    /// What became of it.
    pub outcome: Outcome,
    /// The institutions, once they were known.
    pub banks: Option<Banks>,
    /// When it was admitted.
    pub at: DateTime<Utc>,
    /// From its admission to its answer.
    pub duration: Duration,
    /// Time spent with the bank, when it was asked.
    pub bank_time: Option<Duration>,
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

/// Questions that we allow ourselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankBudget {
    /// Within any 60 seconds.
    pub per_minute: u32,
    /// How many are left of the last 60 seconds'; they may have to be spaced.
    pub remaining: u32,
    /// For how long the bank is left alone, if it is.
    pub paused_for: Option<Duration>,
}
