//! Where use, requests, customers and the audit log are read.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{AuditContext, AuditFilter, AuditPage};
use domain::customer::{Customer, CustomerId, CustomerOverview, ExistingKeys};
use domain::key::{KeyId, Owner};
use domain::latency::Latencies;
use domain::limits::Plan;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Page, PageRequest};
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::UsageQuery;

use super::{ListError, Scope, StoreError, UpdateError};

/// Keeps customers.
#[async_trait]
pub trait CustomerStore: Send + Sync {
    /// The customer that an owner is. Adds it as `newcomer` when it isn't known; of two at the same
    /// moment, one is added.
    async fn enrol(&self, newcomer: &Customer) -> Result<Customer, StoreError>;

    /// The customer that an owner is, if it is known.
    async fn customer(&self, owner: &Owner) -> Result<Option<Customer>, StoreError>;

    /// Customers, newest first, whose issuer or subject holds `text`; with what their keys used of
    /// `month`.
    async fn customers(
        &self,
        text: Option<&str>,
        month: Month,
        page: &PageRequest,
    ) -> Result<Page<CustomerOverview>, ListError>;

    /// Sets a customer's plan; gives its keys that aren't revoked the plan's limits when they are to
    /// follow. Leaves one entry for the plan and one for each key whose limits changed. A plan that
    /// it has already, with keys that follow it already, changes nothing and leaves no entry.
    ///
    /// Returns the customer and the keys whose limits changed.
    async fn set_plan(
        &self,
        id: CustomerId,
        plan: Plan,
        existing: ExistingKeys,
        act: &AuditContext,
    ) -> Result<(Customer, Vec<KeyId>), UpdateError>;
}

/// Reads what the journal wrote.
#[async_trait]
pub trait UsageReader: Send + Sync {
    /// Requests added up by slot, by what is told apart, and by outcome; slots without requests
    /// have no row. Slots are hours or days: months are the caller's to add up. When keys are told
    /// apart, the [`MAX_SERIES`](domain::usage::MAX_SERIES) with the most requests are (of equals
    /// those with the smaller id), and the rows of all others have no key.
    async fn usage(&self, scope: Scope, ask: &UsageQuery) -> Result<Vec<UsageRow>, StoreError>;

    /// Requests, newest first.
    async fn requests(
        &self,
        scope: Scope,
        ask: &RequestQuery,
    ) -> Result<Page<RequestRecord>, ListError>;
}

/// Requests of one slot that have everything in common that is told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRow {
    /// The slot's beginning: an hour's when hours were asked for, a day's otherwise.
    pub slot: DateTime<Utc>,
    /// Their key, when keys are told apart and it is one of the busiest.
    pub key: Option<KeyId>,
    /// Their endpoint, when endpoints are told apart.
    pub endpoint: Option<Endpoint>,
    /// Their outcome, always.
    pub outcome: Outcome,
    /// How many.
    pub requests: u64,
    /// How long they took; empty for what a limit refused.
    pub latencies: Latencies,
}

/// Reads the audit log, which everything that changes something writes in its own step.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Entries, newest first.
    async fn audit(&self, filter: &AuditFilter, page: &PageRequest)
    -> Result<AuditPage, ListError>;
}
