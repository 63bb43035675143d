//! Metrics of the journal's commits and of the connection pool.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::keys::KeyId;
use futures::FutureExt as _;
use ports::outbound::{KeyStore, UsageJournal};
use store_seaorm::{CommitMetricsSink, StoreOptions};
use testkit::eventually;
use uuid::Uuid;

use crate::both::entries::{add_key, admission};
use crate::sqlite::support::Folder;

/// Metrics sink that records the entries of commits, and the number of failures.
#[derive(Default)]
struct Heard {
    committed: Mutex<Vec<usize>>,
    failed: Mutex<usize>,
}

impl CommitMetricsSink for Heard {
    fn committed(&self, entries: usize, took: Duration) {
        assert!(took > Duration::ZERO);
        self.committed.lock().unwrap().push(entries);
    }

    fn failed(&self) {
        *self.failed.lock().unwrap() += 1;
    }
}

const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn every_commit_attempt_and_the_queue_length_are_reported() {
    let folder = Folder::new();
    let options = StoreOptions {
        busy_timeout: Duration::from_millis(100),
        ..StoreOptions::default()
    };
    let store = folder.open_with(options).await;
    let key = add_key(&store, 1).await;
    let heard = Arc::new(Heard::default());
    let writer = store.journal_with_metrics(Uuid::from_u128(1), heard.clone());
    let lock = folder.lock().await;
    let receipts: Vec<_> = (0..5).map(|_| writer.admit(admission(key))).collect();
    assert_eq!(writer.waiting(), 5);
    let failed = async || *heard.failed.lock().unwrap() > 0;
    eventually("a commit fails", PATIENCE, failed).await;
    assert_eq!(writer.waiting(), 5, "what failed still waits");
    assert!(heard.committed.lock().unwrap().is_empty());
    lock.rollback().await.unwrap();
    for receipt in receipts {
        receipt.await.unwrap();
    }
    assert_eq!(writer.waiting(), 0);
    writer.close().await.unwrap();
    assert_eq!(heard.committed.lock().unwrap().iter().sum::<usize>(), 5);
}

/// Metrics sink with a defect.
struct Defect;

impl CommitMetricsSink for Defect {
    fn committed(&self, _entries: usize, _took: Duration) {
        panic!("a defect");
    }

    fn failed(&self) {}
}

#[tokio::test]
async fn a_journal_whose_writer_panicked_ends_and_reports_unwritten_entries() {
    let folder = Folder::new();
    let store = folder.open().await;
    let writer = store.journal_with_metrics(Uuid::from_u128(1), Arc::new(Defect));
    let healthy = store.journal(Uuid::from_u128(2));
    let receipt = writer.admit(admission(KeyId(Uuid::nil())));
    writer.ended().await;
    writer.close().await.unwrap_err();
    drop(receipt);
    let ended = healthy.ended();
    assert!(ended.now_or_never().is_none());
    let ended = healthy.ended();
    healthy.close().await.unwrap();
    ended.await;
}

#[tokio::test]
async fn the_state_of_the_pool_is_reported() {
    let folder = Folder::new();
    let options = StoreOptions {
        connections: 3,
        ..StoreOptions::default()
    };
    let store = folder.open_with(options).await;
    store.newest_change().await.unwrap();
    // A connection comes back to the pool in a task of its own.
    let rest = async || store.connections().in_use == 0;
    eventually("all connections rest", PATIENCE, rest).await;
    let resting = store.connections();
    assert!((1..=3).contains(&resting.idle), "{resting:?}");
    assert_eq!(resting.max, 3);
}
