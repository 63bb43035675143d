//! The audit log is immutable, and no mutation takes place without its entry.

use chrono::TimeDelta;
use domain::keys::{KeyBounds, KeyOverview};
use domain::limits::{Limits, Plan};
use domain::month::Month;
use domain::people::customer::ExistingKeys;
use ports::contract::fixture::{act, customer, record};
use ports::outbound::{ChangeNumber, CustomerStore, KeyChange, KeyStore, Scope};
use sea_orm::ConnectionTrait;
use store_seaorm::Store;

use crate::both::entries::{add_key, assert_log_is_kept, now, successor};
use crate::sqlite::support::{Folder, keys};

#[tokio::test]
async fn the_database_keeps_entries_from_being_changed_and_removed() {
    let folder = Folder::new();
    let store = folder.open().await;
    add_key(&store, 1).await;
    let tamperings = &[
        "UPDATE audit_log SET actor_subject = 'somebody else'",
        "UPDATE audit_log SET id = 'x'",
        "DELETE FROM audit_log",
        "DELETE FROM audit_log WHERE key_id IS NOT NULL",
        "INSERT OR REPLACE INTO audit_log SELECT id, 0, '', '', action, '', '', '', '' \
         FROM audit_log",
        "INSERT INTO audit_log SELECT * FROM audit_log WHERE TRUE \
         ON CONFLICT (id) DO UPDATE SET at = 0",
    ];
    assert_log_is_kept(&folder.connect().await, tamperings, &["the audit log"]).await;
}

/// The contents of every table that a mutation could have changed.
async fn everything(folder: &Folder, store: &Store) -> (Vec<KeyOverview>, ChangeNumber, i64) {
    let mut found = Vec::new();
    for key in keys(store).await.unwrap() {
        let key = store.find(Scope::Everybody, key.id, Month::of(now())).await;
        found.push(key.unwrap().unwrap());
    }
    let plans = "SELECT COUNT(*) FROM customers WHERE plan = 'startup'";
    let newest = store.newest_change().await.unwrap();
    (found, newest, folder.number(plans).await)
}

#[tokio::test]
async fn a_mutation_whose_entry_cannot_be_written_is_rolled_back() {
    let folder = Folder::new();
    let store = folder.open().await;
    let key = add_key(&store, 1).await;
    let before = everything(&folder, &store).await;
    let connection = folder.connect().await;
    let sabotage = "CREATE TRIGGER sabotage BEFORE INSERT ON audit_log \
                    BEGIN SELECT RAISE(ABORT, 'no entry today'); END";
    connection.execute_unprepared(sabotage).await.unwrap();

    let mut refused = Vec::new();
    let limits = Limits::new(1, None).unwrap();
    let name = record(2).key.name;
    let act = act(2);
    for change in [
        KeyChange::Revoke,
        KeyChange::Rename(name),
        KeyChange::SetLimits(limits.into()),
    ] {
        let changed = store.change(Scope::Everybody, key, &change, &act).await;
        refused.push(changed.unwrap_err().to_string());
    }
    let (scope, bounds) = (Scope::Everybody, KeyBounds::Unbounded);
    let inserted = store.insert(record(2), bounds, &act).await;
    refused.push(inserted.unwrap_err().to_string());
    let new = successor(3);
    for retires_at in [act.at, now() + TimeDelta::days(1)] {
        let rotated = store.rotate(scope, key, &new, retires_at, bounds, &act);
        refused.push(rotated.await.unwrap_err().to_string());
    }
    let (own, plan, existing) = (customer(1).id, Plan::Enterprise, ExistingKeys::Follow);
    let planned = store.set_plan(own, plan, existing, &act).await;
    refused.push(planned.unwrap_err().to_string());
    for refused in refused {
        assert!(refused.contains("no entry today"), "{refused}");
    }
    assert_eq!(everything(&folder, &store).await, before);

    // And the connections still work.
    let repair = "DROP TRIGGER sabotage";
    connection.execute_unprepared(repair).await.unwrap();
    add_key(&store, 2).await;
}
