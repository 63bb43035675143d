//! Transactions that write, and the lock of this process's writers on SQLite, which allows one writer at a time.
//!
//! A connection that finds SQLite locked by another writer sleeps for 1, 2, 5, 10, 15 … ms between
//! attempts, however long it has waited already. So the connections of one process wait for each
//! other here, in order; SQLite's own wait remains for other processes.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{
    DatabaseConnection, DatabaseTransaction, DbErr, SqliteTransactionMode, TransactionOptions,
    TransactionTrait,
};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::timeout;

/// A lock that the writers of one process take before they write; none on PostgreSQL, which locks
/// rows.
#[derive(Clone)]
pub(crate) struct WriteLock(Option<Arc<Mutex<()>>>, Duration);

/// Dropping it lets the next writer continue.
pub(crate) type WriteGuard = Option<OwnedMutexGuard<()>>;

impl WriteLock {
    /// A lock that is waited for as long as SQLite waits for its own.
    pub(crate) fn of_file(busy_timeout: Duration) -> Self {
        Self(Some(Arc::default()), busy_timeout)
    }

    /// Locks nothing.
    pub(crate) fn of_server() -> Self {
        Self(None, Duration::ZERO)
    }

    /// Waits until no other writer of this process writes. After the timeout it returns without the
    /// lock, and SQLite's own lock applies.
    pub(crate) async fn acquire(&self) -> WriteGuard {
        let Self(lock, patience) = self;
        let waiting = Arc::clone(lock.as_ref()?).lock_owned();
        timeout(*patience, waiting).await.ok()
    }
}

/// A transaction that writes, with its lock.
pub(crate) struct WriteTransaction {
    transaction: DatabaseTransaction,
    _guard: WriteGuard,
}

impl WriteTransaction {
    pub(crate) fn new(transaction: DatabaseTransaction, guard: WriteGuard) -> Self {
        Self {
            transaction,
            _guard: guard,
        }
    }

    pub(crate) async fn commit(self) -> Result<(), DbErr> {
        let Self {
            transaction,
            _guard,
        } = self;
        transaction.commit().await
    }

    pub(crate) async fn rollback(self) -> Result<(), DbErr> {
        let Self {
            transaction,
            _guard,
        } = self;
        transaction.rollback().await
    }
}

impl Deref for WriteTransaction {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &DatabaseTransaction {
        &self.transaction
    }
}

/// Begins a transaction that writes. On SQLite it takes the database's lock at once: one that reads first
/// and writes later fails when another connection wrote in between.
pub(crate) async fn begin(connection: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    connection.begin_with_options(options).await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures::FutureExt as _;
    use tokio::time::Instant;

    use super::*;
    use crate::{Store, sqlite_url};

    const PATIENCE: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn writers_go_on_in_their_order() {
        let lock = WriteLock::of_file(PATIENCE);
        let first = lock.acquire().await;
        let done = Arc::new(AtomicU32::new(0));
        let waiting: Vec<_> = (0..50)
            .map(|number| {
                let (lock, done) = (lock.clone(), Arc::clone(&done));
                let mut turn = Box::pin(async move {
                    let guard = lock.acquire().await;
                    assert!(guard.is_some());
                    assert_eq!(done.fetch_add(1, Ordering::Relaxed), number);
                });
                assert!(turn.as_mut().now_or_never().is_none());
                turn
            })
            .collect();
        drop(first);
        // Whoever is asked first, or last.
        futures::future::join_all(waiting.into_iter().rev()).await;
        assert_eq!(done.load(Ordering::Relaxed), 50);
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_timeout_sqlite_decides() {
        let lock = WriteLock::of_file(PATIENCE);
        let _held = lock.acquire().await;
        let started = Instant::now();
        assert!(lock.acquire().await.is_none());
        assert_eq!(started.elapsed(), PATIENCE);
    }

    #[tokio::test]
    async fn a_transaction_waits_without_a_connection_until_the_one_before_it_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let url = sqlite_url(&folder.path().join("cep.db")).unwrap();
        let store = Store::open(&url).await.unwrap();
        for commits in [true, false] {
            let first = store.begin().await.unwrap();
            let in_use = store.connections().in_use;
            let mut second = Box::pin(store.begin());
            assert!(second.as_mut().now_or_never().is_none());
            assert!(store.connections().in_use <= in_use);
            if commits {
                first.commit().await.unwrap();
            } else {
                first.rollback().await.unwrap();
            }
            second.await.unwrap().commit().await.unwrap();
        }
    }
}
