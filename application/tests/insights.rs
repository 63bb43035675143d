//! Insights: usage, requests, limits, the bank, customers and the audit log.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use application::{BankBySide, BankMonitor, InsightSources, InsightsService};
use chrono::{DateTime, Utc};
use domain::audit::AuditFilter;
use domain::customer::Role;
use domain::key::{Environment, KeyId, KeyName, KeyOverview};
use domain::limits::{MinuteStatus, Plan};
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::BankBudget;
use domain::page::{Cursor, PageRequest, PageSize};
use domain::request::{RequestId, RequestQuery};
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use ports::inbound::{
    BankState, Caller, Gatekeeper, Insights, KeyAdministration, KeyError, NewKey, RequestedScope,
    SeriesLabel, UsageReport,
};
use ports::outbound::CustomerStore;
use support::fixture::{Fixture, Holder, ended, fixture_at};
use support::person;
use testkit::fakes::{CountingRandom, ScriptedBank, by_amount};
use uuid::Uuid;

#[path = "insights/limit_status.rs"]
mod limit_status;
#[path = "insights/scope.rs"]
mod scope;
#[path = "insights/usage.rs"]
mod usage;

static ANA: LazyLock<Caller> = LazyLock::new(|| person("ana", Role::Member));
static LUIS: LazyLock<Caller> = LazyLock::new(|| person("luis", Role::Member));
static ADMIN: LazyLock<Caller> = LazyLock::new(|| person("root", Role::Admin));

struct Dashboard {
    fixture: Fixture,
    test_bank: Arc<ScriptedBank>,
    insights: InsightsService,
}

fn dashboard() -> Dashboard {
    dashboard_at("2026-11-20T12:00:00Z")
}

fn dashboard_at(now: &str) -> Dashboard {
    let fixture = fixture_at(instant(now));
    let test_bank = Arc::new(ScriptedBank::answering(by_amount));
    let data = Arc::new(fixture.data.clone());
    let sources = InsightSources {
        keys: fixture.store.clone(),
        customers: data.clone(),
        usage: data.clone(),
        audit: data,
        limiter: fixture.limiter.clone(),
        banks: BankBySide {
            live: Arc::new(ScriptedBank::answering(by_amount)),
            test: test_bank.clone(),
        },
        monitor: Arc::new(BankMonitor::new(fixture.clock.clone())),
    };
    let random = Arc::new(CountingRandom::default());
    let insights = InsightsService::new(sources, fixture.clock.clone(), random);
    Dashboard {
        fixture,
        test_bank,
        insights,
    }
}

fn instant(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn usage(period: Period, breakdown: Breakdown) -> UsageQuery {
    UsageQuery {
        period,
        breakdown,
        key: None,
        criteria: RequestCriteria::default(),
    }
}

fn listing() -> RequestQuery {
    RequestQuery {
        key: None,
        criteria: RequestCriteria::default(),
        request_id: None,
        from: None,
        to: None,
        page: page(),
    }
}

fn page() -> PageRequest {
    PageRequest::first(PageSize::MAX)
}

impl Dashboard {
    async fn key_of(&self, caller: &Caller) -> Holder {
        let order = NewKey {
            name: KeyName::parse("till").unwrap(),
            environment: Environment::Test,
            limits: None,
        };
        let created = self.fixture.keys.create(caller, order).await.unwrap();
        Holder {
            id: created.key.key.id,
            secret: created.secret,
        }
    }

    async fn request(&self, holder: &Holder, outcome: Outcome) {
        let admission = self.fixture.ask(holder).await.unwrap();
        let settled = self.fixture.gatekeeper.settle(admission, ended(outcome));
        settled.await.unwrap();
    }

    fn newest(&self, count: u32, granularity: Granularity) -> Period {
        use ports::outbound::Clock;
        Period::newest(count, granularity, self.fixture.clock.now()).unwrap()
    }

    async fn report(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        ask: &UsageQuery,
    ) -> UsageReport {
        self.insights.usage(caller, requested, ask).await.unwrap()
    }

    async fn overview(&self, caller: &Caller, key: &Holder) -> KeyOverview {
        let found = self
            .fixture
            .keys
            .find(caller, RequestedScope::Own, key.id)
            .await;
        found.unwrap()
    }
}

fn assert_not_found<T>(result: Result<T, KeyError>) {
    let error = result.err();
    assert!(matches!(error, Some(KeyError::NotFound)), "{error:?}");
}

fn assert_forbidden<T>(result: Result<T, KeyError>) {
    let error = result.err();
    assert!(matches!(error, Some(KeyError::Forbidden)), "{error:?}");
}
