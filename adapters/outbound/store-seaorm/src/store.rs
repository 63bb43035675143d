//! The store: opening, closing and transactions.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use chrono::{DateTime, Utc};
use ports::outbound::{ArchivedProof, ClaimEnd, StoreError};
use sea_orm::{DatabaseConnection, DatabaseTransaction, DbBackend, DbErr};
use tokio::time::timeout;
use uuid::Uuid;

use crate::connection::{
    FirstConnection, OpenError, OpenFiles, Place, ServingLock, StoreOptions, Unusable,
};
use crate::error::{AnswerTimeout, failed};
use crate::group::Group;
use crate::journal::{CommitMetricsSink, Journal};
use crate::notifier::Notifier;
use crate::transaction::{WriteLock, WriteTransaction, begin};

/// State of a connection pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// Connections in use, or being opened.
    pub in_use: u32,
    pub idle: u32,
    /// Capacity of the pool.
    pub max: u32,
}

/// Linger of proofs to archive. It delays no answer: answers wait for the journal, which commits
/// meanwhile.
const ARCHIVE_LINGER: Duration = Duration::from_millis(10);

/// Adapter of the store ports on one database, SQLite or PostgreSQL. Clones share its connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) connection: DatabaseConnection,
    /// The journal's own connections, opened on first use, so that it never waits for a free one.
    for_journal: DatabaseConnection,
    /// Taken by each transaction of [`Store::begin`], statement of [`Store::write`] and batch of
    /// the journal.
    write_lock: WriteLock,
    /// Name of the journal's writer; unset until the journal starts.
    pub(crate) writer: Arc<OnceLock<String>>,
    pub(crate) notifier: Notifier,
    /// Ends of claims on lookups, written in group commits.
    pub(crate) claim_ends: Arc<Group<ClaimEnd, bool>>,
    /// Proofs to archive, written in group commits.
    pub(crate) archived: Arc<Group<(ArchivedProof, DateTime<Utc>), ()>>,
    /// Number of the newest change read from the change feed of keys.
    pub(crate) newest_seen: Arc<AtomicU64>,
    /// SQLite: open files of the database; `None` on PostgreSQL.
    files: Option<Arc<OpenFiles>>,
    pub(crate) place: Place,
    pub(crate) options: StoreOptions,
}

impl Store {
    /// Opens the database at `url`: `sqlite://PATH` (see [`crate::sqlite_url`]; a missing file is
    /// created, a missing folder isn't), or
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`. [`Store::migrate`] creates the
    /// tables.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        Self::open_with(url, StoreOptions::default()).await
    }

    /// Opens the database as [`Store::open`] does, with the given options.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn open_with(url: &str, options: StoreOptions) -> Result<Self, OpenError> {
        let place = Place::parse(url)?;
        place.prepare(options).await?;
        let connection = place
            .connect(options.connections, FirstConnection::Now, options)
            .await?;
        let for_journal = place.connect(
            place.journal_connections(),
            FirstConnection::Later,
            options.for_journal(),
        );
        let writer = Arc::default();
        Ok(Self {
            notifier: Notifier::new(&connection, &writer),
            claim_ends: Arc::default(),
            archived: Arc::new(Group::lingering(ARCHIVE_LINGER)),
            connection,
            for_journal: for_journal.await?,
            write_lock: place.write_lock(options.busy_timeout),
            writer,
            newest_seen: Arc::default(),
            files: place.hold_open(options).await?,
            place,
            options,
        })
    }

    /// Returns the path of the SQLite file at `url` if there is none; a server's database is there, or fails when it
    /// is opened.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn missing_file(url: &str) -> Result<Option<PathBuf>, OpenError> {
        Ok(Place::parse(url)?.missing_file())
    }

    /// Takes the lock of the one process that serves the SQLite database at `url`, which is opened
    /// afterwards; `None` for a server. The lock holds until it is dropped.
    ///
    /// # Errors
    /// Another process holds the lock, or the file can't be opened.
    pub fn lock_for_serving(url: &str) -> Result<Option<ServingLock>, OpenError> {
        Ok(Place::parse(url)?.lock_for_serving()?)
    }

    /// Returns this store with a separate pool of `connections`, so that its users don't compete
    /// with those of this one. Close it with [`Store::close_pool`] before this one.
    ///
    /// # Errors
    /// The database fails.
    pub async fn with_separate_pool(&self, connections: u32) -> Result<Self, OpenError> {
        let options = StoreOptions {
            connections,
            ..self.options
        };
        let pool = self
            .place
            .connect(connections, FirstConnection::Now, options);
        Ok(Self {
            connection: pool.await?,
            claim_ends: Arc::default(),
            archived: Arc::new(Group::lingering(ARCHIVE_LINGER)),
            options,
            ..self.clone()
        })
    }

    /// Starts the journal of this store. `writer` identifies this process among all that ever write
    /// to the database.
    pub fn journal(&self, writer: Uuid) -> Journal {
        self.journal_with_metrics(writer, Arc::new(()))
    }

    /// Starts the journal, and reports its commits to `metrics_sink`.
    pub fn journal_with_metrics(
        &self,
        writer: Uuid,
        metrics_sink: Arc<dyn CommitMetricsSink>,
    ) -> Journal {
        // Ignored if it is set: a process has one journal. The checkpoints of a second one would
        // only be pruned after a while.
        let _ = self.writer.set(writer.to_string());
        let connection = self.for_journal.clone();
        Journal::start(
            connection,
            writer,
            self.options,
            self.write_lock.clone(),
            self.files.clone(),
            metrics_sink,
        )
    }

    /// Name of this process's journal writer; `None` before the journal starts.
    pub(crate) fn writer(&self) -> Option<&str> {
        self.writer.get().map(String::as_str)
    }

    /// SQLite: size of the write-ahead log in bytes. Usually a few MiB; more while another program
    /// keeps a transaction open.
    pub fn log_bytes(&self) -> Option<u64> {
        self.files.as_ref()?.log_bytes()
    }

    /// SQLite: checks that the open files are still those at the database's paths.
    ///
    /// # Errors
    /// Files that were moved, removed, replaced or set back while they are open.
    pub(crate) fn check_files(&self) -> Result<(), StoreError> {
        match &self.files {
            Some(files) => files.check().map_err(failed),
            None => Ok(()),
        }
    }

    /// State of the pool, without the journal's connections.
    pub fn connections(&self) -> Connections {
        // A pool's numbers are read one after the other, while other tasks take and return
        // connections.
        let of = |open: u32, idle: usize| {
            let idle = u32::try_from(idle).unwrap_or(u32::MAX).min(open);
            Connections {
                in_use: open - idle,
                idle,
                max: self.options.connections,
            }
        };
        match self.connection.get_database_backend() {
            DbBackend::Sqlite => {
                let pool = self.connection.get_sqlite_connection_pool();
                of(pool.size(), pool.num_idle())
            }
            DbBackend::Postgres => {
                let pool = self.connection.get_postgres_connection_pool();
                of(pool.size(), pool.num_idle())
            }
            _ => of(0, 0),
        }
    }

    /// Runs an operation, on PostgreSQL with a timeout.
    pub(crate) async fn in_time<T, E: From<StoreError>>(
        &self,
        step: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let Some(patience) = self
            .options
            .step_timeout(self.connection.get_database_backend())
        else {
            return step.await;
        };
        timeout(patience, step)
            .await
            .unwrap_or_else(|_| Err(failed(AnswerTimeout(patience)).into()))
    }

    /// Runs one statement that writes, on PostgreSQL with a timeout.
    pub(crate) fn write<'a, T: Send>(
        &'a self,
        statement: impl Future<Output = Result<T, DbErr>> + Send + 'a,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + 'a {
        // Boxed: an insert's future takes five kilobytes.
        let statement = Box::pin(statement);
        async {
            self.check_files()?;
            self.in_time(async {
                let _guard = self.write_lock.acquire().await;
                statement.await.map_err(failed)
            })
            .await
        }
    }

    /// Records that the database was set back to an older state, and returns the error. A SQLite
    /// database isn't written to any more.
    pub(crate) fn set_back(&self) -> StoreError {
        failed(match &self.files {
            Some(files) => files.set_back(),
            None => Unusable::SetBack,
        })
    }

    /// SQLite: saves the content of a removed write-ahead log, see [`OpenFiles::save_removed_log`].
    pub(crate) async fn save_removed_log(&self) {
        if let Some(files) = &self.files {
            files.save_removed_log().await;
        }
    }

    /// Begins a transaction that writes. On SQLite it takes the write lock at once: one that reads
    /// first and writes later fails when another connection wrote in between.
    pub(crate) async fn begin(&self) -> Result<WriteTransaction, StoreError> {
        self.check_files()?;
        let guard = self.write_lock.acquire().await;
        let transaction = begin(&self.connection).await.map_err(failed)?;
        Ok(WriteTransaction::new(transaction, guard))
    }

    /// Commits after success, checks that the files are still the database, and rolls back after an
    /// error.
    pub(crate) async fn end<T, E: From<StoreError>>(
        &self,
        transaction: WriteTransaction,
        outcome: Result<T, E>,
    ) -> Result<T, E> {
        if outcome.is_err() {
            transaction.rollback().await.map_err(failed)?;
            return outcome;
        }
        transaction.commit().await.map_err(failed)?;
        self.check_files()?;
        outcome
    }

    /// Runs the steps of one transaction that writes, in time: commits them if they succeed.
    pub(crate) async fn within<T, E: From<StoreError>>(
        &self,
        steps: impl AsyncFnOnce(&DatabaseTransaction) -> Result<T, E>,
    ) -> Result<T, E> {
        self.in_time(async {
            let transaction = self.begin().await?;
            // Boxed: the steps of a claim take 19 kilobytes.
            let outcome = Box::pin(steps(&transaction)).await;
            self.end(transaction, outcome).await
        })
        .await
    }

    /// Closes a store that [`Store::with_separate_pool`] made.
    ///
    /// # Errors
    /// The database fails.
    pub async fn close_pool(self) -> Result<(), StoreError> {
        if self
            .files
            .as_ref()
            .is_some_and(|files| files.are_replaced())
        {
            std::mem::forget(self);
            return Ok(());
        }
        self.connection.close().await.map_err(failed)
    }

    /// Closes all connections once their operations are done. SQLite's last connection copies the
    /// log into the database and removes it. That is skipped when one of the database's files was
    /// replaced: the new file may belong to another program.
    ///
    /// # Errors
    /// The database fails (nothing that was committed is lost), or isn't the one that was opened.
    pub async fn close(self) -> Result<(), StoreError> {
        if self
            .files
            .as_ref()
            .is_some_and(|files| files.are_replaced())
        {
            let replaced = self.check_files();
            std::mem::forget(self);
            return replaced;
        }
        self.for_journal.close().await.map_err(failed)?;
        self.connection.close().await.map_err(failed)?;
        match self.files {
            Some(files) => files.close().await.map_err(failed),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sea_orm::{ConnectionTrait, Statement};

    /// `synchronous` and `journal_mode` are settings of a connection, so only the connection itself
    /// can tell.
    #[tokio::test]
    async fn the_journal_commits_to_the_disk_and_not_to_its_cache() {
        let folder = tempfile::tempdir().unwrap();
        let url = crate::sqlite_url(&folder.path().join("cep.db")).unwrap();
        let store = Store::open(&url).await.unwrap();
        let pragma = async |name: &str| {
            let connection = &store.for_journal;
            let sql = format!("PRAGMA {name}");
            let query = Statement::from_string(connection.get_database_backend(), sql);
            connection.query_one_raw(query).await.unwrap().unwrap()
        };
        let synchronous = pragma("synchronous").await;
        let full = 2_i64;
        assert_eq!(synchronous.try_get_by_index::<i64>(0).unwrap(), full);
        let mode = pragma("journal_mode").await;
        assert_eq!(mode.try_get_by_index::<String>(0).unwrap(), "wal");
    }
}
