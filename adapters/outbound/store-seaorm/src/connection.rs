//! Database URLs, connection options and pools.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{DatabaseConnection, DbBackend, DbErr};

use crate::transaction::WriteLock;

mod postgres;
mod sqlite;

pub use postgres::{ServerError, UrlError};
pub use sqlite::{FileError, LockError, ServingLock};
pub(crate) use sqlite::{OpenFiles, Unusable};

/// Time added to a statement's timeout for the round trip to the server.
const GRACE: Duration = Duration::from_millis(500);

/// Connections of a server's journal: one per writer (counts, requests, statistics).
const SERVER_JOURNAL_CONNECTIONS: u32 = 3;

/// Connection pool sizes and timeouts.
#[derive(Clone, Copy, Debug)]
pub struct StoreOptions {
    /// Size of the pool, without the journal's connections.
    pub connections: u32,
    /// SQLite: time that a statement waits for another process that writes.
    pub busy_timeout: Duration,
    /// PostgreSQL: time that an operation waits for a connection, one that becomes free or a new
    /// one.
    pub connect_timeout: Duration,
    /// PostgreSQL: longest duration of a statement.
    pub statement_timeout: Duration,
    /// PostgreSQL: time that a statement waits for a locked row.
    pub lock_timeout: Duration,
    /// Capacity of the journal's queue, in entries.
    pub journal_capacity: usize,
    /// Time that a journal entry may wait to become durable before its receipt fails.
    pub journal_patience: Duration,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            connections: 4,
            busy_timeout: Duration::from_secs(5),
            connect_timeout: Duration::from_secs(3),
            statement_timeout: Duration::from_secs(10),
            lock_timeout: Duration::from_secs(5),
            journal_capacity: 100_000,
            journal_patience: Duration::from_secs(5),
        }
    }
}

impl StoreOptions {
    /// Longest duration of a whole operation: `connect_timeout` and twice `statement_timeout`.
    /// Enforced here because a server that disappeared without closing its connections reports no
    /// timeout.
    pub(crate) fn step_timeout(&self, backend: DbBackend) -> Option<Duration> {
        (backend == DbBackend::Postgres).then(|| self.connect_timeout + 2 * self.statement_timeout)
    }

    /// Options of the journal's own connections. A statement that takes longer than an entry may
    /// wait is of no use any more, and holds rows that other processes wait for.
    pub(crate) fn for_journal(self) -> Self {
        Self {
            statement_timeout: self.statement_timeout.min(self.journal_patience),
            ..self
        }
    }

    /// Time that the journal waits for an answer: the server itself ends a statement sooner.
    pub(crate) fn answer_timeout(&self, backend: DbBackend) -> Option<Duration> {
        let statement = self.for_journal().statement_timeout;
        (backend == DbBackend::Postgres).then(|| statement.max(self.connect_timeout) + GRACE)
    }
}

/// Error of opening a store. None of these contains a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "the database must be given as sqlite://PATH or \
         postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full"
    )]
    Url,
    /// In-memory databases are refused: every connection would have one of its own.
    #[error("an in-memory database keeps nothing; give a file, sqlite://PATH")]
    InMemory,
    /// The URL of a file has parameters that change how it is locked or written.
    #[error("the URL of a SQLite database takes no parameter but mode=rw or mode=rwc")]
    Parameters,
    /// The file can't be created, or isn't one that this program uses.
    #[error("the database file {path} can't be used: {problem}")]
    File {
        path: PathBuf,
        #[source]
        problem: FileError,
    },
    /// The file exists, but it can't be used.
    #[error("{path} can't be used as a database: {source}")]
    Database {
        /// Path of the database file.
        path: PathBuf,
        source: DbErr,
    },
    /// Another process serves the file.
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("the URL of the database is wrong: {0}")]
    ServerUrl(#[from] UrlError),
    #[error("the database at {server} can't be used: {fault}")]
    Server {
        /// Host, port and database.
        server: String,
        #[source]
        fault: ServerError,
    },
}

/// The URL of a SQLite file. Handles any path, also one with blanks or a question mark.
///
/// # Errors
/// Fails when the path is relative and the working folder can't be read.
pub fn sqlite_url(path: &Path) -> io::Result<String> {
    let path = std::path::absolute(path)?;
    let escaped = path
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(|byte| match byte {
            b'/' | b'.' | b'_' | b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                char::from(*byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        });
    Ok(format!("sqlite://{}", escaped.collect::<Vec<_>>().concat()))
}

/// Time at which a pool opens its first connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstConnection {
    /// At once, so that an unusable database fails early.
    Now,
    /// On first use.
    Later,
}

#[derive(Clone, Debug)]
pub(crate) enum Place {
    Sqlite(sqlite::File),
    Postgres(Box<postgres::Server>),
}

impl Place {
    pub(crate) fn parse(url: &str) -> Result<Self, OpenError> {
        if url.starts_with("sqlite:") {
            sqlite::File::parse(url).map(Self::Sqlite)
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            Ok(Self::Postgres(Box::new(postgres::Server::parse(url)?)))
        } else {
            Err(OpenError::Url)
        }
    }

    /// Creates a missing SQLite file, or checks that the PostgreSQL server can be used. Call it
    /// before the first connection of the process.
    pub(crate) async fn prepare(&self, options: StoreOptions) -> Result<(), OpenError> {
        match self {
            Self::Sqlite(file) => file.create(),
            Self::Postgres(server) => server.check(options).await,
        }
    }

    /// The path of a file that isn't there.
    pub(crate) fn missing_file(&self) -> Option<PathBuf> {
        match self {
            Self::Sqlite(file) => file.missing(),
            Self::Postgres(_) => None,
        }
    }

    /// Takes the lock of the one process that serves a file; a server is served by many.
    pub(crate) fn lock_for_serving(&self) -> Result<Option<ServingLock>, LockError> {
        match self {
            Self::Sqlite(file) => file.lock_for_serving().map(Some),
            Self::Postgres(_) => Ok(None),
        }
    }

    /// SQLite: keeps the database's files open and locked for as long as the result lives; `None`
    /// on PostgreSQL.
    pub(crate) async fn hold_open(
        &self,
        options: StoreOptions,
    ) -> Result<Option<Arc<OpenFiles>>, OpenError> {
        match self {
            Self::Sqlite(file) => {
                let files = file.hold_open(options.busy_timeout).await?;
                Ok(Some(Arc::new(files)))
            }
            Self::Postgres(_) => Ok(None),
        }
    }

    /// Connections of a journal: one per writer queue.
    pub(crate) fn journal_connections(&self) -> u32 {
        match self {
            Self::Sqlite(_) => 1,
            Self::Postgres(_) => SERVER_JOURNAL_CONNECTIONS,
        }
    }

    /// Lock of this process's writers on SQLite; on PostgreSQL it does nothing.
    pub(crate) fn write_lock(&self, busy_timeout: Duration) -> WriteLock {
        match self {
            Self::Sqlite(_) => WriteLock::of_file(busy_timeout),
            Self::Postgres(_) => WriteLock::of_server(),
        }
    }

    /// Opens a pool of at most `connections`.
    pub(crate) async fn connect(
        &self,
        connections: u32,
        first: FirstConnection,
        options: StoreOptions,
    ) -> Result<DatabaseConnection, OpenError> {
        match self {
            Self::Sqlite(file) => file.connect(connections, first, options.busy_timeout).await,
            Self::Postgres(server) => Ok(server.connect(connections, options)),
        }
    }
}
