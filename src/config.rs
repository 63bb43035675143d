//! The options and their types. Everything is read once, here, and refused here when it is wrong.

use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use bank_portal::PortalUrl;
use clap::Args;
use domain::key::{Environment, HashGeneration, KeyHasher};
use domain::limits::{MAX_MONTHLY_QUOTA, MAX_PER_MINUTE};
use domain::sign_in::PendingSignInSeal;
use zeroize::Zeroizing;

mod admin;
mod files;
mod log;
mod people;
mod servers;
mod traces;

pub use admin::{AdminAddress, AdminOptions, InstanceName};
pub use files::{Certificates, FileOptions, Nodes};
pub use log::LogFormat;
pub use people::{PeopleOptions, Switch};
pub use servers::ServerUrl;
pub use traces::{CollectorHeaders, CollectorUrl, TraceOptions};

/// Everything that can be set.
#[derive(Debug, Args)]
pub struct Options {
    /// Address to serve on.
    #[arg(
        long,
        env = "CEP_LISTEN",
        value_name = "ADDR",
        default_value = "127.0.0.1:8080",
        value_parser = address
    )]
    pub listen: SocketAddr,

    /// Folder of the embedded database and the generated secret; made when it is missing.
    #[arg(
        long,
        env = "CEP_DATA_DIR",
        global = true,
        value_name = "DIR",
        default_value = "data"
    )]
    pub data_dir: PathBuf,

    /// Database to use instead of the one in the data folder: `sqlite://PATH`, or for replicas
    /// `postgres://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full`.
    #[arg(
        long,
        env = "CEP_DATABASE_URL",
        global = true,
        value_name = "URL",
        hide_env_values = true,
        value_parser = servers::database
    )]
    pub database_url: Option<ServerUrl>,

    /// Connections to the database for keys and sessions. Each process has more: one for the
    /// journal (three on PostgreSQL), and two for the dashboard.
    #[arg(
        long,
        env = "CEP_DATABASE_CONNECTIONS",
        global = true,
        value_name = "N",
        default_value_t = 4,
        value_parser = clap::value_parser!(u32).range(1..=1_000)
    )]
    pub database_connections: u32,

    /// Seconds that a statement of a database server may take. What needs several of them may take
    /// twice as long, and connecting 3 seconds more.
    #[arg(long, env = "CEP_DATABASE_TIMEOUT", global = true, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub database_timeout: Duration,

    /// Redis that replicas share their limits in: `redis://` or, with TLS, `rediss://`.
    #[arg(
        long,
        env = "CEP_REDIS_URL",
        global = true,
        value_name = "URL",
        hide_env_values = true,
        value_parser = servers::redis
    )]
    pub redis_url: Option<ServerUrl>,

    /// Nodes of a Redis Cluster that replicas share their limits in, separated by commas; some of
    /// them are enough.
    #[arg(
        long,
        env = "CEP_REDIS_CLUSTER",
        global = true,
        value_name = "URLS",
        hide_env_values = true,
        value_delimiter = ',',
        value_parser = servers::redis,
        conflicts_with = "redis_url"
    )]
    pub redis_cluster: Vec<ServerUrl>,

    /// Replicas that serve at the same time. While Redis is down each admits its share of every
    /// limit: too small a number admits too much then.
    #[arg(
        long,
        env = "CEP_REPLICAS",
        global = true,
        value_name = "N",
        default_value = "2",
        value_parser = servers::replicas
    )]
    pub replicas: NonZeroU32,

    /// Milliseconds that Redis may take to answer; a call that takes longer has failed.
    #[arg(
        long,
        env = "CEP_REDIS_TIMEOUT",
        global = true,
        value_name = "MS",
        default_value_t = 150,
        value_parser = clap::value_parser!(u64).range(1..=60_000)
    )]
    pub redis_timeout: u64,

    /// Secret that keys the hash of API keys, at least 32 bytes; generated in the data folder when
    /// it is not given. To rotate, list generations: `2:NEW,1:OLD`. The first is for new keys.
    #[arg(
        long,
        env = "CEP_HMAC_SECRET",
        global = true,
        value_name = "SECRET",
        hide_env_values = true
    )]
    pub hmac_secret: Option<HmacSecret>,

    /// The central bank's portal, which `live` keys ask; https, or http on a loopback address.
    #[arg(
        long,
        env = "CEP_BANK_URL",
        global = true,
        value_name = "URL",
        default_value = bank_portal::CENTRAL_BANK,
        value_parser = |text: &str| PortalUrl::parse(text)
    )]
    pub bank_url: PortalUrl,

    /// Lookups a minute that the central bank's portal is asked at most, by all replicas together:
    /// it counts by address. While Redis is down each replica keeps to its share.
    #[arg(
        long,
        env = "CEP_BANK_BUDGET",
        global = true,
        value_name = "N",
        default_value = "15"
    )]
    pub bank_budget: NonZeroU32,

    /// Seconds that a lookup may take, waiting for its turn included.
    #[arg(long, env = "CEP_BANK_TIMEOUT", global = true, value_name = "SECONDS", default_value = "25", value_parser = seconds)]
    pub bank_timeout: Duration,

    /// Seconds that connecting to the bank may take.
    #[arg(long, env = "CEP_BANK_CONNECT_TIMEOUT", global = true, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub bank_connect_timeout: Duration,

    /// Folder in which pages of the bank that nobody has seen before are kept for diagnosis, the
    /// newest 20. They may hold personal data. Off when not given.
    #[arg(
        long,
        env = "CEP_BANK_DIAGNOSTICS_DIR",
        global = true,
        value_name = "DIR"
    )]
    pub bank_diagnostics_dir: Option<PathBuf>,

    /// Address of the sandbox bank, which `test` keys ask.
    #[arg(long, env = "CEP_SANDBOX_LISTEN", global = true, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = loopback)]
    pub sandbox_listen: SocketAddr,

    /// Milliseconds that each lookup of the sandbox bank takes.
    #[arg(
        long,
        env = "CEP_SANDBOX_LATENCY",
        global = true,
        value_name = "MS",
        default_value_t = 0
    )]
    pub sandbox_latency: u64,

    /// Mebibytes of issued proofs that are kept in memory.
    #[arg(
        long,
        env = "CEP_PROOF_MEMORY",
        global = true,
        value_name = "MIB",
        default_value_t = 64
    )]
    pub proof_memory: u32,

    /// Seconds that an issued proof is kept in memory.
    #[arg(long, env = "CEP_PROOF_MEMORY_AGE", global = true, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub proof_memory_age: Duration,

    /// Connections that are served at the same time; more wait.
    #[arg(
        long,
        env = "CEP_MAX_CONNECTIONS",
        global = true,
        value_name = "N",
        default_value_t = 8_192,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub max_connections: u32,

    /// Days that requests are kept.
    #[arg(
        long,
        env = "CEP_REQUEST_RETENTION",
        global = true,
        value_name = "DAYS",
        default_value_t = 90,
        value_parser = clap::value_parser!(u32).range(1..=36_500)
    )]
    pub request_retention: u32,

    /// Days that statistics of use are kept.
    #[arg(
        long,
        env = "CEP_USAGE_RETENTION",
        global = true,
        value_name = "DAYS",
        default_value_t = 400,
        value_parser = clap::value_parser!(u32).range(1..=36_500)
    )]
    pub usage_retention: u32,

    /// What people use.
    #[command(flatten)]
    pub people: PeopleOptions,

    /// What stands in files.
    #[command(flatten)]
    pub files: FileOptions,

    /// What operators use.
    #[command(flatten)]
    pub admin: AdminOptions,

    /// Where traces go.
    #[command(flatten)]
    pub traces: TraceOptions,

    /// What is logged: `error`, `warn`, `info`, `debug`, or directives such as
    /// `info,bank_portal=debug`.
    #[arg(long, env = "CEP_LOG", global = true, value_name = "FILTER", default_value = "info,sea_orm_migration=warn,sqlx::postgres::notice=warn", value_parser = log::filter)]
    pub log: String,

    /// How it is logged, on the standard error.
    #[arg(
        long,
        env = "CEP_LOG_FORMAT",
        global = true,
        value_name = "FORMAT",
        default_value = "json"
    )]
    pub log_format: LogFormat,
}

/// The secrets that key the hash of API keys. Wiped from memory when dropped, never shown.
#[derive(Clone)]
pub struct HmacSecret(Zeroizing<String>);

impl HmacSecret {
    /// The hasher that these secrets make.
    ///
    /// # Errors
    /// Says which part is wrong, without showing it.
    pub fn hasher(&self) -> Result<KeyHasher, String> {
        let listed = self
            .0
            .split(',')
            .map(generation)
            .collect::<Result<Vec<_>, _>>()?;
        KeyHasher::new(listed).map_err(|error| error.to_string())
    }

    /// The seal of sign-ins under way, made of the first of these secrets.
    ///
    /// # Errors
    /// Says which part is wrong, without showing it.
    pub fn ticket_seal(&self) -> Result<PendingSignInSeal, String> {
        let first = self.0.split(',').next().unwrap_or_default();
        let (_, secret) = generation(first)?;
        PendingSignInSeal::new(&secret).map_err(|error| error.to_string())
    }
}

/// One `GENERATION:SECRET`; a secret alone is the first generation.
fn generation(part: &str) -> Result<(HashGeneration, Vec<u8>), String> {
    let (number, secret) = match part.split_once(':') {
        Some((number, secret)) => (number, secret),
        None => ("1", part),
    };
    let number = number.trim().parse().map_err(|_| {
        "before a colon stands the generation of the secret, a number from 0 to 65535".to_owned()
    })?;
    Ok((HashGeneration(number), secret.trim().as_bytes().to_vec()))
}

impl FromStr for HmacSecret {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let secret = Self(Zeroizing::new(text.to_owned()));
        secret.hasher().map(|_| secret)
    }
}

impl fmt::Debug for HmacSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HmacSecret(redacted)")
    }
}

/// Reads `live` or `test`.
///
/// # Errors
/// Names both.
pub fn environment(text: &str) -> Result<Environment, String> {
    Environment::from_name(text).ok_or_else(|| "must be `live` or `test`".to_owned())
}

/// Longest time that can be set, in seconds.
const MAX_SECONDS: f64 = 86_400.0;

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "must be a number of seconds".to_owned())?;
    if !(0.001..=MAX_SECONDS).contains(&seconds) {
        return Err(format!("must be between 0.001 and {MAX_SECONDS} seconds"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address = address(text)?;
    if !address.ip().is_loopback() {
        return Err(
            "the sandbox listens on loopback addresses alone; use `cep-gateway sandbox` to run its \
                    bank elsewhere"
                .to_owned(),
        );
    }
    Ok(address)
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "must be an IP address and a port, for example 127.0.0.1:8080 or [::1]:8080".to_owned()
    })
}

/// Reads a number of requests a minute.
pub fn per_minute() -> impl clap::builder::TypedValueParser<Value = u32> {
    clap::value_parser!(u32).range(1..=i64::from(MAX_PER_MINUTE))
}

/// Reads a number of requests a month.
pub fn monthly_quota() -> impl clap::builder::TypedValueParser<Value = u64> {
    clap::value_parser!(u64).range(1..=MAX_MONTHLY_QUOTA)
}
