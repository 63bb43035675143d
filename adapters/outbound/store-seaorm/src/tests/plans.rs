//! Query plans of an empty database: SQLite has no statistics unless `ANALYZE` runs, and it
//! doesn't.

use domain::audit::AuditFilter;
use domain::key::{KeyFilter, KeyQuery, KeySort, RevokedKeys};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Cursor, Direction, PageRequest};
use domain::request::{RequestId, RequestQuery};
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use ports::contract::fixture::customer;
use ports::outbound::{AuditLog, CustomerStore, KeyStore, Scope, UsageReader};
use sea_orm::{ConnectionTrait as _, Statement};

use super::{RecordingStore, key, now, own, twenty};

mod batches;
mod lookups;

#[track_caller]
fn assert_uses(plan: &str, way: &str) {
    assert!(plan.contains(way), "not by {way}:\n{plan}");
}

fn newest() -> RequestQuery {
    RequestQuery {
        key: None,
        criteria: RequestCriteria::default(),
        request_id: None,
        from: None,
        to: None,
        page: twenty(),
    }
}

#[tokio::test]
async fn requests_are_found_by_the_narrowest_condition_and_never_one_by_one() {
    let recording = RecordingStore::with_keys(2).await;
    let plan = async |scope, query| {
        recording.store.requests(scope, &query).await.unwrap();
        recording.plan().await
    };
    let failed = RequestCriteria {
        endpoint: Some(Endpoint::Xml),
        outcome: Some(Outcome::InternalError),
    };
    let of_customer = "SEARCH requests USING INDEX requests_of_a_customer (customer_id=?";
    let of_key = "SEARCH requests USING INDEX requests_of_a_key (key_id=?";
    let by_id = "SEARCH requests USING INDEX requests_by_request_id (request_id=?)";
    for criteria in [RequestCriteria::default(), failed] {
        for (from, to) in [(None, None), (Some(now()), Some(now()))] {
            let newest = || RequestQuery {
                criteria,
                from,
                to,
                ..newest()
            };
            assert_uses(&plan(own(), newest()).await, of_customer);
            for scope in [own(), Scope::Everybody] {
                let of_one_key = || RequestQuery {
                    key: Some(key(1)),
                    ..newest()
                };
                assert_uses(&plan(scope, of_one_key()).await, of_key);
                let one = RequestQuery {
                    request_id: RequestId::parse("request-1"),
                    ..of_one_key()
                };
                assert_uses(&plan(scope, one).await, by_id);
            }
        }
    }
    let all = plan(Scope::Everybody, newest()).await;
    assert_uses(&all, "SCAN requests USING INDEX requests_by_time");
    // Not all of them are sorted, but those of one millisecond.
    assert_uses(&all, "USE TEMP B-TREE FOR LAST TERM OF ORDER BY");
}

#[tokio::test]
async fn a_page_of_requests_begins_where_the_one_before_ended() {
    let recording = RecordingStore::with_keys(2).await;
    let next = RequestQuery {
        page: PageRequest {
            after: Some(Cursor::at(now(), key(1).0)),
            ..twenty()
        },
        ..newest()
    };
    recording.store.requests(own(), &next).await.unwrap();
    assert_uses(&recording.plan().await, "(customer_id=? AND at<?)");
    recording
        .store
        .requests(Scope::Everybody, &next)
        .await
        .unwrap();
    assert_uses(&recording.plan().await, "requests_by_time (at<?)");
}

#[tokio::test]
async fn usage_reads_the_rows_of_its_period_alone() {
    let recording = RecordingStore::with_keys(2).await;
    let plan = async |scope, granularity, breakdown, key| {
        let query = UsageQuery {
            period: Period::newest(24, granularity, now()).unwrap(),
            breakdown,
            key,
            criteria: RequestCriteria::default(),
        };
        recording.store.usage(scope, &query).await.unwrap();
        recording.plan().await
    };
    let days = "SEARCH customer_usage_days USING PRIMARY KEY (customer_id=? AND day>? AND day<?)";
    let of_all = "customer_usage_days_by_time (day>? AND day<?)";
    let hours = "SEARCH usage_hours USING PRIMARY KEY (key_id=? AND hour>? AND hour<?)";
    let own_keys = "api_keys USING COVERING INDEX keys_of_a_customer (customer_id=?)";
    for breakdown in [Breakdown::Total, Breakdown::Outcome, Breakdown::Endpoint] {
        for slots in [Granularity::Day, Granularity::Month] {
            assert_uses(&plan(own(), slots, breakdown, None).await, days);
            assert_uses(
                &plan(Scope::Everybody, slots, breakdown, None).await,
                of_all,
            );
        }
        let by_hour = plan(own(), Granularity::Hour, breakdown, None).await;
        assert_uses(&by_hour, hours);
        assert_uses(&by_hour, own_keys);
    }
    for slots in [Granularity::Hour, Granularity::Day] {
        let by_key = plan(own(), slots, Breakdown::Key, None).await;
        assert_uses(&by_key, hours);
        assert_uses(&by_key, own_keys);
        let of_all = plan(Scope::Everybody, slots, Breakdown::Key, None).await;
        assert_uses(&of_all, hours);
        for scope in [own(), Scope::Everybody] {
            let of_key = plan(scope, slots, Breakdown::Outcome, Some(key(1))).await;
            assert_uses(&of_key, hours);
            assert!(!of_key.contains("SCAN"), "{of_key}");
        }
    }
}

#[tokio::test]
async fn pages_of_keys_customers_and_entries_are_read_in_their_order() {
    let recording = RecordingStore::with_keys(2).await;
    let (store, month) = (&recording.store, Month::of(now()));
    let after = PageRequest {
        after: Some(Cursor::at(now(), key(1).0)),
        ..twenty()
    };
    let listing = |order, page: &PageRequest| KeyQuery {
        filter: KeyFilter::default(),
        order,
        direction: Direction::Descending,
        page: page.clone(),
    };
    for page in [&twenty(), &after] {
        let created = listing(KeySort::Created, page);
        let name = listing(KeySort::Name, page);
        for (scope, listing, index) in [
            (own(), &created, "keys_of_a_customer (customer_id=?"),
            (Scope::Everybody, &created, "keys_by_time"),
            (Scope::Everybody, &name, "keys_by_name"),
        ] {
            store.list(scope, month, listing).await.unwrap();
            let plan = recording.plan().await;
            assert_uses(&plan, index);
            assert!(!plan.contains("ORDER BY"), "sorted: {plan}");
        }
        let one_customer = AuditFilter {
            customer: Some(customer(1).id),
            ..AuditFilter::default()
        };
        let one_key = AuditFilter {
            key: Some(key(1)),
            ..AuditFilter::default()
        };
        for (filter, index) in [
            (AuditFilter::default(), "audit_by_time"),
            (one_customer, "audit_of_a_customer (customer_id=?"),
            (one_key, "audit_of_a_key (key_id=?"),
        ] {
            store.audit(&filter, page).await.unwrap();
            let plan = recording.plan().await;
            assert_uses(&plan, index);
            assert!(!plan.contains("ORDER BY"), "sorted: {plan}");
        }
        store.customers(None, month, page).await.unwrap();
        assert_uses(&recording.plan().await, "customers_by_time");
    }
}

#[tokio::test]
async fn keys_are_found_by_their_customer_their_age_and_their_end() {
    let recording = RecordingStore::with_keys(2).await;
    let store = &recording.store;
    let included = RevokedKeys::Included;
    store
        .of_customer(customer(1).id, included, &twenty())
        .await
        .unwrap();
    let plan = recording.plan().await;
    assert_uses(&plan, "keys_of_a_customer (customer_id=?)");
    assert!(!plan.contains("ORDER BY"), "sorted: {plan}");
    store.credentials(10).await.unwrap();
    assert_uses(&recording.plan().await, "keys_by_time");
    let some: Vec<_> = (1..100).map(key).collect();
    store.snapshots(&some, Month::of(now())).await.unwrap();
    let plan = recording.plan().await;
    assert_uses(&plan, "SEARCH keys USING INDEX");
    assert_uses(&plan, "SEARCH sharing USING INDEX keys_of_a_rotation");
    assert_uses(&plan, "(key_id=? AND month=?)");
    store.due(now()).await.unwrap();
    assert_uses(&recording.plan().await, "keys_to_retire (retires_at<?)");
}

/// Otherwise almost each statement is planned again for the values that are bound to it: `.cargo/config.toml`.
#[tokio::test]
async fn sqlite_keeps_the_plan_of_a_statement_whatever_is_bound_to_it() {
    let store = RecordingStore::with_keys(1).await.unrecorded;
    let connection = &store.connection;
    let options = "SELECT compile_options FROM pragma_compile_options";
    let options = Statement::from_string(connection.get_database_backend(), options);
    let options = connection.query_all_raw(options).await.unwrap();
    let mut options = options.iter();
    assert!(options.any(|row| row.try_get_by_index::<String>(0).unwrap() == "ENABLE_QPSG"));
}
