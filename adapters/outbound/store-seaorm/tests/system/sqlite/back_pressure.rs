//! Back-pressure: the state of a journal that can't write, so that no request waits in vain.

use std::time::{Duration, Instant};

use ports::outbound::{JournalError, UsageJournal};
use store_seaorm::{Journal, StoreOptions};
use testkit::eventually;

use crate::both::entries::{admission, journal, used};
use crate::sqlite::support::{Folder, impatient, with_journal};

async fn until_it(writer: &Journal, accepts: bool) {
    eventually("accepts", Duration::from_secs(20), async || {
        writer.accepts().is_ok() == accepts
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_accepted_while_the_oldest_batch_has_waited_too_long() {
    let (folder, store, key, writer) = with_journal(impatient()).await;
    let lock = folder.lock().await;
    let asked = Instant::now();
    let receipt = writer.admit(admission(key));
    writer.accepts().expect("it may still be written in time");
    until_it(&writer, false).await;
    assert!(asked.elapsed() >= Duration::from_millis(300));
    let refusal = writer.accepts().unwrap_err();
    assert!(matches!(refusal, JournalError::Store { .. }), "{refusal}");
    assert!(receipt.await.is_err());
    lock.rollback().await.unwrap();
    until_it(&writer, true).await;
    assert_eq!(used(&store, key).await, (1, 0), "what waited is written");
    assert!(writer.trouble().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_shows_whether_an_idle_journal_can_write() {
    let folder = Folder::new();
    let store = folder.open_with(impatient()).await;
    let writer = journal(&store, 1);
    let lock = folder.lock().await;
    writer.accepts().expect("nothing is known yet");
    writer.probe();
    until_it(&writer, false).await;
    writer.probe();
    lock.rollback().await.unwrap();
    until_it(&writer, true).await;
    writer.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_probe_does_not_count_as_unwritten_entries() {
    let folder = Folder::new();
    let store = folder.open_with(impatient()).await;
    let writer = journal(&store, 1);
    let _lock = folder.lock().await;
    writer.probe();
    until_it(&writer, false).await;
    writer.close().await.expect("nothing was lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_or_closed_journal_accepts_nothing() {
    let options = StoreOptions {
        journal_capacity: 3,
        ..impatient()
    };
    let (folder, _store, key, writer) = with_journal(options).await;
    let lock = folder.lock().await;
    let receipts: Vec<_> = (0..3).map(|_| writer.admit(admission(key))).collect();
    assert!(matches!(writer.accepts(), Err(JournalError::Full)));
    lock.rollback().await.unwrap();
    drop(receipts);
    writer.flush().await.unwrap();
    writer.accepts().expect("there is room again");
    writer.close().await.unwrap();
    assert!(matches!(writer.accepts(), Err(JournalError::Closed)));
}
