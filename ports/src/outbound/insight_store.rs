//! Ports: customers, usage statistics and the audit log.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{AuditContext, AuditFilter, AuditPage};
use domain::keys::{CountedKey, KeyId};
use domain::latency::Latencies;
use domain::limits::Plan;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Page, PageRequest};
use domain::people::customer::{Customer, CustomerId, CustomerOverview, ExistingKeys, Owner};
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::UsageQuery;

use super::{ListError, Scope, StoreError, UpdateError};

/// Port: the store of customers.
#[async_trait]
pub trait CustomerStore: Send + Sync {
    /// Returns the customer with the owner of `newcomer`; adds `newcomer` if there is none. Of two concurrent
    /// calls, only one adds it.
    async fn find_or_insert(&self, newcomer: &Customer) -> Result<Customer, StoreError>;

    /// The customer of an owner; `None` if there is none.
    async fn customer(&self, owner: &Owner) -> Result<Option<Customer>, StoreError>;

    /// Customers whose issuer or subject contains `text`, newest first, with their keys' use of `month`.
    async fn customers(
        &self,
        text: Option<&str>,
        month: Month,
        page: &PageRequest,
    ) -> Result<Page<CustomerOverview>, ListError>;

    /// Sets a customer's plan; with [`ExistingKeys::Follow`], also sets the plan's limits on its keys that
    /// aren't revoked. Writes an audit entry for the plan and one for each key whose limits changed. If
    /// neither the plan nor any limit changes, writes no entry.
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

/// Port: usage statistics, which the journal writes.
#[async_trait]
pub trait UsageReader: Send + Sync {
    /// Number of requests by slot, breakdown and outcome; slots without requests have no row. Slots are hours
    /// or days; the caller adds them up to months. In a breakdown by key, only the
    /// [`MAX_SERIES`](domain::usage::MAX_SERIES) keys with the most requests have rows of their own (of keys
    /// with equal numbers, those with the smaller id); rows of all other keys have no key.
    async fn usage(&self, scope: Scope, query: &UsageQuery) -> Result<Vec<UsageRow>, StoreError>;

    /// Recorded requests, newest first.
    async fn requests(
        &self,
        scope: Scope,
        query: &RequestQuery,
    ) -> Result<Page<RequestRecord>, ListError>;
}

/// Requests with the same slot, breakdown and outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRow {
    /// Start of the slot: of an hour for hourly granularity, of a day otherwise.
    pub slot: DateTime<Utc>,
    /// The key, in a breakdown by key; `None` for the keys with fewer requests and in other breakdowns.
    pub key: Option<KeyId>,
    /// The endpoint, in a breakdown by endpoint; `None` in others.
    pub endpoint: Option<Endpoint>,
    /// The outcome of the requests, present in every breakdown.
    pub outcome: Outcome,
    /// Number of requests in the slot with these attributes.
    pub requests: u64,
    /// Their latencies; empty for requests refused by a limit.
    pub latencies: Latencies,
}

/// Port: the audit log, for reading. Each mutation writes its entries in its own transaction.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Audit entries, newest first.
    async fn audit(&self, filter: &AuditFilter, page: &PageRequest)
    -> Result<AuditPage, ListError>;
}
