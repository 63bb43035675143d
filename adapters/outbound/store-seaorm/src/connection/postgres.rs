//! PostgreSQL: URL, checks of the server, and pools of connections.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use domain::loopback::is_loopback;
use sea_orm::sqlx::error::DatabaseError;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sea_orm::sqlx::{ConnectOptions as _, Connection as _, Error, PgConnection, Row as _, query};
use sea_orm::{DatabaseConnection, SqlxPostgresConnector};
use tokio::time::timeout;
use url::Url;

use super::{OpenError, StoreOptions};

/// The oldest version that the tests run on.
const OLDEST: i32 = 15;
/// Application name in the server's list of connections, unless the URL has another one.
const APPLICATION: &str = "cep-gateway";
/// Pause between two attempts to reach a server that starts.
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// A connection that was idle for longer is tested before it is used: the server may have been
/// restarted, or a firewall may have dropped it.
const TEST_AFTER_IDLE: Duration = Duration::from_secs(1);
/// A commit that was answered survives a crash, also on a server with `synchronous_commit` off.
/// Stronger settings (replicas) are left to the server.
const DURABLE: &str = "SELECT set_config('synchronous_commit', 'on', false) \
    WHERE current_setting('synchronous_commit') = 'off'";
/// Marks a session. If another connection finds the mark, both share the session, as with a pooler
/// that assigns sessions per transaction.
const MARK_SESSION: &str =
    "SELECT set_config('cep_gateway.session', gen_random_uuid()::text, false)";
/// The URL parameters that are supported.
const PARAMETERS: [&str; 7] = [
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

/// Connection options of a PostgreSQL database.
#[derive(Clone)]
pub(crate) struct Server {
    /// Includes the password.
    options: PgConnectOptions,
    /// Host, port and database, for errors.
    name: String,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Server").field(&self.name).finish()
    }
}

impl Server {
    pub(super) fn parse(url: &str) -> Result<Self, UrlError> {
        let parsed = Url::parse(url).map_err(|_| UrlError::Unreadable)?;
        // An error about the URL must not repeat a part of a password that isn't escaped: one with
        // a question mark ends up among the parameters, one with a slash in the path.
        if parsed.username().is_empty() {
            return Err(UrlError::NoUser);
        }
        let database = parsed.path().trim_start_matches('/');
        if database.is_empty() {
            return Err(UrlError::NoDatabase);
        }
        if database.contains(['/', '@']) || parsed.fragment().is_some() {
            return Err(UrlError::Unreadable);
        }
        let given = parameters(&parsed)?;
        let socket = given.iter().find(|(name, _)| *name == "host");
        let host = match (socket, parsed.host_str()) {
            (Some((_, folder)), _) if folder.starts_with('/') => folder.clone(),
            (Some(_), _) => return Err(UrlError::SocketFolder),
            (None, Some(host)) if !host.is_empty() => host.replace("%2F", "/"),
            (None, _) => return Err(UrlError::NoHost),
        };
        let name = format!("{host}:{}/{database}", parsed.port().unwrap_or(5432));
        let is_socket = host.starts_with('/');
        let ssl_mode = ssl_mode(
            &given,
            is_socket || parsed.host_str().is_some_and(is_loopback),
        )?;
        let mut options = PgConnectOptions::from_url(&parsed)
            .map_err(|_| UrlError::Unreadable)?
            .ssl_mode(ssl_mode);
        if !given.iter().any(|(name, _)| *name == "application_name") {
            options = options.application_name(APPLICATION);
        }
        Ok(Self { options, name })
    }

    /// Checks that the server can be used; retries until `connect_timeout` while it starts.
    pub(super) async fn check(&self, options: StoreOptions) -> Result<(), OpenError> {
        let deadline = Instant::now() + options.connect_timeout;
        let answered = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match timeout(left, self.try_out(options)).await {
                Ok(Err(fault))
                    if fault.may_be_starting() && Instant::now() + RETRY_PAUSE < deadline =>
                {
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
                Ok(answered) => break answered,
                Err(_) => break Err(ServerError::Silent(options.connect_timeout)),
            }
        };
        answered.map_err(|fault| OpenError::Server {
            server: self.name.clone(),
            fault,
        })
    }

    async fn try_out(&self, options: StoreOptions) -> Result<(), ServerError> {
        let options = self.with_timeouts(options);
        let mut other = PgConnection::connect_with(&options).await?;
        let marked = query(MARK_SESSION).fetch_one(&mut other).await?;
        let mut connection = PgConnection::connect_with(&options).await?;
        let facts = query(
            "SELECT current_setting('server_version_num')::int4 / 10000, \
             current_setting('server_encoding'), pg_is_in_recovery(), \
             current_setting('cep_gateway.session', true)",
        );
        let facts = facts.fetch_one(&mut connection).await?;
        connection.close().await?;
        other.close().await?;
        if facts.try_get::<Option<String>, _>(3)? == Some(marked.try_get(0)?) {
            return Err(ServerError::Pooled);
        }
        let version: i32 = facts.try_get(0)?;
        if version < OLDEST {
            return Err(ServerError::Version(version));
        }
        let encoding: String = facts.try_get(1)?;
        if encoding != "UTF8" {
            return Err(ServerError::Encoding(encoding));
        }
        if facts.try_get(2)? {
            return Err(ServerError::Standby);
        }
        Ok(())
    }

    /// A pool that opens its connections on first use.
    pub(super) fn connect(&self, connections: u32, options: StoreOptions) -> DatabaseConnection {
        let patience = options.connect_timeout;
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(patience)
            .after_connect(|connection, _| {
                Box::pin(async move { query(DURABLE).execute(connection).await.map(drop) })
            })
            .test_before_acquire(false)
            .before_acquire(move |connection, known| {
                Box::pin(async move {
                    if known.idle_for >= TEST_AFTER_IDLE {
                        ping(connection, patience).await?;
                    }
                    Ok(true)
                })
            })
            // A pool tests each connection that comes back, and waits for ever for one whose server
            // is gone without closing it.
            .after_release(move |connection, _| {
                Box::pin(async move { ping(connection, patience).await.map(|()| true) })
            })
            .connect_lazy_with(self.with_timeouts(options));
        SqlxPostgresConnector::from_sqlx_postgres_pool(pool)
    }

    fn with_timeouts(&self, options: StoreOptions) -> PgConnectOptions {
        let millis = |duration: Duration| duration.as_millis().to_string();
        let statement = millis(options.statement_timeout);
        self.options
            .clone()
            .options([
                ("statement_timeout", statement.as_str()),
                // A client that stops in the middle of a transaction must not hold its rows for
                // ever.
                ("idle_in_transaction_session_timeout", statement.as_str()),
                ("lock_timeout", millis(options.lock_timeout).as_str()),
                // The statements rely on this level, whatever the server's default is.
                ("default_transaction_isolation", "read committed"),
            ])
            .disable_statement_logging()
    }
}

async fn ping(connection: &mut PgConnection, patience: Duration) -> Result<(), Error> {
    timeout(patience, connection.ping())
        .await
        .map_err(|_| Error::Io(io::ErrorKind::TimedOut.into()))?
}

/// Reads the URL's parameters; each must be known, and be given once.
fn parameters(url: &Url) -> Result<Vec<(&'static str, String)>, UrlError> {
    let mut seen = HashSet::new();
    let mut given = Vec::new();
    for (name, value) in url.query_pairs() {
        let known = PARAMETERS.into_iter().find(|known| *known == name);
        let known = known.ok_or(UrlError::UnknownParameter)?;
        if !seen.insert(known) {
            return Err(UrlError::Repeated(known));
        }
        given.push((known, value.into_owned()));
    }
    Ok(given)
}

/// TLS mode: full verification unless the URL names another mode.
fn ssl_mode(given: &[(&'static str, String)], is_local: bool) -> Result<PgSslMode, UrlError> {
    let value = |of: &str| given.iter().find(|(name, _)| *name == of);
    let has_certificates = ["sslrootcert", "sslcert", "sslkey"]
        .into_iter()
        .any(|name| value(name).is_some());
    match value("sslmode").map(|(_, mode)| mode.as_str()) {
        Some("verify-full") => Ok(PgSslMode::VerifyFull),
        Some("verify-ca") => Ok(PgSslMode::VerifyCa),
        // PostgreSQL's own programs, too, verify the authority when a root certificate is given.
        Some("require") if value("sslrootcert").is_some() => Ok(PgSslMode::VerifyCa),
        Some("require") => Ok(PgSslMode::Require),
        Some("prefer" | "disable") if has_certificates => Err(UrlError::UnusedCertificates),
        Some("prefer") => Ok(PgSslMode::Prefer),
        Some("disable") => Ok(PgSslMode::Disable),
        Some(_) => Err(UrlError::SslMode),
        None if is_local && !has_certificates => Ok(PgSslMode::Prefer),
        None => Ok(PgSslMode::VerifyFull),
    }
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
    fn may_be_starting(&self) -> bool {
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
