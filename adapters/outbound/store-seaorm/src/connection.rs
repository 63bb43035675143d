//! Database URLs and pools of connections.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sea_orm::DatabaseConnection;

use crate::transaction::WriteLock;

mod error;
mod options;
mod postgres;
mod sqlite;

pub use error::OpenError;
pub(crate) use options::FirstConnection;
pub use options::StoreOptions;
pub use postgres::error::{ServerError, UrlError};
pub use sqlite::own_file::FileError;
pub use sqlite::serving_lock::{LockError, ServingLock};
pub(crate) use sqlite::{OpenFiles, Unusable};

/// Connections of a server's journal: one per writer (counts, requests, statistics).
const SERVER_JOURNAL_CONNECTIONS: u32 = 3;

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
