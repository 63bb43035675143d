//! Many processes' journals on one database.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::KeyId;
use domain::outcome::Outcome;
use futures::future::join_all;
use ports::outbound::{RequestEntry, UsageJournal};
use store_seaorm::{Journal, Retention, StoreOptions};
use uuid::Uuid;

use crate::both::entries::{admission, endless, journal, now, number, request};
use crate::postgres::server::{TestDatabase, database_or_skip};

/// Writes so many requests as one process, of so many keys in an order of its own, with some in
/// flight.
async fn write(journal: Journal, process: u64, requests: u64, keys: u64) {
    let mut waiting = Vec::new();
    for database in 0..requests {
        let chosen =
            (database * [7, 11, 13][usize::try_from(process % 3).unwrap()] + process) % keys;
        let key = KeyId(Uuid::from_u128(chosen.into()));
        waiting.push(journal.admit(admission(key)));
        let id = u128::from(process * 1_000_000 + database);
        journal.conclude(RequestEntry {
            at: now() - TimeDelta::hours(i64::try_from(database % 3).unwrap()),
            ..request(id, key, Outcome::Delivered)
        });
        if waiting.len() == 500 {
            for receipt in join_all(waiting.drain(..)).await {
                receipt.unwrap();
            }
        }
    }
    for receipt in join_all(waiting).await {
        receipt.unwrap();
    }
    journal.close().await.unwrap();
}

async fn everything_is_counted(database: &TestDatabase, keys: u64, before: Option<DateTime<Utc>>) {
    const PROCESSES: u64 = 3;
    const REQUESTS: u64 = 10_000;
    let options = StoreOptions {
        journal_patience: Duration::from_secs(30),
        ..StoreOptions::default()
    };
    let mut writing = Vec::new();
    for process in 0..PROCESSES {
        let store = database.open_with(options).await;
        let journal = journal(&store, process.into());
        writing.push(tokio::spawn(write(journal, process, REQUESTS, keys)));
    }
    // Meanwhile two tasks prune old rows.
    let pruning = (0..2).map(|_| async {
        let store = database.open().await;
        let before = before.unwrap_or(DateTime::UNIX_EPOCH);
        for _ in 0..10 {
            let old = Retention {
                requests_before: before,
                now: now(),
                ..endless()
            };
            store.prune(old).await.unwrap();
        }
    });
    join_all(pruning).await;
    for written in join_all(writing).await {
        written.unwrap();
    }
    let connection = database.connect().await;
    let all = i64::try_from(PROCESSES * REQUESTS).unwrap();
    for sum in [
        "SELECT SUM(charged)::bigint FROM monthly_use",
        "SELECT SUM(requests)::bigint FROM usage_hours",
        "SELECT SUM(requests)::bigint FROM customer_usage_days",
    ] {
        assert_eq!(number(&connection, sum).await, all, "{sum}");
    }
    if before.is_none() {
        let kept = "SELECT COUNT(*) FROM requests";
        assert_eq!(number(&connection, kept).await, all);
    }
    let log = database.0.server().logged();
    assert!(!log.contains("deadlock"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn journals_of_many_processes_add_up_on_one_key() {
    let database = database_or_skip!(with_server);
    everything_is_counted(&database, 1, None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn journals_of_many_processes_add_up_on_ten_thousand_keys() {
    let database = database_or_skip!(with_server);
    everything_is_counted(&database, 10_000, None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pruning_does_not_hold_up_a_journal() {
    let database = database_or_skip!(with_server);
    let before = now() - TimeDelta::minutes(30);
    everything_is_counted(&database, 50, Some(before)).await;
}
