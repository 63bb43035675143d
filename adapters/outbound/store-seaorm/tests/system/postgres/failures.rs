//! A server that is busy, silent, gone, or comes back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use domain::keys::KeyId;
use domain::outcome::Outcome;
use futures::future::join_all;
use ports::outbound::{ChangeNumber, KeyStore, UsageJournal};
use sea_orm::{ConnectionTrait, Database, TransactionTrait};
use store_seaorm::{Store, StoreOptions};
use testkit::eventually;

use crate::both::entries::{add_key, admission, journal, number, request, revoke, used};
use crate::postgres::proxy::{Proxy, Way};
use crate::postgres::server::{TestDatabase, database_or_skip};

/// Bytes in the statements by which the second process's journal writes its counts, and in no
/// others.
const SECOND_PROCESS: &[u8] = b"00000000-0000-0000-0000-000000000002";

fn impatient() -> StoreOptions {
    StoreOptions {
        connect_timeout: Duration::from_millis(500),
        statement_timeout: Duration::from_millis(500),
        lock_timeout: Duration::from_millis(200),
        ..StoreOptions::default()
    }
}

/// Waits for a condition.
async fn until(mut holds: impl FnMut() -> bool) {
    eventually("it holds", Duration::from_secs(30), async || holds()).await;
}

/// A proxy before a database, a store that goes through it, and a key.
async fn behind_a_proxy(database: &TestDatabase, options: StoreOptions) -> (Proxy, Store, KeyId) {
    let proxy = Proxy::before(database.0.server().port()).await;
    let store = through(&proxy, database, options).await;
    let key = add_key(&store, 1).await;
    (proxy, store, key)
}

/// A store whose connections go through a proxy.
async fn through(proxy: &Proxy, database: &TestDatabase, options: StoreOptions) -> Store {
    let direct = format!(":{}/", database.0.server().port());
    let proxied = format!(":{}/", proxy.port);
    let url = database.url().replace(&direct, &proxied);
    Store::open_with(&url, options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_for_a_locked_row_times_out() {
    let database = database_or_skip!();
    let store = database.open_with(impatient()).await;
    let key = add_key(&store, 1).await;
    let other = database.connect().await.begin().await.unwrap();
    let hold = "SELECT 1 FROM api_keys FOR UPDATE";
    other.execute_unprepared(hold).await.unwrap();
    let refused = revoke(&store, key, 2).await.unwrap_err().to_string();
    assert!(refused.contains("lock timeout"), "{refused}");
    // Reading goes on.
    assert_eq!(used(&store, key).await, (0, 0));
    other.rollback().await.unwrap();
    revoke(&store, key, 2).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_takes_too_long_times_out() {
    let database = database_or_skip!();
    let options = StoreOptions {
        lock_timeout: Duration::from_mins(1),
        ..impatient()
    };
    let store = database.open_with(options).await;
    let other = database.connect().await.begin().await.unwrap();
    let hold = "LOCK TABLE key_changes IN ACCESS EXCLUSIVE MODE";
    other.execute_unprepared(hold).await.unwrap();
    let late = store.changes(ChangeNumber(0)).await;
    let late = late.unwrap_err().to_string();
    assert!(late.contains("statement timeout"), "{late}");
    other.rollback().await.unwrap();
    let changes = store.changes(ChangeNumber(0)).await;
    assert_eq!(changes.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_server_causes_timeouts_and_is_used_again_once_it_answers() {
    let database = database_or_skip!();
    let (proxy, store, key) = behind_a_proxy(&database, impatient()).await;
    let writer = journal(&store, 1);
    writer.admit(admission(key)).await.unwrap();
    proxy.set(Way::Silent);
    let receipt = writer.admit(admission(key));
    let asked = Instant::now();
    let reads = join_all((0..8).map(|_| store.newest_change())).await;
    assert!(reads.iter().all(Result::is_err));
    let waited = asked.elapsed();
    assert!(waited < Duration::from_secs(4), "{waited:?}");
    until(|| writer.trouble().is_some()).await;
    proxy.set(Way::Open);
    writer.flush().await.unwrap();
    drop(receipt);
    let asked = Instant::now();
    while store.newest_change().await.is_err() {
        assert!(asked.elapsed() < Duration::from_secs(10), "not used again");
    }
    assert_eq!(used(&store, key).await, (2, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_whose_answer_was_lost_are_not_repeated() {
    let database = database_or_skip!();
    let (proxy, store, key) = behind_a_proxy(&database, StoreOptions::default()).await;
    let writer = journal(&store, 2);
    for round in 1..=5 {
        proxy.set(Way::LoseAnswer(SECOND_PROCESS));
        writer.admit(admission(key)).await.unwrap();
        assert_eq!(proxy.lost(), round);
        assert_eq!(used(&store, key).await, (round.into(), 0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn details_whose_commit_lost_its_answer_are_not_repeated() {
    let database = database_or_skip!();
    let (proxy, store, key) = behind_a_proxy(&database, StoreOptions::default()).await;
    let writer = journal(&store, 2);
    let connection = database.connect().await;
    for round in 1..=5_u32 {
        proxy.set(Way::LoseAnswer(b"COMMIT\0"));
        writer.conclude(request(round.into(), key, Outcome::Delivered));
        writer.flush().await.unwrap();
        assert_eq!(proxy.lost(), round);
        let counted = "SELECT SUM(requests)::bigint FROM usage_hours";
        assert_eq!(number(&connection, counted).await, i64::from(round));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_the_server_is_still_executing_is_not_repeated() {
    let database = database_or_skip!();
    let (proxy, store, key) = behind_a_proxy(&database, StoreOptions::default()).await;
    let writer = journal(&store, 2);
    writer.admit(admission(key)).await.unwrap();
    let connection = database.connect().await;
    for slow in [
        "CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$",
        "CREATE CONSTRAINT TRIGGER slowly AFTER UPDATE ON monthly_use DEFERRABLE INITIALLY \
         DEFERRED FOR EACH ROW EXECUTE FUNCTION slowly()",
    ] {
        connection.execute_unprepared(slow).await.unwrap();
    }
    proxy.set(Way::LoseAnswer(SECOND_PROCESS));
    let asked = Instant::now();
    writer.admit(admission(key)).await.unwrap();
    let waited = asked.elapsed();
    assert_eq!(proxy.lost(), 1);
    assert!(waited >= Duration::from_secs(1), "{waited:?}");
    assert_eq!(used(&store, key).await, (2, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_and_starts_under_a_journal_loses_and_doubles_nothing() {
    let mut database = database_or_skip!(with_server);
    let url = database.url();
    let store = Store::open(&url).await.unwrap();
    let key = add_key(&store, 1).await;
    let writer = journal(&store, 1);
    let (done, running) = tokio::sync::watch::channel(false);
    let durable = Arc::new(AtomicU64::new(0));
    let admitting = (0..8).map(|_| {
        let (writer, running, durable) = (writer.clone(), running.clone(), durable.clone());
        tokio::spawn(async move {
            let mut admitted = 0_u64;
            while !*running.borrow() {
                admitted += 1;
                if writer.admit(admission(key)).await.is_ok() {
                    durable.fetch_add(1, Ordering::Relaxed);
                }
            }
            admitted
        })
    });
    let admitting: Vec<_> = admitting.collect();
    for _ in 0..2 {
        let before = durable.load(Ordering::Relaxed);
        until(|| durable.load(Ordering::Relaxed) > before + 50).await;
        database.0.own_server().end("INT");
        until(|| writer.trouble().is_some()).await;
        database.0.own_server().start_again();
        writer.flush().await.unwrap();
        until(|| durable.load(Ordering::Relaxed) > before + 100).await;
        database.0.own_server().end("QUIT");
        database.0.own_server().start_again();
        writer.flush().await.unwrap();
    }
    done.send_replace(true);
    let mut admitted = 0;
    for task in admitting {
        admitted += task.await.unwrap();
    }
    writer.close().await.unwrap();
    let store = Store::open(&url).await.unwrap();
    assert_eq!(used(&store, key).await, (admitted, 0));
    assert!(durable.load(Ordering::Relaxed) > 200);
    Database::connect(&url).await.unwrap();
}
