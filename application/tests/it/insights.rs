//! Insights: usage, requests, limits, the bank, customers and the audit log.

use std::sync::LazyLock;
use std::time::Duration;

use crate::support::fixture::{Fixture, Holder, ended, fixture, fixture_at};
use crate::support::person;
use chrono::{DateTime, Utc};
use domain::audit::AuditFilter;
use domain::customer::Role;
use domain::key::{Environment, KeyId, KeyName, KeyOverview};
use domain::limits::{LimitStatus, MinuteStatus, Plan};
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::{BankBudget, QueueLength};
use domain::page::{Cursor, PageRequest, PageSize};
use domain::request::{RequestId, RequestQuery};
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use ports::inbound::{
    BankState, Caller, Insights, KeyAdministration, KeyError, NewKey, RequestedScope, SeriesLabel,
    UsageReport,
};
use ports::outbound::CustomerStore;
use uuid::Uuid;

mod limit_status;
mod scope;
mod usage;

static ANA: LazyLock<Caller> = LazyLock::new(|| person("ana", Role::Member));
static LUIS: LazyLock<Caller> = LazyLock::new(|| person("luis", Role::Member));
static ADMIN: LazyLock<Caller> = LazyLock::new(|| person("root", Role::Admin));

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

impl Fixture {
    async fn own_key_of(&self, caller: &Caller) -> Holder {
        let order = NewKey {
            name: KeyName::parse("till").unwrap(),
            environment: Environment::Test,
            limits: None,
        };
        let created = self.keys.create(caller, order).await.unwrap();
        Holder {
            id: created.key.key.id,
            secret: created.secret,
        }
    }

    async fn request(&self, holder: &Holder, outcome: Outcome) {
        let admission = self.ask(holder).await.unwrap();
        let settled = self.gatekeeper.settle(admission, ended(outcome));
        settled.await.unwrap();
    }

    fn newest(&self, count: u32, granularity: Granularity) -> Period {
        use ports::outbound::Clock;
        Period::newest(count, granularity, self.clock.now()).unwrap()
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
        let found = self.keys.find(caller, RequestedScope::Own, key.id).await;
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
