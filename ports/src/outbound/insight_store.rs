//! Ports: customers, statistics of use, and the audit log.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{AuditContext, AuditFilter, AuditPage};
use domain::customer::{Customer, CustomerId, CustomerOverview, ExistingKeys, Owner};
use domain::key::{CountedKey, KeyId};
use domain::latency::Latencies;
use domain::limits::Plan;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Page, PageRequest};
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::UsageQuery;

use super::{ListError, Scope, StoreError, UpdateError};

/// Port: the store of customers.
#[async_trait]
pub trait CustomerStore: Send + Sync {
    /// Returns the customer of an owner; adds it as `newcomer` if unknown. Of two concurrent calls,
    /// one adds it.
    async fn find_or_insert(&self, newcomer: &Customer) -> Result<Customer, StoreError>;

    /// The customer of an owner; `None` if unknown.
    async fn customer(&self, owner: &Owner) -> Result<Option<Customer>, StoreError>;

    /// Customers, newest first, whose issuer or subject contains `text`; with their keys' use of
    /// `month`.
    async fn customers(
        &self,
        text: Option<&str>,
        month: Month,
        page: &PageRequest,
    ) -> Result<Page<CustomerOverview>, ListError>;

    /// Sets a customer's plan; with [`ExistingKeys::Follow`], gives its keys that aren't revoked
    /// the plan's limits. Writes one audit entry for the plan and one for each key whose limits
    /// changed. If the customer has the plan already, and keys that are to follow have its limits
    /// already, changes nothing and writes no entry.
    ///
    /// Returns the customer and the keys whose limits changed.
    async fn set_plan(
        &self,
        id: CustomerId,
        plan: Plan,
        existing: ExistingKeys,
        context: &AuditContext,
    ) -> Result<(Customer, Vec<CountedKey>), UpdateError>;
}

/// Port: statistics written by the journal.
#[async_trait]
pub trait UsageReader: Send + Sync {
    /// Requests summed by slot, breakdown and outcome; slots without requests have no row. Slots
    /// are hours or days: the caller sums up months. In a breakdown by key, the
    /// [`MAX_SERIES`](domain::usage::MAX_SERIES) keys with the most requests have rows of their own
    /// (of equal ones those with the smaller id), and the rows of all others have no key.
    async fn usage(&self, scope: Scope, query: &UsageQuery) -> Result<Vec<UsageRow>, StoreError>;

    /// Requests, newest first.
    async fn requests(
        &self,
        scope: Scope,
        query: &RequestQuery,
    ) -> Result<Page<RequestRecord>, ListError>;
}

/// Requests with the same slot, breakdown and outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRow {
    /// Beginning of the slot: an hour's for hourly granularity, a day's otherwise.
    pub slot: DateTime<Utc>,
    /// The key, in a breakdown by key, if it is one of the busiest.
    pub key: Option<KeyId>,
    /// The endpoint, in a breakdown by endpoint.
    pub endpoint: Option<Endpoint>,
    /// The outcome, always.
    pub outcome: Outcome,
    /// Number of requests.
    pub requests: u64,
    /// Their latencies; empty for requests refused by a limit.
    pub latencies: Latencies,
}

/// Port: the audit log. Every mutation writes its entries in its own transaction.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Entries, newest first.
    async fn audit(&self, filter: &AuditFilter, page: &PageRequest)
    -> Result<AuditPage, ListError>;
}
