//! Query plans of an empty database: SQLite has no statistics unless `ANALYZE` runs, and it
//! doesn't.

use domain::audit::AuditFilter;
use domain::keys::{KeyFilter, KeyQuery, KeySort, RevokedKeys};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::Direction;
use domain::request::{RequestId, RequestQuery};
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use ports::contract::fixture::customer;
use ports::outbound::{AuditLog, CustomerStore, KeyStore, Scope, UsageReader};
use sea_orm::{ConnectionTrait as _, Statement};

use super::{RecordingStore, key, newest, now, own, pages};

mod batches;
mod lookups;

#[tokio::test]
async fn requests_are_found_by_the_narrowest_condition_and_never_one_by_one() {
    let recording = RecordingStore::with_keys(2).await;
    let store = &recording.store;
    let failed = RequestCriteria {
        endpoint: Some(Endpoint::Xml),
        outcome: Some(Outcome::InternalError),
    };
    let ([page, _], everybody) = (pages(), Scope::Everybody);
    for criteria in [RequestCriteria::default(), failed] {
        for (from, to) in [(None, None), (Some(now()), Some(now()))] {
            let all = RequestQuery {
                criteria,
                from,
                to,
                ..newest(page.clone())
            };
            let of_key = RequestQuery {
                key: Some(key(1)),
                ..all.clone()
            };
            let one = RequestQuery {
                request_id: RequestId::parse("request-1"),
                ..of_key.clone()
            };
            for (scope, query, way) in [
                (own(), &all, "requests_of_a_customer (customer_id=?"),
                (own(), &of_key, "requests_of_a_key (key_id=?"),
                (everybody, &of_key, "requests_of_a_key (key_id=?"),
                (own(), &one, "requests_by_request_id (request_id=?)"),
                (everybody, &one, "requests_by_request_id (request_id=?)"),
            ] {
                let way = format!("SEARCH requests USING INDEX {way}");
                recording.by(&[&way], store.requests(scope, query)).await;
            }
        }
    }
    let ways = &[
        "SCAN requests USING INDEX requests_by_time",
        // Not all of them are sorted, but those of one millisecond.
        "USE TEMP B-TREE FOR LAST TERM OF ORDER BY",
    ];
    let all = newest(page);
    recording
        .by(ways, store.requests(Scope::Everybody, &all))
        .await;
}

#[tokio::test]
async fn a_page_of_requests_begins_where_the_one_before_ended() {
    let recording = RecordingStore::with_keys(2).await;
    let [_, after] = pages();
    let next = newest(after);
    for (scope, way) in [
        (own(), "(customer_id=? AND at<?)"),
        (Scope::Everybody, "requests_by_time (at<?)"),
    ] {
        let list = recording.store.requests(scope, &next);
        recording.by(&[way], list).await;
    }
}

#[tokio::test]
async fn usage_reads_the_rows_of_its_period_alone() {
    let recording = RecordingStore::with_keys(2).await;
    let plan = async |scope, granularity, breakdown, key, ways: &[&str]| {
        let query = UsageQuery {
            period: Period::newest(24, granularity, now()).unwrap(),
            breakdown,
            key,
            criteria: RequestCriteria::default(),
        };
        let usage = recording.store.usage(scope, &query);
        recording.by(ways, usage).await.1
    };
    let days = "SEARCH customer_usage_days USING PRIMARY KEY (customer_id=? AND day>? AND day<?)";
    let of_all = "customer_usage_days_by_time (day>? AND day<?)";
    let hours = "SEARCH usage_hours USING PRIMARY KEY (key_id=? AND hour>? AND hour<?)";
    let own_keys = "api_keys USING COVERING INDEX keys_of_a_customer (customer_id=?)";
    let all = Scope::Everybody;
    for breakdown in [Breakdown::Total, Breakdown::Outcome, Breakdown::Endpoint] {
        for slots in [Granularity::Day, Granularity::Month] {
            plan(own(), slots, breakdown, None, &[days]).await;
            plan(all, slots, breakdown, None, &[of_all]).await;
        }
        let by_hour = Granularity::Hour;
        plan(own(), by_hour, breakdown, None, &[hours, own_keys]).await;
    }
    for slots in [Granularity::Hour, Granularity::Day] {
        plan(own(), slots, Breakdown::Key, None, &[hours, own_keys]).await;
        plan(all, slots, Breakdown::Key, None, &[hours]).await;
        for scope in [own(), all] {
            let of_key = plan(scope, slots, Breakdown::Outcome, Some(key(1)), &[hours]).await;
            assert!(!of_key.contains("SCAN"), "{of_key}");
        }
    }
}

#[tokio::test]
async fn pages_of_keys_customers_and_entries_are_read_in_their_order() {
    let recording = RecordingStore::with_keys(2).await;
    let (store, month) = (&recording.store, Month::of(now()));
    for page in pages() {
        for (scope, order, index) in [
            (own(), KeySort::Created, "keys_of_a_customer (customer_id=?"),
            (Scope::Everybody, KeySort::Created, "keys_by_time"),
            (Scope::Everybody, KeySort::Name, "keys_by_name"),
        ] {
            let listing = KeyQuery {
                filter: KeyFilter::default(),
                order,
                direction: Direction::Descending,
                page: page.clone(),
            };
            let list = store.list(scope, month, &listing);
            recording.sorted_by(&[index], list).await;
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
            let list = store.audit(&filter, &page);
            recording.sorted_by(&[index], list).await;
        }
        let list = store.customers(None, month, &page);
        recording.by(&["customers_by_time"], list).await;
    }
}

#[tokio::test]
async fn keys_are_found_by_their_customer_their_age_and_their_end() {
    let recording = RecordingStore::with_keys(2).await;
    let (store, [page, _]) = (&recording.store, pages());
    let list = store.of_customer(customer(1).id, RevokedKeys::Included, &page);
    let of_customer = &["keys_of_a_customer (customer_id=?)"];
    recording.sorted_by(of_customer, list).await;
    recording.by(&["keys_by_time"], store.credentials(10)).await;
    let some: Vec<_> = (1..100).map(key).collect();
    let ways = &[
        "SEARCH keys USING INDEX",
        "SEARCH sharing USING INDEX keys_of_a_rotation",
        "(key_id=? AND month=?)",
    ];
    let snapshots = store.snapshots(&some, Month::of(now()));
    recording.by(ways, snapshots).await;
    let due = store.due(now());
    recording.by(&["keys_to_retire (retires_at<?)"], due).await;
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
