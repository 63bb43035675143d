//! Options of the database.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Days, Utc};
use clap::Args;
use store_seaorm::{Retention, RoleName};

use super::secret::{Secret, SecretKind};
use super::url::ServerUrl;
use super::{heading, url, value};

/// The database and the data folder.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::DATABASE)]
pub struct DatabaseOptions {
    /// Folder of the embedded database and the generated secret; made when it is missing.
    #[arg(long, env = "CEP_DATA_DIR", value_name = "DIR", default_value = "data")]
    pub data_dir: PathBuf,

    /// Seconds that a statement of a database server may take. What needs several of them may take
    /// twice as long, and connecting 3 seconds more.
    #[arg(long, env = "CEP_DATABASE_TIMEOUT", value_name = "SECONDS", default_value = "5", value_parser = value::seconds)]
    pub database_timeout: Duration,

    /// Address of the database.
    #[command(flatten)]
    pub database_url: Secret<DatabaseUrl>,
}

impl DatabaseOptions {
    /// Reports a database that is a server, not a file.
    pub fn is_server(&self) -> bool {
        self.database_url.get().is_some_and(ServerUrl::is_server)
    }
}

/// The option `--database-url`.
#[derive(Debug)]
pub struct DatabaseUrl;

impl SecretKind for DatabaseUrl {
    type Value = ServerUrl;
    const NAME: &'static str = "database-url";
    const VALUE_NAME: &'static str = "URL";
    const HELP: &'static str = "Database to use instead of the one in the data folder: \
        `sqlite://PATH`, or for replicas \
        `postgres://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full`";
    const HEADING: &'static str = heading::DATABASE;

    fn parse(text: &str) -> Result<ServerUrl, String> {
        url::database(text)
    }
}

/// Roles of the database.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::DATABASE)]
pub struct RoleOptions {
    /// Role of PostgreSQL that serves, when it isn't the one that migrates: it is given the rights to
    /// serve and no others, so that it can't change the audit log.
    #[arg(long, env = "CEP_SERVING_ROLE", value_name = "ROLE", value_parser = RoleName::parse)]
    pub serving_role: Option<RoleName>,
}

/// Connections to the database.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::DATABASE)]
pub struct PoolOptions {
    /// Connections to the database for keys and sessions. Each process has more: one for the
    /// journal (three on PostgreSQL), and two for the dashboard.
    #[arg(
        long,
        env = "CEP_DATABASE_CONNECTIONS",
        value_name = "N",
        default_value_t = 4,
        value_parser = clap::value_parser!(u32).range(1..=1_000)
    )]
    pub database_connections: u32,
}

/// Retention of rows.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = heading::DATABASE)]
pub struct RetentionOptions {
    /// Days that requests are kept.
    #[arg(
        long,
        env = "CEP_REQUEST_RETENTION",
        value_name = "DAYS",
        default_value_t = 90,
        value_parser = clap::value_parser!(u32).range(1..=36_500)
    )]
    pub request_retention: u32,

    /// Days that statistics of use are kept.
    #[arg(
        long,
        env = "CEP_USAGE_RETENTION",
        value_name = "DAYS",
        default_value_t = 400,
        value_parser = clap::value_parser!(u32).range(1..=36_500)
    )]
    pub usage_retention: u32,
}

impl RetentionOptions {
    /// Limits of retention at `now`, where issued proofs are kept for so many days.
    pub(crate) fn limits(
        self,
        archive_days: u32,
        lookup_days: u32,
        now: DateTime<Utc>,
    ) -> Retention {
        let before = |days: u32| now - Days::new(u64::from(days));
        Retention {
            requests_before: before(self.request_retention),
            usage_before: before(self.usage_retention),
            archived_before: before(archive_days),
            lookups_ended_before: before(lookup_days),
            now,
        }
    }
}
