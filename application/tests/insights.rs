//! What people see of their use, what admins see of everybody's, and what nobody sees.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use application::{BankBySide, BankWatch, InsightSources, InsightsService};
use chrono::{DateTime, Utc};
use domain::customer::Role;
use domain::key::{Environment, KeyId, KeyName};
use domain::limits::{MinuteStanding, Plan};
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Cursor, PageAsk, PageSize};
use domain::request::RequestId;
use domain::usage::{Breakdown, Granularity, Only, Period};
use memory::{CountingRandom, ScriptedBank, by_amount};
use ports::inbound::{
    AuditFilter, BankBudget, BankState, Caller, Gatekeeper, Insights, KeyAdministration, KeyError,
    KeyOrder, KeyOverview, Reach, RequestListing, SeriesLabel, UsageAsk, UsageReport,
};
use ports::outbound::CustomerStore;
use support::house::{Holder, House, ended, house_at};
use support::person;
use uuid::Uuid;

static ANA: LazyLock<Caller> = LazyLock::new(|| person("ana", Role::Member));
static LUIS: LazyLock<Caller> = LazyLock::new(|| person("luis", Role::Member));
static ADMIN: LazyLock<Caller> = LazyLock::new(|| person("root", Role::Admin));

struct Dashboard {
    house: House,
    test_bank: Arc<ScriptedBank>,
    insights: InsightsService,
}

fn dashboard() -> Dashboard {
    dashboard_at("2026-11-20T12:00:00Z")
}

fn dashboard_at(now: &str) -> Dashboard {
    let house = house_at(instant(now));
    let test_bank = Arc::new(ScriptedBank::answering(by_amount));
    let data = Arc::new(house.data.clone());
    let sources = InsightSources {
        keys: house.store.clone(),
        customers: data.clone(),
        usage: data.clone(),
        audit: data,
        limiter: house.limiter.clone(),
        banks: BankBySide {
            live: Arc::new(ScriptedBank::answering(by_amount)),
            test: test_bank.clone(),
        },
        watch: Arc::new(BankWatch::new(house.clock.clone())),
    };
    let random = Arc::new(CountingRandom::default());
    let insights = InsightsService::new(sources, house.clock.clone(), random);
    Dashboard {
        house,
        test_bank,
        insights,
    }
}

fn instant(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn usage(period: Period, breakdown: Breakdown) -> UsageAsk {
    UsageAsk {
        period,
        breakdown,
        key: None,
        only: Only::default(),
    }
}

fn listing() -> RequestListing {
    RequestListing {
        key: None,
        only: Only::default(),
        request_id: None,
        from: None,
        to: None,
        page: page(),
    }
}

fn page() -> PageAsk {
    PageAsk::first(PageSize::MAX)
}

impl Dashboard {
    async fn key_of(&self, caller: &Caller) -> Holder {
        let order = KeyOrder {
            name: KeyName::parse("till").unwrap(),
            environment: Environment::Test,
            limits: None,
        };
        let created = self.house.keys.create(caller, order).await.unwrap();
        Holder {
            id: created.key.key.id,
            secret: created.secret,
        }
    }

    async fn request(&self, holder: &Holder, outcome: Outcome) {
        let admission = self.house.ask(holder).await.unwrap();
        let settled = self.house.gatekeeper.settle(admission, ended(outcome));
        settled.await.unwrap();
    }

    fn newest(&self, count: u32, granularity: Granularity) -> Period {
        use ports::outbound::Clock;
        Period::newest(count, granularity, self.house.clock.now()).unwrap()
    }

    async fn report(&self, caller: &Caller, reach: Reach, ask: &UsageAsk) -> UsageReport {
        self.insights.usage(caller, reach, ask).await.unwrap()
    }

    async fn overview(&self, caller: &Caller, key: &Holder) -> KeyOverview {
        let found = self.house.keys.find(caller, Reach::Own, key.id).await;
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

#[tokio::test]
async fn whoever_asks_who_it_is_becomes_a_customer_once() {
    let dashboard = dashboard();
    let first = dashboard.insights.customer(&ANA).await.unwrap();
    assert_eq!((&first.owner, first.plan), (&ANA.owner, Plan::Startup));
    let again = dashboard.insights.customer(&ANA).await.unwrap();
    assert_eq!(again, first);
    let key = dashboard.key_of(&ANA).await;
    let overview = dashboard.overview(&ANA, &key).await;
    assert_eq!(overview.key.customer, first.id);
}

#[tokio::test]
async fn use_is_told_slot_by_slot_without_gaps() {
    let dashboard = dashboard();
    let key = dashboard.key_of(&ANA).await;
    dashboard.request(&key, Outcome::Delivered).await;
    dashboard.house.clock.advance(Duration::from_hours(2));
    dashboard.request(&key, Outcome::NotFound).await;
    dashboard.request(&key, Outcome::BankTimeout).await;
    let ask = usage(dashboard.newest(4, Granularity::Hour), Breakdown::Total);
    let report = dashboard.report(&ANA, Reach::Own, &ask).await;
    assert_eq!(report.slots.len(), 4);
    assert_eq!(report.series[0].counts, [0, 1, 0, 2]);
    let totals = report.totals;
    assert_eq!(
        (totals.requests, totals.delivered, totals.failed),
        (3, 1, 1)
    );
    assert_eq!(totals.latencies.total(), 3);
}

#[tokio::test]
async fn months_are_added_up_of_days_to_their_very_end() {
    let dashboard = dashboard_at("2026-09-30T23:30:00Z");
    let key = dashboard.key_of(&ANA).await;
    for _ in 0..3 {
        dashboard.request(&key, Outcome::Delivered).await;
        dashboard.house.clock.advance(Duration::from_hours(15 * 24));
    }
    let (from, to) = ("2026-08-15T00:00:00Z", "2026-10-02T00:00:00Z");
    let period = Period::new(instant(from), instant(to), Granularity::Month).unwrap();
    let ask = usage(period, Breakdown::Total);
    let report = dashboard.report(&ANA, Reach::Own, &ask).await;
    // The third is of the 30th of October: in the last month, though after the period's end.
    assert_eq!(report.series[0].counts, [0, 1, 2]);
    assert_eq!(report.totals.requests, 3);
}

#[tokio::test]
async fn use_is_told_apart_by_key_endpoint_and_outcome() {
    let dashboard = dashboard();
    let (busy, quiet) = (dashboard.key_of(&ANA).await, dashboard.key_of(&ANA).await);
    dashboard.request(&quiet, Outcome::Delivered).await;
    for _ in 0..2 {
        dashboard.request(&busy, Outcome::NotFound).await;
    }
    let today = dashboard.newest(1, Granularity::Day);
    for (breakdown, expected) in [
        (
            Breakdown::Key,
            vec![
                (SeriesLabel::Key(busy.id), 2),
                (SeriesLabel::Key(quiet.id), 1),
            ],
        ),
        (
            Breakdown::Endpoint,
            vec![(SeriesLabel::Endpoint(Endpoint::Xml), 3)],
        ),
        (
            Breakdown::Outcome,
            vec![
                (SeriesLabel::Outcome(Outcome::NotFound), 2),
                (SeriesLabel::Outcome(Outcome::Delivered), 1),
            ],
        ),
    ] {
        let ask = usage(today, breakdown);
        let series = dashboard.report(&ANA, Reach::Own, &ask).await.series;
        let shown: Vec<_> = series.iter().map(|it| (it.label, it.counts[0])).collect();
        assert_eq!(shown, expected);
    }
}

#[tokio::test]
async fn what_is_asked_for_alone_is_counted_alone() {
    let dashboard = dashboard();
    let (one, other) = (dashboard.key_of(&ANA).await, dashboard.key_of(&ANA).await);
    dashboard.request(&one, Outcome::Delivered).await;
    dashboard.request(&one, Outcome::NotFound).await;
    dashboard.request(&other, Outcome::Delivered).await;
    let all = usage(dashboard.newest(1, Granularity::Day), Breakdown::Total);
    let only = Only {
        outcome: Some(Outcome::Delivered),
        ..Only::default()
    };
    let key = Some(one.id);
    for (ask, expected) in [
        (all, 3),
        (UsageAsk { key, ..all }, 2),
        (UsageAsk { only, ..all }, 2),
        (UsageAsk { key, only, ..all }, 1),
    ] {
        let report = dashboard.report(&ANA, Reach::Own, &ask).await;
        assert_eq!(report.totals.requests, expected);
    }
}

#[tokio::test]
async fn anothers_use_and_requests_are_not_seen() {
    let dashboard = dashboard();
    let (anas, luis) = (dashboard.key_of(&ANA).await, dashboard.key_of(&LUIS).await);
    dashboard.request(&anas, Outcome::Delivered).await;
    let ask = usage(dashboard.newest(1, Granularity::Day), Breakdown::Key);
    let of_key = |key: &Holder| UsageAsk {
        key: Some(key.id),
        ..ask
    };
    let insights = &dashboard.insights;
    let report = dashboard.report(&LUIS, Reach::Own, &ask).await;
    assert_eq!((report.totals.requests, report.series), (0, vec![]));
    let page = insights.requests(&LUIS, Reach::Own, &listing()).await;
    assert_eq!(page.unwrap().items, []);
    for other in [&*LUIS, &person("nobody", Role::Member), &*ADMIN] {
        let used = insights.usage(other, Reach::Own, &of_key(&anas)).await;
        assert_not_found(used);
        let ask = RequestListing {
            key: Some(anas.id),
            ..listing()
        };
        assert_not_found(insights.requests(other, Reach::Own, &ask).await);
    }
    // What exists, and wasn't used, is another thing than what doesn't exist.
    let own = dashboard.report(&LUIS, Reach::Own, &of_key(&luis)).await;
    assert_eq!(own.totals.requests, 0);
}

#[tokio::test]
async fn who_is_not_known_has_used_nothing() {
    let dashboard = dashboard();
    let ask = usage(dashboard.newest(3, Granularity::Day), Breakdown::Total);
    let report = dashboard.report(&ANA, Reach::Own, &ask).await;
    assert_eq!(report.series[0].counts, [0, 0, 0]);
    let ask = listing();
    let page = dashboard.insights.requests(&ANA, Reach::Own, &ask).await;
    assert_eq!(page.unwrap().items, []);
    let known = dashboard.house.data.customer(&ANA.owner).await.unwrap();
    assert_eq!(known, None, "looking makes nobody a customer");
}

#[tokio::test]
async fn only_admins_see_everybody() {
    let dashboard = dashboard();
    let key = dashboard.key_of(&ANA).await;
    dashboard.key_of(&LUIS).await;
    dashboard.request(&key, Outcome::Delivered).await;
    let customer = dashboard.overview(&ANA, &key).await.key.customer;
    let insights = &dashboard.insights;
    let ask = usage(dashboard.newest(1, Granularity::Day), Breakdown::Total);
    let everything = AuditFilter::default();
    for reach in [Reach::All, Reach::Of(customer)] {
        assert_forbidden(insights.usage(&ANA, reach, &ask).await);
        assert_forbidden(insights.requests(&ANA, reach, &listing()).await);
        assert_eq!(
            dashboard.report(&ADMIN, reach, &ask).await.totals.requests,
            1
        );
        let page = insights.requests(&ADMIN, reach, &listing()).await;
        assert_eq!(page.unwrap().items.len(), 1);
    }
    assert_forbidden(insights.customers(&ANA, None, &page()).await);
    assert_forbidden(insights.audit(&ANA, &everything, &page()).await);
    let customers = insights.customers(&ADMIN, Some("ana"), &page()).await;
    let customers = customers.unwrap();
    let [(_, ana)] = &customers.items[..] else {
        panic!("one customer is called so");
    };
    assert_eq!((ana.customer.id, ana.active_keys), (customer, 1));
    assert_eq!(ana.used.net(), 1);
    let log = insights.audit(&ADMIN, &everything, &page()).await.unwrap();
    assert_eq!(log.items.len(), 2);
}

#[tokio::test]
async fn an_admin_who_names_a_customer_sees_no_other_ones_key() {
    let dashboard = dashboard();
    let (anas, luis) = (dashboard.key_of(&ANA).await, dashboard.key_of(&LUIS).await);
    let customer = dashboard.overview(&ANA, &anas).await.key.customer;
    let ask = UsageAsk {
        key: Some(luis.id),
        ..usage(dashboard.newest(1, Granularity::Day), Breakdown::Total)
    };
    let reach = Reach::Of(customer);
    assert_not_found(dashboard.insights.usage(&ADMIN, reach, &ask).await);
    dashboard.report(&ADMIN, Reach::All, &ask).await;
}

#[tokio::test]
async fn requests_are_found_by_what_their_answers_carried() {
    let dashboard = dashboard();
    let key = dashboard.key_of(&ANA).await;
    dashboard.request(&key, Outcome::NotFound).await;
    let with_id = |id| RequestListing {
        request_id: RequestId::parse(id),
        ..listing()
    };
    for (id, expected) in [("till-7", 1), ("till-8", 0)] {
        let ask = with_id(id);
        let found = dashboard.insights.requests(&ANA, Reach::Own, &ask).await;
        assert_eq!(found.unwrap().items.len(), expected);
    }
}

#[tokio::test]
async fn a_cursor_of_another_list_is_named_so() {
    let dashboard = dashboard();
    dashboard.key_of(&ANA).await;
    let wrong = PageAsk {
        after: Some(Cursor {
            value: "a name".to_owned(),
            id: Uuid::nil(),
        }),
        ..page()
    };
    let insights = &dashboard.insights;
    let ask = RequestListing {
        page: wrong.clone(),
        ..listing()
    };
    let everything = AuditFilter::default();
    let results = [
        insights.requests(&ANA, Reach::Own, &ask).await.map(drop),
        insights.customers(&ADMIN, None, &wrong).await.map(drop),
        insights.audit(&ADMIN, &everything, &wrong).await.map(drop),
    ];
    for result in results {
        assert!(matches!(result, Err(KeyError::Cursor)), "{result:?}");
    }
}

#[tokio::test]
async fn a_standing_is_what_the_next_answer_would_say() {
    let dashboard = dashboard();
    let key = dashboard.key_of(&ANA).await;
    for _ in 0..3 {
        dashboard.request(&key, Outcome::Delivered).await;
    }
    let overview = dashboard.overview(&ANA, &key).await;
    let snapshots = dashboard.house.store.snapshots();
    dashboard.house.store.go_down();
    let standing = dashboard.insights.standing(&overview).await.unwrap();
    assert_eq!((standing.minute.limit, standing.minute.remaining), (60, 57));
    assert_eq!(standing.month.unwrap().used, 3);
    assert_eq!(dashboard.house.store.snapshots(), snapshots);
}

#[tokio::test]
async fn a_key_that_rested_has_its_whole_minute_and_what_is_left_of_its_month() {
    let dashboard = dashboard();
    let key = dashboard.key_of(&ANA).await;
    dashboard.request(&key, Outcome::Delivered).await;
    dashboard.house.clock.advance(Duration::from_mins(1));
    assert_eq!(dashboard.house.in_process.forget_idle(), 1);
    let overview = dashboard.overview(&ANA, &key).await;
    let standing = dashboard.insights.standing(&overview).await.unwrap();
    let expected = MinuteStanding {
        limit: 60,
        remaining: 60,
        reset: Duration::from_mins(1),
    };
    assert_eq!(standing.minute, expected);
    let month = standing.month.unwrap();
    assert_eq!((month.used, month.limit), (1, 1_000));
    assert_eq!(month.reset_at, instant("2026-12-01T00:00:00Z"));

    dashboard.house.clock.advance(Duration::from_hours(15 * 24));
    let standing = dashboard.insights.standing(&overview).await.unwrap();
    let month = standing.month.unwrap();
    assert_eq!(month.used, 0, "it was read last month");
    assert_eq!(month.reset_at, instant("2027-01-01T00:00:00Z"));
}

#[tokio::test]
async fn a_limiter_that_fails_tells_no_standing() {
    let dashboard = dashboard();
    let key = dashboard.key_of(&ANA).await;
    let overview = dashboard.overview(&ANA, &key).await;
    dashboard.house.limiter.fail_once_after(0);
    let standing = dashboard.insights.standing(&overview).await;
    assert!(matches!(standing, Err(KeyError::Store(_))));
}

#[tokio::test]
async fn a_bank_tells_its_budget_and_its_pause() {
    let dashboard = dashboard();
    let budget = BankBudget {
        per_minute: 30,
        remaining: 0,
        paused_for: Some(Duration::from_mins(2)),
    };
    dashboard.test_bank.set_budget(Some(budget));
    let health = dashboard.insights.bank(Environment::Test).await;
    assert_eq!(
        (health.state, health.budget),
        (BankState::Paused, Some(budget))
    );
    let health = dashboard.insights.bank(Environment::Live).await;
    assert_eq!((health.state, health.budget), (BankState::Unknown, None));
}

#[tokio::test]
async fn no_use_of_a_key_is_told_that_does_not_exist() {
    let dashboard = dashboard();
    dashboard.key_of(&ANA).await;
    let ask = UsageAsk {
        key: Some(KeyId(Uuid::nil())),
        ..usage(dashboard.newest(1, Granularity::Day), Breakdown::Total)
    };
    assert_not_found(dashboard.insights.usage(&ANA, Reach::Own, &ask).await);
}
