//! Insights of people into usage and the bank, and of admins into all customers and the audit log.

use std::sync::Arc;

use super::types::{BankHealth, UsageReport};
use crate::keys::{KeyError, RequestedScope};
use crate::people::Caller;
use domain::audit::{AuditFilter, AuditPage};
use domain::customer::{Customer, CustomerOverview};
use domain::key::{Environment, KeyId, KeyOverview};
use domain::limits::{LimitStatus, MonthStatus};
use domain::month::Month;
use domain::page::{Page, PageRequest};
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::UsageQuery;
use domain::window::SlidingWindow;
use ports::outbound::{
    AuditLog, Clock, CustomerStore, KeyStore, Limiter, Random, Scope, UsageReader,
};

use super::report;
use crate::bank::BankMonitor;
use crate::people::{Authorization, list_error, require_admin};
use crate::proofs::BankBySide;

/// Sources of insights.
pub struct InsightSources {
    /// The keys.
    pub keys: Arc<dyn KeyStore>,
    /// The customers.
    pub customers: Arc<dyn CustomerStore>,
    /// Usage, as the journal wrote it.
    pub usage: Arc<dyn UsageReader>,
    /// The audit log.
    pub audit: Arc<dyn AuditLog>,
    /// The present state of limits.
    pub limiter: Arc<dyn Limiter>,
    /// The banks, for their budgets.
    pub banks: BankBySide,
    /// Health of the banks.
    pub monitor: Arc<BankMonitor>,
}

/// Reads what the dashboard shows.
pub struct InsightsService {
    sources: InsightSources,
    authorization: Authorization,
    clock: Arc<dyn Clock>,
}

impl InsightsService {
    /// A service that reads these.
    pub fn new(sources: InsightSources, clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        let customers = Arc::clone(&sources.customers);
        let authorization = Authorization::new(customers, Arc::clone(&clock), random);
        Self {
            sources,
            authorization,
            clock,
        }
    }

    fn month(&self) -> Month {
        Month::of(self.clock.now())
    }

    /// The scope of a request that may be about one key, which must be within it: no usage of a key
    /// that doesn't exist isn't the same as no usage of one that does.
    async fn scope(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        key: Option<KeyId>,
    ) -> Result<Option<Scope>, KeyError> {
        let scope = self.authorization.scope(caller, requested).await?;
        let Some(key) = key else {
            return Ok(scope);
        };
        if scope == Some(Scope::Everybody) {
            return Ok(scope);
        }
        let scope = scope.ok_or(KeyError::NotFound)?;
        let found = self.sources.keys.find(scope, key, self.month()).await?;
        found.map(|_| Some(scope)).ok_or(KeyError::NotFound)
    }

    /// The limit status of a key that the limiter doesn't know: nothing was admitted in this minute.
    fn idle_status(&self, overview: &KeyOverview) -> LimitStatus {
        let limits = overview.key.limits;
        let (now, month) = (self.clock.now(), self.month());
        // Usage that was read before the month ended isn't of the new one.
        let used = if overview.month == month {
            overview.used.net()
        } else {
            0
        };
        LimitStatus {
            minute: SlidingWindow::default().limit_status(0, limits.per_minute()),
            month: limits
                .monthly_quota()
                .map(|quota| MonthStatus::new(month, quota, used, now)),
        }
    }
}

impl InsightsService {
    /// The caller as a customer; created, with the free plan, at the first call.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn customer(&self, caller: &Caller) -> Result<Customer, KeyError> {
        Ok(self.authorization.customer_or_new(&caller.owner).await?)
    }

    /// Current state of the limits of keys, in their order. One call of the limiter; queries no
    /// database unless the limiter does.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn limit_statuses(&self, keys: &[KeyOverview]) -> Result<Vec<LimitStatus>, KeyError> {
        let counted: Vec<_> = keys.iter().map(|key| key.key.counted()).collect();
        let peeked = self.sources.limiter.peek_many(&counted).await;
        let peeked = peeked.map_err(|error| KeyError::Store(Arc::new(error)))?;
        let known = keys.iter().zip(peeked);
        let status = |(key, known): (_, Option<_>)| known.unwrap_or_else(|| self.idle_status(key));
        Ok(known.map(status).collect())
    }

    /// Use over time, slot by slot without gaps.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn usage(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        query: &UsageQuery,
    ) -> Result<UsageReport, KeyError> {
        let rows = match self.scope(caller, requested, query.key).await? {
            Some(scope) => {
                let period = report::whole_slots(query.period);
                let whole = UsageQuery { period, ..*query };
                self.sources.usage.usage(scope, &whole).await?
            }
            None => Vec::new(),
        };
        Ok(report::report(query.period, query.breakdown, &rows))
    }

    /// Requests, newest first.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn requests(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        query: &RequestQuery,
    ) -> Result<Page<RequestRecord>, KeyError> {
        match self.scope(caller, requested, query.key).await? {
            Some(scope) => {
                let page = self.sources.usage.requests(scope, query).await;
                page.map_err(list_error)
            }
            None => Ok(Page::of(Vec::new(), query.page.first, None)),
        }
    }

    /// Health of an environment's bank, as observed by this gateway.
    pub async fn bank(&self, environment: Environment) -> BankHealth {
        let budget = self.sources.banks.of(environment).budget().await;
        self.sources.monitor.health(environment, budget)
    }

    /// All customers, newest first, whose subject or issuer contains `text`. Admins only.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn customers(
        &self,
        caller: &Caller,
        text: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<CustomerOverview>, KeyError> {
        require_admin(caller)?;
        let customers = self.sources.customers.customers(text, self.month(), page);
        customers.await.map_err(list_error)
    }

    /// The audit log, newest first. Admins only.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn audit(
        &self,
        caller: &Caller,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<AuditPage, KeyError> {
        require_admin(caller)?;
        let entries = self.sources.audit.audit(filter, page).await;
        entries.map_err(list_error)
    }
}
