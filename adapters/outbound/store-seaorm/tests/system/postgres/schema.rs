//! The schema: migrated by one of several processes, reverted, and checked before anything is
//! served.

use domain::key::KeyBounds;
use futures::future::join_all;
use migrations::{Migrator, MigratorTrait};
use ports::contract::fixture::{act, customer, record_of};
use ports::outbound::{CustomerStore, KeyStore};
use sea_orm::ConnectionTrait;
use store_seaorm::{SchemaError, Store};

use crate::postgres::server::{TestDatabase, database_or_skip};
use crate::postgres::support::{add_key, number};

#[tokio::test(flavor = "multi_thread")]
async fn of_many_concurrent_migrations_one_does_the_work_and_the_others_wait() {
    let database = database_or_skip!(empty);
    let migrating = (0..6).map(|_| {
        let url = database.url();
        tokio::spawn(async move {
            let store = Store::open(&url).await.unwrap();
            store.migrate().await.unwrap();
            assert!(store.is_current().await.unwrap());
            store
        })
    });
    // One after another: keys of the tests are one customer's, with one id.
    for (number, migrated) in (0..).zip(join_all(migrating).await) {
        add_key(&migrated.unwrap(), number).await;
    }
    let connection = database.connect().await;
    assert_eq!(
        number(&connection, "SELECT COUNT(*) FROM seaql_migrations").await,
        i64::try_from(Migrator::migrations().len()).unwrap()
    );
    assert_eq!(
        number(&connection, "SELECT COUNT(*) FROM api_keys").await,
        6
    );
}

#[tokio::test]
async fn an_outdated_schema_is_reported_with_its_missing_migrations_and_not_changed() {
    let database = database_or_skip!(empty);
    let store = database.open().await;
    let behind = store.check_schema().await.unwrap_err();
    let SchemaError::Behind { missing } = &behind else {
        panic!("{behind}");
    };
    assert_eq!(
        missing[..],
        [
            "m0001_keys_and_use",
            "m0002_people_and_usage",
            "m0003_provider_keys",
            "m0004_secret_marks",
            "m0005_drop_provider_keys",
            "m0006_rotated_keys",
            "m0007_replicas",
            "m0008_participant_catalogue",
            "m0009_seals",
            "m0010_seen_proofs",
            "m0011_request_seals",
            "m0012_proof_archive",
            "m0013_lookups",
            "m0014_idempotency",
            "m0015_webhooks",
            "m0016_batches",
            "m0017_lookup_seals",
            "m0018_lookup_findings"
        ]
    );
    assert!(!store.is_current().await.unwrap());
    let tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'public'";
    let connection = database.connect().await;
    assert_eq!(number(&connection, tables).await, 0);

    Migrator::up(&connection, Some(6)).await.unwrap();
    let behind = store.check_schema().await.unwrap_err().to_string();
    assert!(
        behind.ends_with(
            "needs: m0007_replicas, m0008_participant_catalogue, m0009_seals, m0010_seen_proofs, \
             m0011_request_seals, m0012_proof_archive, m0013_lookups, \
             m0014_idempotency, m0015_webhooks, m0016_batches, \
             m0017_lookup_seals, m0018_lookup_findings"
        ),
        "{behind}"
    );
    store.migrate().await.unwrap();
    store.check_schema().await.unwrap();
}

#[tokio::test]
async fn a_schema_of_a_newer_version_is_refused() {
    let database = database_or_skip!();
    let connection = database.connect().await;
    let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)";
    connection.execute_unprepared(newer).await.unwrap();
    let store = database.open().await;
    let ahead = store.check_schema().await.unwrap_err();
    assert!(
        matches!(&ahead, SchemaError::Ahead { unknown } if unknown[..] == ["m9999_later"]),
        "{ahead}"
    );
    for refused in [store.migrate().await, store.is_current().await.map(drop)] {
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("m9999_later"), "{refused}");
    }
}

/// A database as the first version left it: a key of each of two owners.
async fn first_version(database: &TestDatabase) {
    let connection = database.connect().await;
    Migrator::up(&connection, Some(1)).await.unwrap();
    let (hash, id) = ("ab".repeat(32), "00000000-0000-7000-8000-00000000000");
    for number in 1..=2 {
        let owner = &customer(number).owner;
        let key = format!(
            "INSERT INTO api_keys VALUES ('{id}{number}', '{}', '{}', 'caja', \
             'cep_live_Older00{number}', 'live', '{hash}', 1, 60, 1000, {number}, NULL, 1)",
            owner.issuer, owner.subject
        );
        connection.execute_unprepared(&key).await.unwrap();
        let request = format!(
            "INSERT INTO requests VALUES ('{number}', 'request', '{id}{number}', 'xml', \
             'delivered', NULL, NULL, 1795262400000, 7, NULL)"
        );
        connection.execute_unprepared(&request).await.unwrap();
    }
}

#[tokio::test]
async fn an_upgraded_database_of_the_first_version_works_as_a_new_one() {
    let database = database_or_skip!(empty);
    first_version(&database).await;
    let store = database.open().await;
    store.migrate().await.unwrap();
    for number in 1..=2 {
        let known = store
            .customer(&customer(number).owner)
            .await
            .unwrap()
            .unwrap();
        let new = record_of(&known, number);
        store
            .insert(new, KeyBounds::Unbounded, &act(number))
            .await
            .unwrap();
    }
    let connection = database.connect().await;
    let counted = "SELECT SUM(requests + h03)::bigint FROM customer_usage_days";
    assert_eq!(number(&connection, counted).await, 4);
}

#[tokio::test]
async fn a_table_of_provider_keys_that_an_earlier_version_filled_is_dropped() {
    let database = database_or_skip!(empty);
    let connection = database.connect().await;
    Migrator::up(&connection, Some(4)).await.unwrap();
    let filled =
        "INSERT INTO provider_keys VALUES ('https://issuer.example', 1, 1, 7, NULL, '{}', 1, 7)";
    connection.execute_unprepared(filled).await.unwrap();
    let store = database.open().await;
    store.migrate().await.unwrap();
    store.check_schema().await.unwrap();
    let tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'public' \
         AND table_name = 'provider_keys'";
    assert_eq!(number(&connection, tables).await, 0);
}

#[tokio::test]
async fn migrations_can_be_reverted_and_applied_again() {
    let database = database_or_skip!(empty);
    first_version(&database).await;
    let connection = database.connect().await;
    let later = u32::try_from(Migrator::migrations().len() - 1).unwrap();
    for _ in 0..2 {
        Migrator::up(&connection, None).await.unwrap();
        Migrator::down(&connection, Some(later)).await.unwrap();
    }
    let owners = "SELECT COUNT(DISTINCT owner_subject) FROM api_keys";
    assert_eq!(number(&connection, owners).await, 2);
    Migrator::down(&connection, None).await.unwrap();
}

#[tokio::test]
async fn every_text_is_compared_byte_by_byte() {
    let database = database_or_skip!();
    let connection = database.connect().await;
    let columns = "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'public' \
         AND data_type = 'text' AND collation_name IS DISTINCT FROM ";
    assert_eq!(number(&connection, &format!("{columns} 'C'")).await, 0);
    assert!(number(&connection, &format!("{columns} 'none'")).await > 20);
}

#[tokio::test]
async fn the_server_keeps_entries_of_the_log_from_being_changed_and_removed() {
    let database = database_or_skip!();
    add_key(&database.open().await, 1).await;
    let connection = database.connect().await;
    for tampering in [
        "UPDATE audit_log SET actor_subject = 'somebody else'",
        "DELETE FROM audit_log WHERE key_id IS NOT NULL",
        "TRUNCATE audit_log",
        "INSERT INTO audit_log SELECT * FROM audit_log ON CONFLICT (id) DO UPDATE SET at = 0",
    ] {
        let refused = connection.execute_unprepared(tampering).await;
        let refused = refused.expect_err(tampering).to_string();
        assert!(refused.contains("append-only"), "{tampering}: {refused}");
    }
    let untouched = "SELECT COUNT(*) FROM audit_log WHERE actor_subject = 'actor-1' AND at > 0";
    assert_eq!(number(&connection, untouched).await, 1);
}
