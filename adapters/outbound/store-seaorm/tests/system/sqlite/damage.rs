//! Rows that this program can't have written: they admit no request, and the log names them.

use domain::audit::AuditFilter;
use domain::month::Month;
use domain::page::{PageRequest, PageSize};
use ports::contract::fixture::record;
use ports::outbound::{AuditLog, KeyStore, UsageJournal};
use sea_orm::ConnectionTrait;
use store_seaorm::{Store, StoreOptions};

use crate::both::entries::{add_key, admission, now};
use crate::sqlite::support::{Folder, keys, with_journal};

/// A store with one key that was used once, and another value in a column.
async fn damaged(table: &str, column: &str, value: &str) -> (Folder, Store) {
    let (folder, store, key, journal) = with_journal(StoreOptions::default()).await;
    journal.admit(admission(key)).await.unwrap();
    // The change feed names the key too.
    let sql = format!("PRAGMA foreign_keys = OFF; UPDATE {table} SET {column} = {value}");
    let damage = folder.connect().await.execute_unprepared(&sql).await;
    assert_eq!(damage.unwrap().rows_affected(), 1, "{sql}");
    (folder, store)
}

#[track_caller]
fn assert_names<const N: usize>(error: &impl std::error::Error, places: [&str; N]) {
    let said = error.to_string();
    for place in places {
        assert!(said.contains(place), "{said:?} doesn't name {place}");
    }
}

#[tokio::test]
async fn damaged_counters_are_an_error_and_never_a_lower_count() {
    for column in ["charged", "refunded"] {
        for value in ["-1", "'many'"] {
            let (_folder, store) = damaged("monthly_use", column, value).await;
            let snapshot = store.snapshot(record(1).key.id, Month::of(now())).await;
            assert_names(&snapshot.unwrap_err(), [column]);
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
        let (_folder, store) = damaged("api_keys", column, value).await;
        let snapshot = store.snapshot(record(1).key.id, Month::of(now())).await;
        assert_names(&snapshot.unwrap_err(), ["api_keys", column]);
    }
    for (column, value) in [("name", "''"), ("prefix", "'x'")] {
        let (_folder, store) = damaged("api_keys", column, value).await;
        assert_names(&keys(&store).await.unwrap_err(), ["api_keys", column]);
    }
}

#[tokio::test]
async fn a_damaged_row_is_left_out_of_a_list_and_the_log_names_it() {
    let (_folder, store) = damaged("api_keys", "name", "''").await;
    let healthy = [add_key(&store, 2).await, add_key(&store, 3).await];
    let (log, _listening) = testkit::log::listen();
    let listed = keys(&store).await.unwrap();
    let mut listed: Vec<_> = listed.into_iter().map(|key| key.id).collect();
    listed.sort_unstable();
    assert_eq!(listed, healthy);
    let logged = log.text();
    let id = record(1).key.id.to_string();
    for place in ["ERROR", "api_keys", "name", &id] {
        assert!(logged.contains(place), "{logged:?} doesn't name {place}");
    }
}

/// An entry that disappeared could hide who did it.
#[tokio::test]
async fn a_damaged_entry_of_the_audit_log_is_an_error_and_never_left_out() {
    let (folder, store) = damaged("api_keys", "name", "'x'").await;
    add_key(&store, 2).await;
    // The database itself refuses it.
    let sql = "DROP TRIGGER audit_log_keeps_what_entries_say; \
               UPDATE audit_log SET action = 'x' WHERE rowid = (SELECT min(rowid) FROM audit_log)";
    let damage = folder.connect().await.execute_unprepared(sql).await;
    assert_eq!(damage.unwrap().rows_affected(), 1);
    let (all, page) = (AuditFilter::default(), PageRequest::first(PageSize::MAX));
    let log = store.audit(&all, &page).await;
    assert_names(&log.unwrap_err(), ["audit_log", "action"]);
}

#[tokio::test]
async fn a_damaged_credential_verifies_no_key() {
    for (column, value) in [
        ("hash", "'zz'"),
        ("hash", "printf('%.64d', -1)"),
        ("hash_generation", "65536"),
        ("id", "'x'"),
    ] {
        let (_folder, store) = damaged("api_keys", column, value).await;
        let credential = store.credential(&record(1).key.prefix).await;
        assert_names(&credential.unwrap_err(), ["api_keys", column]);
    }
}
