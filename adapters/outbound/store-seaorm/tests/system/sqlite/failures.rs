//! A database that is busy, fails, or comes back.

use std::time::{Duration, Instant};

use domain::limits::Limits;
use domain::outcome::Outcome;
use futures::future::join_all;
use ports::outbound::{JournalError, KeyChange, KeyStore, UsageJournal};
use sea_orm::ConnectionTrait;
use store_seaorm::StoreOptions;

use crate::both::entries::{add_key, admission, change, journal, request, revoke, used};
use crate::sqlite::support::{Folder, impatient, keys, with_journal};

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_of_another_process_only_delays_a_write() {
    let (folder, store, key, writer) = with_journal(StoreOptions::default()).await;
    let lock = folder.lock().await;
    let receipt = writer.admit(admission(key));
    let revoking = revoke(&store, key, 2);
    let asked = Instant::now();
    let unlocking = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        lock.rollback().await.unwrap();
    };
    let (receipt, revoked, ()) = tokio::join!(receipt, revoking, unlocking);
    receipt.unwrap();
    revoked.unwrap();
    assert!(asked.elapsed() >= Duration::from_secs(1));
    assert_eq!(used(&store, key).await, (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_never_wait_for_a_writer() {
    let (folder, store, key, _writer) = with_journal(impatient()).await;
    let lock = folder.lock().await;
    assert_eq!(keys(&store).await.unwrap().len(), 1);
    store.newest_change().await.unwrap();
    assert!(revoke(&store, key, 2).await.is_err());
    lock.rollback().await.unwrap();
    revoke(&store, key, 2).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_whose_receipt_timed_out_is_written_once() {
    let (folder, store, key, writer) = with_journal(impatient()).await;
    writer.admit(admission(key)).await.unwrap();
    let lock = folder.lock().await;
    let receipts: Vec<_> = (0..10).map(|_| writer.admit(admission(key))).collect();
    writer.conclude(request(1, key, Outcome::InternalError));
    for receipt in join_all(receipts).await {
        let failed = receipt.unwrap_err();
        assert!(matches!(failed, JournalError::Store { .. }), "{failed}");
        assert!(failed.to_string().contains("locked"), "{failed}");
    }
    assert!(writer.flush().await.is_err());
    lock.rollback().await.unwrap();
    // Entries from now on share a batch behind the one that failed.
    while writer.admit(admission(key)).await.is_err() {}
    writer.flush().await.unwrap();
    let (charged, refunded) = used(&store, key).await;
    assert!((12..20).contains(&charged), "{charged}");
    assert_eq!(refunded, 1);
    assert_eq!(folder.requests().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_was_lost_is_not_repeated() {
    let (folder, store, key, writer) = with_journal(impatient()).await;
    let lock = folder.lock().await;
    let receipt = writer.admit(admission(key));
    assert!(receipt.await.is_err());
    // As if the commit had taken place: its checkpoint is there, and yet it returned an error.
    let mark = "INSERT INTO journal_marks (writer, batch, at) \
                VALUES ('00000000-0000-0000-0000-000000000001', 1, 0)";
    lock.execute_unprepared(mark).await.unwrap();
    lock.commit().await.unwrap();
    writer.close().await.unwrap();
    assert_eq!(used(&store, key).await, (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_journal_refuses_and_still_counts() {
    let options = StoreOptions {
        journal_capacity: 3,
        ..StoreOptions::default()
    };
    let (folder, store, key, writer) = with_journal(options).await;
    let lock = folder.lock().await;
    let mut receipts: Vec<_> = (0..5).map(|_| writer.admit(admission(key))).collect();
    let refused = receipts.split_off(3);
    for receipt in refused {
        let refused = receipt.await.unwrap_err();
        assert!(matches!(refused, JournalError::Full), "{refused}");
    }
    // The application refunds what it has to refuse.
    for id in 1..=2 {
        writer.conclude(request(id, key, Outcome::InternalError));
    }
    lock.rollback().await.unwrap();
    for receipt in join_all(receipts).await {
        receipt.unwrap();
    }
    writer.close().await.unwrap();
    assert_eq!(used(&store, key).await, (5, 2));
    assert_eq!(folder.requests().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_writes_the_queue_and_accepts_no_more() {
    let (folder, store, key, writer) = with_journal(StoreOptions::default()).await;
    let receipts: Vec<_> = (0..500).map(|_| writer.admit(admission(key))).collect();
    for id in 1..=500 {
        writer.conclude(request(id, key, Outcome::Delivered));
    }
    writer.close().await.unwrap();
    assert_eq!(used(&store, key).await, (500, 0));
    assert_eq!(folder.number("SELECT COUNT(*) FROM requests").await, 500);
    for receipt in join_all(receipts).await {
        receipt.unwrap();
    }
    let late = writer.admit(admission(key)).await.unwrap_err();
    assert!(matches!(late, JournalError::Closed), "{late}");
    writer.close().await.unwrap();
    assert_eq!(used(&store, key).await, (500, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_closes_wait_for_the_same_end() {
    let (folder, store, key, writer) = with_journal(StoreOptions::default()).await;
    let lock = folder.lock().await;
    let receipt = writer.admit(admission(key));
    let mut closings = Box::pin(join_all((0..3).map(|_| writer.close())));
    assert!(futures::poll!(&mut closings).is_pending());
    // A caller that stops waiting leaves the closing to the others.
    let mut given_up = Box::pin(writer.close());
    assert!(futures::poll!(&mut given_up).is_pending());
    drop(given_up);
    lock.rollback().await.unwrap();
    for closed in closings.await {
        closed.unwrap();
    }
    receipt.await.unwrap();
    assert_eq!(used(&store, key).await, (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_journal_of_the_same_store_writes_after_one_was_closed() {
    let (_folder, store, key, _writer) = with_journal(StoreOptions::default()).await;
    for process in 1..=3 {
        let writer = journal(&store, process);
        writer.admit(admission(key)).await.unwrap();
        writer.close().await.unwrap();
    }
    assert_eq!(used(&store, key).await, (3, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_reports_trouble_from_the_first_failed_commit_to_the_next_success() {
    let (folder, _store, key, writer) = with_journal(impatient()).await;
    assert!(writer.trouble().is_none());
    let lock = folder.lock().await;
    let receipt = writer.admit(admission(key));
    assert!(receipt.await.is_err());
    let trouble = writer.trouble().unwrap().to_string();
    assert!(trouble.contains("locked"), "{trouble}");
    lock.rollback().await.unwrap();
    writer.flush().await.unwrap();
    assert!(writer.trouble().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_over_a_database_that_fails_ends_with_an_error() {
    let (folder, _store, key, writer) = with_journal(impatient()).await;
    let _lock = folder.lock().await;
    let receipt = writer.admit(admission(key));
    let failed = writer.close().await.unwrap_err();
    assert!(matches!(failed, JournalError::Store { .. }), "{failed}");
    assert!(receipt.await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_sqlite_rolled_back_by_itself_is_retried() {
    let (folder, store, key, writer) = with_journal(StoreOptions::default()).await;
    writer.admit(admission(key)).await.unwrap();
    // SQLite rolls the whole transaction back by itself, as it does when the disk is full.
    let connection = folder.connect().await;
    let sabotage = "CREATE TRIGGER sabotage BEFORE UPDATE ON monthly_use \
                    BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END";
    connection.execute_unprepared(sabotage).await.unwrap();
    let receipt = writer.admit(admission(key));
    let repair = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let repair = "DROP TRIGGER sabotage";
        connection.execute_unprepared(repair).await.unwrap();
    };
    let (receipt, ()) = tokio::join!(receipt, repair);
    receipt.unwrap();
    assert_eq!(used(&store, key).await, (2, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn other_writers_are_not_starved_by_a_busy_journal() {
    let (folder, store, key, writer) = with_journal(StoreOptions::default()).await;
    let busy = tokio::spawn(async move {
        for round in 0_u128.. {
            for id in 0..200 {
                writer.conclude(request(round * 200 + id, key, Outcome::Delivered));
            }
            writer.admit(admission(key)).await.unwrap();
        }
    });
    let other_process = folder.open().await;
    for number in 2..=41_u16 {
        let limits = Limits::new(number.into(), None).unwrap();
        let limits = KeyChange::SetLimits(limits.into());
        let process = [&store, &other_process][usize::from(number % 2)];
        let asked = Instant::now();
        change(process, key, &limits, number).await.unwrap();
        let waited = asked.elapsed();
        assert!(waited < Duration::from_secs(3), "{waited:?}");
    }
    busy.abort();
    let newest = store.newest_change().await.unwrap();
    assert_eq!(newest.0, 41, "with the new key");
}

#[tokio::test(flavor = "multi_thread")]
async fn journals_of_many_processes_add_up() {
    let folder = Folder::new();
    let first = folder.open().await;
    let keys = [add_key(&first, 1).await, add_key(&first, 2).await];
    let processes = (1..=4).map(|process| {
        let folder = &folder;
        async move {
            let store = folder.open().await;
            let writer = journal(&store, process);
            for _ in 0..50 {
                let receipts = keys.map(|key| writer.admit(admission(key)));
                for receipt in join_all(receipts).await {
                    receipt.unwrap();
                }
            }
            writer.close().await.unwrap();
        }
    });
    join_all(processes).await;
    for key in keys {
        assert_eq!(used(&first, key).await, (200, 0));
    }
}
