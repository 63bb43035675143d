//! Errors of PostgreSQL's URL and server.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use sea_orm::sqlx::Error;
use sea_orm::sqlx::error::DatabaseError;

/// The oldest version that the tests run on.
pub(crate) const OLDEST: i32 = 15;
/// The URL parameters that are supported.
pub(crate) const PARAMETERS: [&str; 7] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "application_name",
    "options",
];

/// Error in the URL of a PostgreSQL database.
#[derive(Debug, thiserror::Error)]
pub enum UrlError {
    #[error(
        "it must be postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full; in user and \
         password, write anything but letters and digits as %XX"
    )]
    Unreadable,
    #[error("it has no host; write postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    NoHost,
    #[error("it has no user; write postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    NoUser,
    #[error("it has no database; write postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    NoDatabase,
    #[error("it has a parameter that isn't known; those that are: {}", PARAMETERS.join(", "))]
    UnknownParameter,
    #[error("it has the parameter {0} twice; leave one")]
    Repeated(&'static str),
    #[error("its sslmode must be verify-full, verify-ca, require, prefer or disable")]
    SslMode,
    #[error("it has certificates that its sslmode doesn't use; set sslmode=verify-full")]
    UnusedCertificates,
    #[error(
        "its parameter host must be the folder of a socket, /…; other hosts stand before :PORT"
    )]
    SocketFolder,
}

/// Reason why a server can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("nothing answers ({0}); look whether it runs, and at host and port in the URL")]
    Unreachable(io::Error),
    #[error(
        "it doesn't answer within {0:?}; look whether it runs, and at host and port in the URL"
    )]
    Silent(Duration),
    #[error(
        "it refuses the login (code {0}); look at user and password in the URL, and at its pg_hba.conf"
    )]
    Login(String),
    #[error("it has no database of this name; make it: CREATE DATABASE … ENCODING 'UTF8'")]
    NoDatabase,
    #[error(
        "no secure connection ({0}); look at sslmode and sslrootcert in the URL: a server without \
         TLS needs sslmode=disable, and a certificate of your own authority \
         sslmode=verify-full&sslrootcert=FILE"
    )]
    Tls(Error),
    #[error("it is version {0}, and {OLDEST} or a later one is needed")]
    Version(i32),
    #[error(
        "its encoding is {0}; make it anew: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
    )]
    Encoding(String),
    #[error(
        "a pooler stands before it (PgBouncer, in transaction or statement mode) that gives each \
         transaction another session, and prepared statements, timeouts and locks belong to one: set \
         pool_mode=session for this database, or give the address of the server itself"
    )]
    Pooled,
    #[error(
        "a pooler stands before it (PgBouncer) that refuses parameters of a session ({0}): set \
         ignore_startup_parameters=extra_float_digits,options there, and pool_mode=session"
    )]
    RefusedParameters(String),
    #[error("it is a standby, which takes no writes; give the primary's host")]
    Standby,
    #[error("{0}")]
    Other(Error),
}

impl From<Error> for ServerError {
    fn from(error: Error) -> Self {
        let code = error.as_database_error().and_then(DatabaseError::code);
        let code = code.map(Cow::into_owned);
        match (code.as_deref(), error) {
            (Some(code @ ("28P01" | "28000")), _) => Self::Login(code.to_owned()),
            (Some("3D000"), _) => Self::NoDatabase,
            // duplicate_prepared_statement, invalid_sql_statement_name: another session has our
            // statement.
            (Some("42P05" | "26000"), _) => Self::Pooled,
            // protocol_violation, with PgBouncer's message.
            (Some("08P01"), Error::Database(error))
                if error.message().contains("startup parameter") =>
            {
                Self::RefusedParameters(error.message().to_owned())
            }
            // A failed TLS handshake is reported as this error.
            (_, Error::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                Self::Tls(Error::Io(error))
            }
            (_, Error::Io(error)) => Self::Unreachable(error),
            (_, error @ Error::Tls(_)) => Self::Tls(error),
            (_, error) => Self::Other(error),
        }
    }
}

impl ServerError {
    /// Returns whether the server may just be starting.
    pub(crate) fn may_be_starting(&self) -> bool {
        match self {
            Self::Unreachable(error) => error.kind() == io::ErrorKind::ConnectionRefused,
            // cannot_connect_now
            Self::Other(error) => error
                .as_database_error()
                .is_some_and(|error| error.code().as_deref() == Some("57P03")),
            _ => false,
        }
    }
}
