//! Rows that this program can't have written: they admit no request, and the log names them.

use domain::month::Month;
use ports::contract::fixture::record;
use ports::outbound::{KeyStore, UsageJournal};
use sea_orm::ConnectionTrait;
use store_seaorm::Store;

use crate::sqlite::support::{Folder, add_key, admission, journal, keys, now};

/// A store with one key that was used once, damaged by `sql`.
async fn damaged(folder: &Folder, sql: &str) -> Store {
    let store = folder.open().await;
    let key = add_key(&store, 1).await;
    let journal = journal(&store, 1);
    journal.admit(admission(key)).await.unwrap();
    let damage = folder.connect().await.execute_unprepared(sql).await;
    assert_eq!(damage.unwrap().rows_affected(), 1, "{sql}");
    store
}

#[track_caller]
fn assert_names(error: &impl std::error::Error, places: [&str; 2]) {
    let said = error.to_string();
    for place in places {
        assert!(said.contains(place), "{said:?} doesn't name {place}");
    }
}

#[tokio::test]
async fn damaged_counters_are_an_error_and_never_a_lower_count() {
    for column in ["charged", "refunded"] {
        for value in ["-1", "'many'"] {
            let folder = Folder::new();
            let sql = format!("UPDATE monthly_use SET {column} = {value}");
            let store = damaged(&folder, &sql).await;
            let snapshot = store.snapshot(record(1).key.id, Month::of(now())).await;
            let said = snapshot.expect_err(&sql).to_string();
            assert!(said.contains(column), "{said:?} doesn't name {column}");
        }
    }
}

#[tokio::test]
async fn a_damaged_key_is_an_error_that_names_table_and_column() {
    for (column, value) in [
        ("per_minute", "0"),
        ("per_minute", "-1"),
        ("monthly_quota", "0"),
        ("monthly_quota", "9000000000000000000"),
        ("version", "-1"),
    ] {
        let folder = Folder::new();
        let sql = format!("UPDATE api_keys SET {column} = {value}");
        let store = damaged(&folder, &sql).await;
        let snapshot = store.snapshot(record(1).key.id, Month::of(now())).await;
        assert_names(&snapshot.expect_err(&sql), ["api_keys", column]);
    }
    for (column, value) in [("name", "''"), ("prefix", "'x'")] {
        let folder = Folder::new();
        let sql = format!("UPDATE api_keys SET {column} = {value}");
        let store = damaged(&folder, &sql).await;
        assert_names(&keys(&store).await.expect_err(&sql), ["api_keys", column]);
    }
}

#[tokio::test]
async fn a_damaged_credential_verifies_no_key() {
    for (column, value) in [
        ("hash", "'zz'"),
        ("hash", "printf('%.64d', -1)"),
        ("hash_generation", "65536"),
        ("id", "'x'"),
    ] {
        let folder = Folder::new();
        // The change feed names the key too.
        let sql = format!("PRAGMA foreign_keys = OFF; UPDATE api_keys SET {column} = {value}");
        let store = damaged(&folder, &sql).await;
        let credential = store.credential(&record(1).key.prefix).await;
        assert_names(&credential.expect_err(&sql), ["api_keys", column]);
    }
}
