//! What people see of their use, of the bank, and — admins — of everybody.

use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::{AuditFilter, AuditPage};
use domain::customer::{Customer, CustomerOverview};
use domain::key::{Environment, KeyId, KeyOverview};
use domain::limits::{LimitStatus, MonthStatus};
use domain::month::Month;
use domain::page::{Page, PageRequest};
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::UsageQuery;
use domain::window::SlidingWindow;
use ports::inbound::{BankHealth, Caller, Insights, KeyError, RequestedScope, UsageReport};
use ports::outbound::{
    AuditLog, Clock, CustomerStore, KeyStore, Limiter, Random, Scope, UsageReader,
};

use crate::bank_watch::BankWatch;
use crate::proofs::BankBySide;
use crate::reach::{Callers, admins_only, unlisted};

mod report;

/// Where insights come from.
pub struct InsightSources {
    /// The keys.
    pub keys: Arc<dyn KeyStore>,
    /// The customers.
    pub customers: Arc<dyn CustomerStore>,
    /// What the journal wrote.
    pub usage: Arc<dyn UsageReader>,
    /// The audit log.
    pub audit: Arc<dyn AuditLog>,
    /// What is left of limits now.
    pub limiter: Arc<dyn Limiter>,
    /// The banks, which know their budgets.
    pub banks: BankBySide,
    /// How the banks answered.
    pub watch: Arc<BankWatch>,
}

/// Reads what the dashboard shows.
pub struct InsightsService {
    sources: InsightSources,
    callers: Callers,
    clock: Arc<dyn Clock>,
}

impl InsightsService {
    /// A service that reads these.
    pub fn new(sources: InsightSources, clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        let customers = Arc::clone(&sources.customers);
        let callers = Callers::new(customers, Arc::clone(&clock), random);
        Self {
            sources,
            callers,
            clock,
        }
    }

    fn month(&self) -> Month {
        Month::of(self.clock.now())
    }

    /// The scope of a question that may be about one key, which must be within it: no use of a key
    /// that doesn't exist isn't the same as no use of one that does.
    async fn scope(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        key: Option<KeyId>,
    ) -> Result<Option<Scope>, KeyError> {
        let scope = self.callers.scope(caller, reach).await?;
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

    /// The standing of a key that the limiter doesn't know: nothing was admitted in this minute.
    fn rested(&self, overview: &KeyOverview) -> LimitStatus {
        let limits = overview.key.limits;
        let (now, month) = (self.clock.now(), self.month());
        // What was read before the month ended says nothing about the new one.
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

#[async_trait]
impl Insights for InsightsService {
    async fn customer(&self, caller: &Caller) -> Result<Customer, KeyError> {
        Ok(self.callers.enrolled(&caller.owner).await?)
    }

    async fn limit_status(&self, key: &KeyOverview) -> Result<LimitStatus, KeyError> {
        match self.sources.limiter.peek(key.key.id).await {
            Ok(Some(limit_status)) => Ok(limit_status),
            Ok(None) => Ok(self.rested(key)),
            Err(error) => Err(KeyError::Store(Arc::new(error))),
        }
    }

    async fn usage(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &UsageQuery,
    ) -> Result<UsageReport, KeyError> {
        let rows = match self.scope(caller, reach, ask.key).await? {
            Some(scope) => {
                let period = report::whole_slots(ask.period);
                let ask = UsageQuery { period, ..*ask };
                self.sources.usage.usage(scope, &ask).await?
            }
            None => Vec::new(),
        };
        Ok(report::report(ask.period, ask.breakdown, &rows))
    }

    async fn requests(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &RequestQuery,
    ) -> Result<Page<RequestRecord>, KeyError> {
        match self.scope(caller, reach, ask.key).await? {
            Some(scope) => {
                let page = self.sources.usage.requests(scope, ask).await;
                page.map_err(unlisted)
            }
            None => Ok(Page::of(Vec::new(), ask.page.first, None)),
        }
    }

    async fn bank(&self, environment: Environment) -> BankHealth {
        let budget = self.sources.banks.of(environment).budget().await;
        self.sources.watch.health(environment, budget)
    }

    async fn customers(
        &self,
        caller: &Caller,
        text: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<CustomerOverview>, KeyError> {
        admins_only(caller)?;
        let customers = self.sources.customers.customers(text, self.month(), page);
        customers.await.map_err(unlisted)
    }

    async fn audit(
        &self,
        caller: &Caller,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<AuditPage, KeyError> {
        admins_only(caller)?;
        let entries = self.sources.audit.audit(filter, page).await;
        entries.map_err(unlisted)
    }
}
