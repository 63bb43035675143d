//! How the server looks for answers among many rows: it says so itself, in its log.

use chrono::TimeDelta;
use domain::customer::CustomerId;
use domain::key::{KeyId, KeyPrefix};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Cursor, Direction, PageAsk, PageSize};
use domain::request::RequestId;
use domain::usage::{Breakdown, Granularity, Only, Period};
use ports::inbound::{
    AuditFilter, KeyFilter, KeyListing, KeyOrderBy, RequestListing, RevokedKeys, UsageAsk,
};
use ports::outbound::{
    AuditLog, ChangeNumber, CustomerStore, DenyList, Fingerprint, KeyStore, Scope, UsageReader,
};
use sea_orm::ConnectionTrait;
use store_seaorm::{Retention, Store};
use uuid::Uuid;

use crate::server::{Server, server_or_skip};
use crate::support::now;

/// Of 10,000 keys of 1,000 customers; every third request is the first key's. 20 seconds lie
/// between two.
const FILL: [&str; 9] = [
    "INSERT INTO customers SELECT md5(n::text)::uuid::text, 'https://issuer.example', 'person ' || n, \
     'startup', 1795262400000 - n FROM generate_series(1, 1000) n",
    "INSERT INTO api_keys (id, customer_id, name, prefix, environment, hash, hash_generation, \
     per_minute, monthly_quota, created_at, retires_at, revoked_at, version) \
     SELECT md5('key' || n)::uuid::text, md5((1 + n % 1000)::text)::uuid::text, 'caja ' || n, \
     'cep_live_' || lpad(n::text, 8, '0'), 'live', repeat('ab', 32), 1, 60, 1000, \
     1795262400000 - n::bigint * 200000, CASE WHEN n % 100 = 0 THEN 1795262400000 END, NULL, 1 \
     FROM generate_series(1, 10000) n",
    "INSERT INTO requests (id, request_id, customer_id, key_id, endpoint, outcome, issuer, receiver, \
     at, duration_ms, bank_ms) \
     SELECT md5('request' || n)::uuid::text, 'request-' || n, md5((1 + k % 1000)::text)::uuid::text, \
     md5('key' || k)::uuid::text, 'xml', CASE WHEN n % 50 = 0 THEN 'bank_timeout' ELSE 'delivered' END, \
     NULL, NULL, 1795262400000 - n::bigint * 20000, 7, NULL FROM (SELECT n, CASE WHEN n % 3 = 0 THEN 1 ELSE \
     1 + n % 10000 END AS k FROM generate_series(1, 150000) n) AS numbered",
    "INSERT INTO usage_hours SELECT key_id, at - at % 3600000, endpoint, outcome, COUNT(*), \
     0, 0, 0, COUNT(*), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM requests \
     GROUP BY key_id, at - at % 3600000, endpoint, outcome ORDER BY 2",
    "INSERT INTO customer_usage_days SELECT customer_id, at - at % 86400000, endpoint, outcome, COUNT(*), \
     0, 0, 0, COUNT(*), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM requests \
     GROUP BY customer_id, at - at % 86400000, endpoint, outcome",
    "INSERT INTO monthly_use SELECT key_id, 202611, COUNT(*), 0, MAX(at) FROM requests GROUP BY key_id",
    "INSERT INTO audit_log SELECT md5('entry' || n)::uuid::text, 1795262400000 - n::bigint * 60000, 'i', 's', \
     'key_renamed', md5((1 + n % 1000)::text)::uuid::text, md5('key' || (1 + n % 10000))::uuid::text, \
     '[]', 'request-' || n FROM generate_series(1, 50000) n",
    "INSERT INTO key_changes SELECT n, md5('key' || (1 + n % 10000))::uuid::text \
     FROM generate_series(1, 20000) n",
    "INSERT INTO denied SELECT md5(n::text), 1795262400000 + n FROM generate_series(1, 20000) n",
];

/// A store whose plans are in the server's log.
struct Watched<'a> {
    server: &'a Server,
    store: Store,
}

impl<'a> Watched<'a> {
    async fn filled(server: &'a Server) -> Self {
        let place = server.database().await;
        let connection = place.connect().await;
        for statement in FILL {
            let filled = connection.execute_unprepared(statement).await;
            filled.unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        connection
            .execute_unprepared("VACUUM ANALYZE")
            .await
            .unwrap();
        let explained = "-c%20session_preload_libraries%3Dauto_explain\
                         %20-c%20auto_explain.log_min_duration%3D0";
        let url = format!("{}%20{explained}", place.url());
        let store = Store::open(&url).await.unwrap();
        Self { server, store }
    }

    /// How the server looked for what was asked, line by line.
    async fn plan<T>(&self, asked: impl Future<Output = T>) -> String {
        let before = self.server.logged().len();
        asked.await;
        let log = self.server.logged();
        assert!(log[before..].contains("Query Text"), "no plan");
        log[before..].to_owned()
    }
}

/// Tables that grow.
const LARGE: [&str; 8] = [
    "requests",
    "usage_hours",
    "audit_log",
    "api_keys",
    "key_changes",
    "monthly_use",
    "denied",
    "customers",
];

#[track_caller]
fn assert_uses(plan: &str, index: &str) {
    assert!(plan.contains(index), "not by {index}:\n{plan}");
    for table in LARGE {
        let all = format!("Seq Scan on {table}");
        assert!(!plan.contains(&all), "every row of {table}:\n{plan}");
    }
}

fn md5_uuid(digits: &str) -> Uuid {
    Uuid::try_parse(digits).unwrap()
}

/// `md5('key' || 1000)`: one of [`quiet`]'s.
fn own_key() -> KeyId {
    KeyId(md5_uuid("c36eaa157294eb8f1678b4df90b35cfe"))
}

/// `md5('1')`, who has ten others' keys.
fn quiet() -> CustomerId {
    CustomerId(md5_uuid("c4ca4238a0b923820dcc509a6f75849b"))
}

fn pages() -> [PageAsk; 2] {
    let first = PageAsk::first(PageSize::new(20).unwrap());
    let after = PageAsk {
        after: Some(Cursor::at(now() - TimeDelta::days(10), Uuid::nil())),
        ..first.clone()
    };
    [first, after]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_question_is_answered_through_an_index() {
    let server = server_or_skip!();
    let watched = Watched::filled(&server).await;
    requests(&watched).await;
    lists(&watched).await;
    use_over_time(&watched).await;
    single_rows(&watched).await;
    pruning(&watched).await;
}

async fn requests(watched: &Watched<'_>) {
    let own = Scope::Of(quiet());
    for page in pages() {
        let all = RequestListing {
            key: None,
            only: Only::default(),
            request_id: None,
            from: None,
            to: None,
            page,
        };
        let of_key = RequestListing {
            key: Some(own_key()),
            ..all.clone()
        };
        let rare = RequestListing {
            only: Only {
                endpoint: Some(Endpoint::Xml),
                outcome: Some(Outcome::BankTimeout),
            },
            ..all.clone()
        };
        let one = RequestListing {
            request_id: Some(RequestId::parse("request-77").unwrap()),
            ..all.clone()
        };
        for (scope, ask, index) in [
            (Scope::Everybody, &all, "requests_by_time"),
            (Scope::Everybody, &rare, "requests_by_time"),
            (Scope::Everybody, &of_key, "requests_of_a_key"),
            (Scope::Everybody, &one, "requests_by_request_id"),
            (own, &all, "requests_of_a_customer"),
            (own, &rare, "requests_of_a_customer"),
            (own, &of_key, "requests_of_a_key"),
            (own, &one, "requests_by_request_id"),
        ] {
            let plan = watched.plan(watched.store.requests(scope, ask)).await;
            assert_uses(&plan, index);
        }
    }
}

async fn lists(watched: &Watched<'_>) {
    let store = &watched.store;
    let month = Month::of(now());
    for page in pages() {
        for (scope, order, index) in [
            (Scope::Everybody, KeyOrderBy::Created, "keys_by_time"),
            (Scope::Everybody, KeyOrderBy::Name, "keys_by_name"),
            (
                Scope::Of(quiet()),
                KeyOrderBy::Created,
                "keys_of_a_customer",
            ),
        ] {
            let ask = KeyListing {
                filter: KeyFilter::default(),
                order,
                direction: Direction::Descending,
                page: page.clone(),
            };
            let plan = watched.plan(store.list(scope, month, &ask)).await;
            // The page; how many there are is counted besides, through whatever is smallest.
            let page = plan
                .split("Query Text")
                .find(|part| part.contains("Limit  ("));
            let page = page.unwrap();
            assert_uses(page, index);
        }
        let one_customer = AuditFilter {
            customer: Some(quiet()),
            ..AuditFilter::default()
        };
        let one_key = AuditFilter {
            key: Some(own_key()),
            ..AuditFilter::default()
        };
        for (filter, index) in [
            (AuditFilter::default(), "audit_by_time"),
            (one_customer, "audit_of_a_customer"),
            (one_key, "audit_of_a_key"),
        ] {
            assert_uses(&watched.plan(store.audit(&filter, &page)).await, index);
        }
    }
}

async fn use_over_time(watched: &Watched<'_>) {
    let ask = |granularity, breakdown, key| UsageAsk {
        period: Period::newest(3, granularity, now()).unwrap(),
        breakdown,
        key,
        only: Only::default(),
    };
    let (own, key) = (Scope::Of(quiet()), Some(own_key()));
    for (scope, ask, index) in [
        (
            own,
            ask(Granularity::Hour, Breakdown::Total, None),
            "usage_hours_pkey",
        ),
        (
            own,
            ask(Granularity::Day, Breakdown::Key, None),
            "usage_hours_pkey",
        ),
        (
            own,
            ask(Granularity::Day, Breakdown::Total, None),
            "customer_usage_days",
        ),
        (
            Scope::Everybody,
            ask(Granularity::Hour, Breakdown::Outcome, key),
            "usage_hours_pkey",
        ),
    ] {
        let plan = watched.plan(watched.store.usage(scope, &ask)).await;
        assert_uses(&plan, index);
    }
}

async fn single_rows(watched: &Watched<'_>) {
    let store = &watched.store;
    let month = Month::of(now());
    let prefix = KeyPrefix::parse("cep_live_00000007").unwrap();
    assert_uses(
        &watched.plan(store.credential(&prefix)).await,
        "api_keys_prefix_key",
    );
    assert_uses(&watched.plan(store.credentials(10)).await, "keys_by_time");
    assert_uses(
        &watched.plan(store.snapshot(own_key(), month)).await,
        "monthly_use_pkey",
    );
    let found = store.find(Scope::Everybody, own_key(), month);
    assert_uses(&watched.plan(found).await, "api_keys_pkey");
    let included = RevokedKeys::Included;
    let own = watched.plan(store.of_customer(quiet(), included)).await;
    assert_uses(&own, "keys_of_a_customer");
    assert_uses(&watched.plan(store.due(now())).await, "keys_to_retire");
    let news = watched.plan(store.changes(ChangeNumber(19_990))).await;
    assert_uses(
        news.split("Seq Scan on api_keys").next().unwrap(),
        "key_changes_pkey",
    );
    let fingerprint = Fingerprint("0".repeat(64));
    assert_uses(
        &watched.plan(store.is_denied(&fingerprint)).await,
        "denied_pkey",
    );
    let owner = domain::key::Owner {
        issuer: "https://issuer.example".to_owned(),
        subject: "person 7".to_owned(),
    };
    let customer = watched.plan(store.customer(&owner)).await;
    assert_uses(&customer, "customers_issuer_subject_key");
}

async fn pruning(watched: &Watched<'_>) {
    let old = Retention {
        requests_before: now() - TimeDelta::days(34),
        usage_before: now() - TimeDelta::days(34),
        now: now() + TimeDelta::milliseconds(100),
    };
    let plan = watched.plan(watched.store.prune(old)).await;
    assert_uses(&plan, "requests_by_time");
    for index in [
        "usage_hours_by_time",
        "Tid Scan on requests",
        "denied_by_time",
    ] {
        assert_uses(&plan, index);
    }
}
