//! PostgreSQL: URL, checks of the server, and pools of connections.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use domain::loopback::is_loopback;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sea_orm::sqlx::{ConnectOptions as _, Connection as _, Error, PgConnection, Row as _, query};
use sea_orm::{DatabaseConnection, SqlxPostgresConnector};
use tokio::time::timeout;
use url::Url;

use super::error::OpenError;
use super::options::StoreOptions;
use error::{OLDEST, PARAMETERS, ServerError, UrlError};

pub(super) mod error;

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
