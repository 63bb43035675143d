//! Reading of usage, limits and bank health for people, and of all customers and the audit log for admins.

use std::sync::Arc;

use super::types::{BankHealth, UsageReport};
use crate::keys::{KeyError, RequestedScope};
use crate::people::Caller;
use domain::audit::{AuditFilter, AuditPage};
use domain::keys::{Environment, KeyId, KeyOverview};
use domain::limits::window::SlidingWindow;
use domain::limits::{LimitStatus, MonthStatus};
use domain::month::Month;
use domain::page::{Page, PageRequest};
use domain::people::customer::{Customer, CustomerOverview};
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::UsageQuery;
use ports::outbound::{
    AuditLog, Clock, CustomerStore, KeyStore, Limiter, Random, Scope, UsageReader,
};

use super::report;
use crate::bank::BankMonitor;
use crate::people::{Authorization, list_error, require_admin};
use crate::proofs::BankBySide;

/// Dependencies of an [`InsightsService`].
pub struct InsightSources {
    /// Keys with their owners and monthly use.
    pub keys: Arc<dyn KeyStore>,
    /// Customers, for listing and for authorization.
    pub customers: Arc<dyn CustomerStore>,
    /// Usage statistics, which the journal writes.
    pub usage: Arc<dyn UsageReader>,
    /// Audit log of changes.
    pub audit: Arc<dyn AuditLog>,
    /// Limiter, for the current limit status of keys.
    pub limiter: Arc<dyn Limiter>,
    /// The bank of each environment, for the state of its query budget.
    pub banks: BankBySide,
    /// Recorded results of lookups, for the health of the banks.
    pub monitor: Arc<BankMonitor>,
}

/// Reads the data that the dashboard shows.
pub struct InsightsService {
    sources: InsightSources,
    authorization: Authorization,
    clock: Arc<dyn Clock>,
}

impl InsightsService {
    /// Creates a service that reads from these sources.
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

    /// The scope of a request, which may be limited to one key. A key outside the scope is an error, so that
    /// an unknown key isn't reported as one without usage.
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

    /// Limit status of a key that the limiter doesn't know: nothing was admitted in the last minute.
    fn idle_status(&self, overview: &KeyOverview) -> LimitStatus {
        let limits = overview.key.limits;
        let (now, month) = (self.clock.now(), self.month());
        // Usage of an earlier month doesn't count in the current one.
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
    /// The caller's customer; created with the free plan if there is none.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn customer(&self, caller: &Caller) -> Result<Customer, KeyError> {
        Ok(self.authorization.customer_or_new(&caller.owner).await?)
    }

    /// Current limit statuses of keys, in the order of `keys`. Makes one call of the limiter, and no database
    /// query unless the limiter makes one.
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

    /// Usage over time, with every slot of the period.
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

    /// Recorded requests, newest first.
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

    /// Health of an environment's bank, as observed by this process.
    pub async fn bank(&self, environment: Environment) -> BankHealth {
        let budget = self.sources.banks.of(environment).budget().await;
        self.sources.monitor.health(environment, budget)
    }

    /// Customers whose subject or issuer contains `text`, newest first. For admins only.
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

    /// Entries of the audit log, newest first. For admins only.
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
