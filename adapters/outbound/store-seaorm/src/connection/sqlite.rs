//! A SQLite database: its path, its files, and pools of connections to it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use sea_orm::sqlx::error::DatabaseError;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Error, SqliteConnection, query,
};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbErr, RuntimeErr};

use super::error::OpenError;
use super::options::FirstConnection;

mod create;
mod open_files;
pub(super) mod own_file;
pub(super) mod serving_lock;

pub(crate) use open_files::{OpenFiles, Unusable};
use serving_lock::{LockError, ServingLock};

/// `SQLITE_BUSY`: another connection holds a lock.
const BUSY: u32 = 5;
/// `SQLITE_READONLY`: the connection may only read.
const READ_ONLY: u32 = 8;

/// Pause between two attempts to open a database that others open too.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// Size in bytes to which SQLite truncates the write-ahead log once all of it is in the database.
/// The log is restarted after every 1,000 pages (4 MiB) unless a reader holds it; without a limit
/// its file never shrinks.
const LOG_SIZE_LIMIT: &str = "16777216";

/// The database's file and the options of its connections.
#[derive(Clone, Debug)]
pub(crate) struct File {
    url: String,
    path: PathBuf,
}

impl File {
    pub(super) fn parse(url: &str) -> Result<Self, OpenError> {
        if url.contains(":memory:") || url.contains("mode=memory") {
            return Err(OpenError::InMemory);
        }
        // `immutable` and `vfs` would turn locks off, `cache=shared` changes what they mean.
        let parameters = url.split_once('?').map_or("", |(_, parameters)| parameters);
        if !matches!(parameters, "" | "mode=rw" | "mode=rwc") {
            return Err(OpenError::Parameters);
        }
        let options: SqliteConnectOptions = url.parse().map_err(|_| OpenError::Url)?;
        let path = options.get_filename();
        let path = std::path::absolute(path).map_err(|source| OpenError::File {
            path: path.to_owned(),
            problem: source.into(),
        })?;
        let url = url.to_owned();
        Ok(Self { url, path })
    }

    /// Creates the file when it is missing; checks one that is there. Runs before the process opens
    /// its first connection to it.
    pub(super) fn create(&self) -> Result<(), OpenError> {
        create::create(&self.path).map_err(|problem| OpenError::File {
            path: self.path.clone(),
            problem,
        })
    }

    /// Its path, if there is no such file. One that can't be looked at is left to whoever opens it.
    pub(super) fn missing(&self) -> Option<PathBuf> {
        let is_there = self.path.try_exists().unwrap_or(true);
        (!is_there).then(|| self.path.clone())
    }

    pub(super) fn lock_for_serving(&self) -> Result<ServingLock, LockError> {
        ServingLock::take(&self.path)
    }

    /// Opens a pool of at most `connections`.
    pub(super) async fn connect(
        &self,
        connections: u32,
        first: FirstConnection,
        busy_timeout: Duration,
    ) -> Result<DatabaseConnection, OpenError> {
        let mut options = ConnectOptions::new(&self.url);
        options
            // All at once: each has a thread, which inherits the priority of whoever opens it.
            .min_connections(connections)
            .max_connections(connections)
            .connect_lazy(first == FirstConnection::Later)
            .acquire_timeout(busy_timeout * 2)
            .idle_timeout(None::<Duration>)
            .max_lifetime(None::<Duration>)
            .sqlx_logging(false)
            .map_sqlx_sqlite_opts(move |options| settings(options, busy_timeout))
            .map_sqlx_sqlite_pool_opts(move |pool| {
                pool.after_connect(move |connection, _| {
                    Box::pin(refuse_read_only(connection, busy_timeout))
                })
            })
            // SQLite ends a transaction by itself on some errors (disk full, I/O); sqlx goes on
            // counting it as open, and from then on would begin only savepoints.
            .map_sqlx_sqlite_before_acquire(|connection, _| {
                Box::pin(async move { Ok(!connection.is_in_transaction()) })
            });
        let deadline = Instant::now() + busy_timeout;
        loop {
            match Database::connect(options.clone()).await {
                Ok(connection) => return Ok(connection),
                // Opening a new file turns its write-ahead log on; SQLite doesn't wait for another
                // connection that is about to do the same, whatever the timeout.
                Err(error) if is_busy(&error) && Instant::now() < deadline => {
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
                Err(source) => return Err(self.unusable(source)),
            }
        }
    }

    /// Opens one connection that stays open for as long as the store is, and notes which files it
    /// has open.
    pub(super) async fn hold_open(&self, busy_timeout: Duration) -> Result<OpenFiles, OpenError> {
        let options: SqliteConnectOptions = self.url.parse().map_err(|_| OpenError::Url)?;
        let options = settings(options, busy_timeout).disable_statement_logging();
        let opened = async {
            let connection: SqliteConnection = options.connect().await?;
            OpenFiles::hold(&self.path, connection).await
        };
        opened
            .await
            .map_err(|error: Error| self.unusable(DbErr::Conn(RuntimeErr::SqlxError(error.into()))))
    }

    fn unusable(&self, source: DbErr) -> OpenError {
        let path = self.path.clone();
        OpenError::Database { path, source }
    }
}

fn settings(options: SqliteConnectOptions, busy_timeout: Duration) -> SqliteConnectOptions {
    options
        .journal_mode(SqliteJournalMode::Wal)
        // In WAL mode, NORMAL may lose the last commits when the machine crashes.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(busy_timeout)
        .foreign_keys(true)
        .pragma("journal_size_limit", LOG_SIZE_LIMIT)
        // An insert of many rows keeps the pages it changes in temporary storage until it is done:
        // as a file, that was three quarters of all writes.
        .pragma("temp_store", "MEMORY")
        // In KiB. With SQLite's default of 2,000 a busy journal reads the same pages repeatedly.
        .pragma("cache_size", "-16384")
}

/// Fails on a connection that may only read. While the file system refuses writes, SQLite opens such
/// connections without an error, and one in a pool would refuse all later writes.
async fn refuse_read_only(
    connection: &mut SqliteConnection,
    busy_timeout: Duration,
) -> Result<(), Error> {
    // SQLite checks for write access before it tries to take the lock, which isn't waited for.
    for sql in ["PRAGMA busy_timeout = 0", "BEGIN"] {
        query(sql).execute(&mut *connection).await?;
    }
    let written = query("PRAGMA user_version = 0")
        .execute(&mut *connection)
        .await;
    query("ROLLBACK").execute(&mut *connection).await?;
    let waiting = format!("PRAGMA busy_timeout = {}", busy_timeout.as_millis());
    query(AssertSqlSafe(waiting)).execute(connection).await?;
    match written {
        Err(error) if primary_code(&error) == Some(READ_ONLY) => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Recognises `SQLITE_BUSY` and its extended codes.
fn is_busy(error: &DbErr) -> bool {
    let DbErr::Conn(RuntimeErr::SqlxError(error)) = error else {
        return false;
    };
    primary_code(error) == Some(BUSY)
}

/// The primary code of an extended SQLite error code.
fn primary_code(error: &Error) -> Option<u32> {
    let code = error.as_database_error().and_then(DatabaseError::code)?;
    code.parse::<u32>().ok().map(|code| code & 0xFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sea_orm::sqlx::Row;

    const BUSY_TIMEOUT: Duration = Duration::from_millis(20);

    async fn connect(
        file: &File,
        change: fn(SqliteConnectOptions) -> SqliteConnectOptions,
    ) -> SqliteConnection {
        let options: SqliteConnectOptions = file.url.parse().unwrap();
        let options = change(settings(options, BUSY_TIMEOUT));
        options.connect().await.unwrap()
    }

    #[tokio::test]
    async fn a_connection_that_may_only_read_is_refused_and_one_that_has_to_wait_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let url = super::super::sqlite_url(&folder.path().join("cep.db")).unwrap();
        let file = File::parse(&url).unwrap();
        file.create().unwrap();
        let mut writing = connect(&file, |options| options).await;
        refuse_read_only(&mut writing, BUSY_TIMEOUT).await.unwrap();

        let mut reading = connect(&file, |options| options.read_only(true)).await;
        let refused = refuse_read_only(&mut reading, BUSY_TIMEOUT).await;
        assert_eq!(primary_code(&refused.unwrap_err()), Some(READ_ONLY));

        query("BEGIN IMMEDIATE")
            .execute(&mut writing)
            .await
            .unwrap();
        let mut blocked = connect(&file, |options| options).await;
        refuse_read_only(&mut blocked, BUSY_TIMEOUT).await.unwrap();
        let waits = query("PRAGMA busy_timeout").fetch_one(&mut blocked).await;
        let waits: i64 = waits.unwrap().try_get(0).unwrap();
        assert_eq!(u128::from(waits.unsigned_abs()), BUSY_TIMEOUT.as_millis());
        let begun = query("BEGIN IMMEDIATE").execute(&mut blocked).await;
        let error = DbErr::Conn(RuntimeErr::SqlxError(begun.unwrap_err().into()));
        assert!(is_busy(&error));
    }
}
