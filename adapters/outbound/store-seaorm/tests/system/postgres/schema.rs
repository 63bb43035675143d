//! The schema: migrated by one of several processes, and checked before anything is served.

use futures::future::join_all;
use migrations::{Migrator, MigratorTrait};
use store_seaorm::{SchemaError, Store};

use crate::both::entries::{add_key, assert_log_is_kept, number};
use crate::postgres::server::database_or_skip;

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
    let migrations = i64::try_from(Migrator::migrations().len()).unwrap();
    for (table, rows) in [("seaql_migrations", migrations), ("api_keys", 6)] {
        let counted = format!("SELECT COUNT(*) FROM {table}");
        assert_eq!(number(&connection, &counted).await, rows, "{table}");
    }
}

#[tokio::test]
async fn an_outdated_schema_is_reported_with_its_missing_migrations_and_not_changed() {
    let database = database_or_skip!(empty);
    let store = database.open().await;
    let behind = store.check_schema().await.unwrap_err();
    let SchemaError::Behind { missing } = behind else {
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
            "m0018_lookup_findings",
            "m0019_session_ends",
            "m0020_erasure_time",
            "m0021_own_accounts",
        ]
    );
    assert!(!store.is_current().await.unwrap());
    let tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'public'";
    let connection = database.connect().await;
    assert_eq!(number(&connection, tables).await, 0);

    Migrator::up(&connection, Some(6)).await.unwrap();
    let behind = store.check_schema().await.unwrap_err().to_string();
    let expected = format!("needs: {}", missing[6..].join(", "));
    assert!(behind.ends_with(&expected), "{behind}");
    store.migrate().await.unwrap();
    store.check_schema().await.unwrap();
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
    let tamperings = &[
        "UPDATE audit_log SET actor_subject = 'somebody else'",
        "DELETE FROM audit_log WHERE key_id IS NOT NULL",
        "TRUNCATE audit_log",
        "INSERT INTO audit_log SELECT * FROM audit_log ON CONFLICT (id) DO UPDATE SET at = 0",
    ];
    assert_log_is_kept(&database.connect().await, tamperings, &["append-only"]).await;
}
