//! Insights: usage, requests, limits, customers and the audit log.

use std::time::Duration;

use crate::support::fixture::{Fixture, Holder, fixture, fixture_at};
use crate::support::{
    ADMIN, ANA, LUIS, OWN, WatchedKeys, assert_forbidden, assert_not_found, person,
};
use application::{Caller, KeyError, RequestedScope, UsageReport};
use chrono::{DateTime, Utc};
use domain::audit::AuditFilter;
use domain::keys::{Environment, KeyOverview};
use domain::limits::{LimitStatus, MinuteStatus, Plan};
use domain::outcome::Outcome;
use domain::page::{Cursor, PageRequest, PageSize};
use domain::people::customer::Role;
use domain::request::RequestQuery;
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use ports::outbound::{Clock, CustomerStore};
use uuid::Uuid;

mod limit_status;
mod scope;

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
        self.key_of(caller, Environment::Test, None).await
    }

    /// Usage of a caller's own keys.
    async fn report(&self, caller: &Caller, ask: &UsageQuery) -> UsageReport {
        self.insights.usage(caller, OWN, ask).await.unwrap()
    }

    async fn requests(&self, caller: &Caller, ask: &RequestQuery) -> usize {
        let page = self.insights.requests(caller, OWN, ask).await;
        page.unwrap().items.len()
    }

    /// The period of the last days up to today.
    fn days(&self, count: u32) -> Period {
        Period::newest(count, Granularity::Day, self.clock.now()).unwrap()
    }

    async fn overview(&self, caller: &Caller, key: &Holder) -> KeyOverview {
        let found = self.keys.find(caller, OWN, key.id).await;
        found.unwrap()
    }
}

#[tokio::test]
async fn months_are_added_up_of_days_to_their_very_end() {
    let fixture = fixture_at(instant("2026-09-30T23:30:00Z"));
    let key = fixture.own_key_of(&ANA).await;
    for _ in 0..3 {
        fixture.serve(&key, Outcome::Delivered).await;
        fixture.clock.advance(Duration::from_hours(15 * 24));
    }
    let (from, to) = ("2026-08-15T00:00:00Z", "2026-10-02T00:00:00Z");
    let period = Period::new(instant(from), instant(to), Granularity::Month).unwrap();
    let ask = usage(period, Breakdown::Total);
    let report = fixture.report(&ANA, &ask).await;
    // The third is of the 30th of October: in the last month, though after the period's end.
    assert_eq!(report.series[0].counts, [0, 1, 2]);
    assert_eq!(report.totals.requests, 3);
}
