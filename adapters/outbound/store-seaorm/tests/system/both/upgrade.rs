//! Databases of earlier and later versions: migrated to the newest schema and back, or refused.

use std::time::Duration;

use domain::audit::AuditFilter;
use domain::keys::{ApiKey, KeyId, KeyPrefix, RevokedKeys};
use domain::latency::Latencies;
use domain::limits::Plan;
use domain::outcome::Outcome;
use domain::page::{PageRequest, PageSize};
use domain::people::customer::{CustomerId, Owner};
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use migrations::{Migrator, MigratorTrait};
use ports::contract::fixture::{act, record_of};
use ports::outbound::{
    AuditLog, Change, ChangeNumber, CustomerStore, KeyStore, Scope, UsageReader,
};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use store_seaorm::{SchemaError, Store};
use uuid::Uuid;

use crate::both::entries::{insert, newest, now, number, revoke};

const NOON: i64 = 1_795_262_400_000;

/// A database of the first version: three keys of two owners, one of them revoked, and requests of
/// them and of a key that doesn't exist.
async fn first_version(url: &str) -> DatabaseConnection {
    let connection = of_version(url, 1).await;
    let hash = "ab".repeat(32);
    for (number, subject, revoked) in [(1, "ana", "NULL"), (2, "beto", "NULL"), (3, "ana", "7")] {
        let (id, prefix) = (key(number), prefix(number));
        let row = format!(
            "INSERT INTO api_keys VALUES ('{id}', 'https://issuer.example', '{subject}', \
             'caja {number}', '{prefix}', 'live', '{hash}', 1, 60, 1000, {NOON} + {number}, \
             {revoked}, 4)"
        );
        run(&connection, &row).await;
    }
    let change = "INSERT INTO key_changes VALUES (1, '00000000-0000-7000-8000-000000000003')";
    run(&connection, change).await;
    run(&connection, "UPDATE newest_key_change SET number = 1").await;
    for (number, of, outcome, duration) in [
        (1, 1, "delivered", 0),
        (2, 1, "delivered", 1),
        (3, 3, "bank_timeout", 25_000),
        (4, 2, "delivered", 16_384),
        (5, 2, "rate_limited", 1),
        (6, 9, "delivered", 16_383),
    ] {
        let (id, of) = (Uuid::from_u128(number), key(of));
        let row = format!(
            "INSERT INTO requests VALUES ('{id}', 'request-{number}', '{of}', 'xml', \
             '{outcome}', NULL, NULL, {NOON} + {number}, {duration}, NULL)"
        );
        run(&connection, &row).await;
    }
    connection
}

/// A database of an earlier version without rows.
async fn of_version(url: &str, migrations: u32) -> DatabaseConnection {
    let store = Store::open(url).await.unwrap();
    store.close().await.unwrap();
    let connection = Database::connect(url).await.unwrap();
    let migrated = Migrator::up(&connection, Some(migrations));
    migrated.await.unwrap();
    connection
}

/// A store on a database that is migrated first.
async fn migrated(url: &str) -> Store {
    let store = Store::open(url).await.unwrap();
    store.migrate().await.unwrap();
    assert!(store.is_current().await.unwrap());
    store
}

fn key(number: u128) -> KeyId {
    KeyId(Uuid::from_u128(0x7000_8000_0000_0000_0000 + number))
}

fn prefix(number: u128) -> String {
    format!("cep_live_Older{number:03}")
}

async fn run(connection: &DatabaseConnection, sql: &str) {
    connection.execute_unprepared(sql).await.unwrap();
}

/// The keys of a customer, newest first.
async fn keys(store: &Store, customer: CustomerId) -> Vec<ApiKey> {
    let first = PageRequest::first(PageSize::MAX);
    let page = store.of_customer(customer, RevokedKeys::Included, &first);
    let items = page.await.unwrap().items.into_iter();
    items.map(|(_, key)| key).collect()
}

fn owner(subject: &str) -> Owner {
    Owner {
        issuer: "https://issuer.example".to_owned(),
        subject: subject.to_owned(),
    }
}

/// Requests of one day by outcome, with their latencies in milliseconds.
async fn day(store: &Store, scope: Scope, breakdown: Breakdown) -> Vec<(Outcome, u64, Latencies)> {
    let ask = UsageQuery {
        period: Period::newest(1, Granularity::Day, now()).unwrap(),
        breakdown,
        key: None,
        criteria: RequestCriteria::default(),
    };
    let mut rows = store.usage(scope, &ask).await.unwrap();
    rows.sort_by_key(|row| row.outcome.name());
    let rows = rows.into_iter();
    rows.map(|row| (row.outcome, row.requests, row.latencies))
        .collect()
}

fn latencies(millis: &[u64]) -> Latencies {
    let mut latencies = Latencies::default();
    for millis in millis {
        latencies.record(Duration::from_millis(*millis));
    }
    latencies
}

pub(crate) async fn owners_of_keys_become_customers_and_keep_their_keys(url: &str) {
    first_version(url).await;
    let store = migrated(url).await;
    let ana = store.customer(&owner("ana")).await.unwrap().unwrap();
    let beto = store.customer(&owner("beto")).await.unwrap().unwrap();
    assert_ne!(ana.id, beto.id);
    assert_eq!(ana.created_at.timestamp_millis(), NOON + 1);
    assert_eq!(ana.plan, Plan::Startup);

    let (own, betos) = (keys(&store, ana.id).await, keys(&store, beto.id).await);
    assert_eq!([own[0].id, own[1].id], [key(3), key(1)]);
    assert_eq!(own[0].owner, owner("ana"));
    assert_eq!(own[0].revoked_at.unwrap().timestamp_millis(), 7);
    assert_eq!((own[1].revoked_at, own[1].retires_at), (None, None));
    assert_eq!(betos[0].name.as_str(), "caja 2");
    let credential = store.credential(&own_prefix(2)).await.unwrap().unwrap();
    assert_eq!((credential.id, credential.customer), (key(2), beto.id));
    let changes = store.changes(ChangeNumber(0)).await.unwrap();
    let Change {
        credential, state, ..
    } = &changes[0];
    assert_eq!((credential.id, state.version), (key(3), 4));
}

fn own_prefix(number: u128) -> KeyPrefix {
    KeyPrefix::parse(&prefix(number)).unwrap()
}

pub(crate) async fn stored_requests_get_a_customer_and_are_counted(url: &str) {
    first_version(url).await;
    let store = migrated(url).await;
    let ana = store.customer(&owner("ana")).await.unwrap().unwrap();
    let beto = store.customer(&owner("beto")).await.unwrap().unwrap();
    let of = async |scope| {
        let page = store.requests(scope, &newest()).await.unwrap();
        let ids = page
            .items
            .into_iter()
            .map(|(_, request)| request.request_id);
        ids.map(|id| id.to_string()).collect::<Vec<_>>()
    };
    let anas = of(Scope::Of(ana.id)).await;
    assert_eq!(anas, ["request-3", "request-2", "request-1"]);
    assert_eq!(of(Scope::Of(beto.id)).await, ["request-5", "request-4"]);
    assert_eq!(of(Scope::Everybody).await.len(), 6);
    let all = store.requests(Scope::Everybody, &newest()).await.unwrap();
    assert!(all.items.iter().all(|(_, request)| request.seal.is_none()));

    let (delivered, timeout) = (Outcome::Delivered, Outcome::BankTimeout);
    for breakdown in [Breakdown::Total, Breakdown::Outcome] {
        let counted = day(&store, Scope::Of(ana.id), breakdown).await;
        let timeouts = (timeout, 1, latencies(&[25_000]));
        assert_eq!(counted, [timeouts, (delivered, 2, latencies(&[0, 1]))]);
    }
    let refused = (Outcome::RateLimited, 1, Latencies::default());
    let delivered = (delivered, 1, latencies(&[16_384]));
    // The breakdown by key reads the hours, the others the days: both were counted.
    for breakdown in [Breakdown::Key, Breakdown::Total] {
        let counted = day(&store, Scope::Of(beto.id), breakdown).await;
        assert_eq!(counted, [delivered, refused], "{breakdown:?}");
    }
}

pub(crate) async fn an_upgraded_database_works_as_a_new_one(url: &str) {
    first_version(url).await;
    let store = migrated(url).await;
    let revoked = revoke(&store, key(1), 1).await.unwrap();
    assert_eq!(revoked.revoked_at, Some(act(1).at));
    let (all, page) = (AuditFilter::default(), PageRequest::first(PageSize::MAX));
    let log = store.audit(&all, &page).await.unwrap();
    assert_eq!(log.items[0].1.key, Some(key(1)));
    let ana = store.customer(&owner("ana")).await.unwrap().unwrap();
    insert(&store, record_of(&ana, 1), 2).await;
    assert_eq!(keys(&store, ana.id).await.len(), 3);
}

pub(crate) async fn a_table_of_provider_keys_that_an_earlier_version_filled_is_dropped(url: &str) {
    let connection = of_version(url, 4).await;
    let filled =
        "INSERT INTO provider_keys VALUES ('https://issuer.example', 1, 1, 7, NULL, '{}', 1, 7)";
    run(&connection, filled).await;
    migrated(url).await;
    let read = connection.execute_unprepared("SELECT * FROM provider_keys");
    let missing = read.await.unwrap_err().to_string();
    assert!(missing.contains("provider_keys"), "{missing}");
}

pub(crate) async fn migrations_can_be_reverted_and_applied_again(url: &str) {
    let connection = first_version(url).await;
    let later = u32::try_from(Migrator::migrations().len() - 1).unwrap();
    for _ in 0..2 {
        Migrator::up(&connection, None).await.unwrap();
        Migrator::down(&connection, Some(later)).await.unwrap();
    }
    let owners = "SELECT COUNT(DISTINCT owner_subject) FROM api_keys WHERE owner_issuer <> ''";
    assert_eq!(number(&connection, owners).await, 2);
    let keys = "SELECT COUNT(*) FROM api_keys";
    migrated(url).await;
    assert_eq!(number(&connection, keys).await, 3);
    Migrator::down(&connection, None).await.unwrap();
}

pub(crate) async fn a_schema_of_a_newer_version_is_refused(url: &str) {
    let store = migrated(url).await;
    let connection = Database::connect(url).await.unwrap();
    let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)";
    run(&connection, newer).await;
    let ahead = store.check_schema().await.unwrap_err();
    let names_it =
        matches!(&ahead, SchemaError::Ahead { unknown } if unknown[..] == ["m9999_later"]);
    assert!(names_it, "{ahead}");
    for refused in [store.migrate().await, store.is_current().await.map(drop)] {
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("m9999_later"), "{refused}");
    }
}
