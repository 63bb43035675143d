//! A SQLite file.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use sea_orm::sqlx::Connection;
use sea_orm::sqlx::error::DatabaseError;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbErr, RuntimeErr};

use super::{FirstConnection, OpenError};

/// Between two attempts to open a database that others open too.
const PAUSE: Duration = Duration::from_millis(5);

/// Where it is.
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
        let options: SqliteConnectOptions = url.parse().map_err(|_| OpenError::Url)?;
        let path = options.get_filename().to_owned();
        let url = url.to_owned();
        Ok(Self { url, path })
    }

    /// Makes the file when it is missing, for its owner alone. SQLite gives the same permissions
    /// to the files that it makes beside it.
    pub(super) fn prepare(&self) -> Result<(), OpenError> {
        let opened = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&self.path);
        opened.map(drop).map_err(|source| OpenError::File {
            path: self.path.clone(),
            source,
        })
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
            .max_connections(connections)
            .connect_lazy(first == FirstConnection::Later)
            .acquire_timeout(busy_timeout * 2)
            .idle_timeout(None::<Duration>)
            .max_lifetime(None::<Duration>)
            .sqlx_logging(false)
            .map_sqlx_sqlite_opts(move |options| {
                options
                    .journal_mode(SqliteJournalMode::Wal)
                    // In WAL mode, NORMAL may lose the last commits when the machine crashes.
                    .synchronous(SqliteSynchronous::Full)
                    .busy_timeout(busy_timeout)
                    .foreign_keys(true)
                    // An insert of many rows keeps the pages it changes until it is done: in a
                    // file that was three quarters of all writes.
                    .pragma("temp_store", "MEMORY")
                    // KiB. With the usual 2,000 a busy journal reads pages again and again.
                    .pragma("cache_size", "-16384")
            })
            // SQLite ends a transaction by itself on some errors (disk full, I/O); sqlx goes on
            // counting it as open, and would begin savepoints only on the connection ever after.
            .map_sqlx_sqlite_before_acquire(|connection, _| {
                Box::pin(async move { Ok(!connection.is_in_transaction()) })
            });
        let deadline = Instant::now() + busy_timeout;
        loop {
            match Database::connect(options.clone()).await {
                Ok(connection) => return Ok(connection),
                // Whoever opens a new file turns its write-ahead log on; SQLite doesn't wait for
                // another one that is about to do the same, whatever the timeout.
                Err(error) if is_busy(&error) && Instant::now() < deadline => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(source) => {
                    let path = self.path.clone();
                    return Err(OpenError::Database { path, source });
                }
            }
        }
    }
}

/// Whether another connection is in the way (`SQLITE_BUSY` and its extended codes).
fn is_busy(error: &DbErr) -> bool {
    let DbErr::Conn(RuntimeErr::SqlxError(error)) = error else {
        return false;
    };
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.and_then(|code| code.parse::<u32>().ok())
        .is_some_and(|code| code & 0xFF == 5)
}
