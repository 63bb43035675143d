//! Requests that a limit refused: counted in the statistics, and not stored.

use std::time::{Duration, Instant};

use domain::outcome::{Endpoint, Outcome};
use ports::outbound::{RefusalEntry, UsageJournal};
use store_seaorm::StoreOptions;
use testkit::eventually;

use crate::both::entries::{admission, request, used};
use crate::sqlite::support::{impatient, refusal, with_journal};

const COUNTED: &str = "SELECT COALESCE(SUM(requests), 0) FROM usage_hours \
                       WHERE outcome = 'rate_limited'";
/// Number of written batches.
const BATCHES: &str = "SELECT COALESCE(MAX(batch), 0) FROM journal_marks";

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_refusals_is_one_row_and_few_commits() {
    let options = StoreOptions {
        journal_capacity: 3,
        ..StoreOptions::default()
    };
    let (folder, store, key, writer) = with_journal(options).await;
    let started = Instant::now();
    for _ in 0..100_000 {
        writer.refuse(refusal(key));
    }
    writer.flush().await.unwrap();
    let seconds = i64::try_from(started.elapsed().as_secs()).unwrap();
    assert_eq!(folder.number(COUNTED).await, 100_000);
    let days = "SELECT requests FROM customer_usage_days";
    assert_eq!(folder.number(days).await, 100_000);
    let batches = folder.number(BATCHES).await;
    assert!(batches <= 1 + seconds, "{batches} in {seconds} s");
    assert_eq!(used(&store, key).await, (0, 0));
    assert_eq!(folder.requests().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_alone_are_written_within_a_while() {
    let (folder, _store, key, writer) = with_journal(StoreOptions::default()).await;
    writer.refuse(refusal(key));
    let asked = Instant::now();
    while folder.number(COUNTED).await == 0 {
        assert!(asked.elapsed() < Duration::from_secs(10), "never written");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admission_does_not_wait_for_refusals_before_it() {
    let (folder, store, key, writer) = with_journal(StoreOptions::default()).await;
    let asked = Instant::now();
    for _ in 0..20 {
        writer.refuse(refusal(key));
        writer.admit(admission(key)).await.unwrap();
    }
    let waited = asked.elapsed();
    assert!(waited < Duration::from_secs(10), "{waited:?}");
    assert_eq!(used(&store, key).await, (20, 0));
    writer.close().await.unwrap();
    assert_eq!(folder.number(COUNTED).await, 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_journal_counts_the_refusals_that_need_no_room() {
    let options = StoreOptions {
        journal_capacity: 2,
        busy_timeout: Duration::from_millis(100),
        ..StoreOptions::default()
    };
    let (folder, _store, key, writer) = with_journal(options).await;
    let lock = folder.lock().await;
    let receipt = writer.admit(admission(key));
    // Once that fails, new entries wait behind it, in a batch of their own.
    let in_trouble = async || writer.trouble().is_some();
    eventually("it fails", Duration::from_secs(20), in_trouble).await;
    writer.refuse(refusal(key));
    writer.refuse(RefusalEntry {
        endpoint: Endpoint::Pdf,
        ..refusal(key)
    });
    writer.refuse(refusal(key));
    lock.rollback().await.unwrap();
    receipt.await.unwrap();
    writer.close().await.unwrap();
    assert_eq!(folder.number(COUNTED).await, 2);
    writer.refuse(refusal(key));
    assert_eq!(folder.number(COUNTED).await, 2, "nothing is taken any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_was_lost_is_not_counted_twice() {
    let (folder, _store, key, writer) = with_journal(impatient()).await;
    let lock = folder.lock().await;
    writer.conclude(request(1, key, Outcome::Delivered));
    assert!(writer.flush().await.is_err());
    lock.rollback().await.unwrap();
    writer.close().await.unwrap();
    let counted = "SELECT SUM(requests) FROM usage_hours";
    assert_eq!(folder.number(counted).await, 1);
    let counted = "SELECT SUM(requests + h00 + h01) FROM customer_usage_days";
    assert_eq!(folder.number(counted).await, 2);
}
