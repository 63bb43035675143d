//! Errors of opening a store.

use std::path::PathBuf;

use sea_orm::DbErr;

use super::postgres::error::{ServerError, UrlError};
use super::sqlite::own_file::FileError;
use super::sqlite::serving_lock::LockError;

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
