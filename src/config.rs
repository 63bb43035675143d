//! Options of the commands, and the types of their values. Each option is declared once, in the group
//! of options that belong together; a command takes the groups that it uses ([`crate::cli`]).
//! Everything is read at the start, and refused there when it is wrong.

use clap::Args;

mod admin;
mod archive;
mod bank;
mod database;
mod deployment;
mod generations;
mod heading;
mod hmac;
mod listen;
mod log;
mod lookups;
mod people;
mod replicas;
mod secret;
mod server;
mod traces;
mod url;
mod value;
mod variables;
mod webhooks;

pub use admin::{AdminAddress, AdminOptions, InstanceName};
pub use archive::{ArchiveOptions, StoreSecret};
pub use bank::{BankOptions, SandboxOptions};
pub use database::{DatabaseOptions, PoolOptions, RetentionOptions, RoleOptions};
pub use deployment::Deployment;
pub use hmac::HmacSecret;
pub use listen::Listen;
pub use log::{LogFormat, LogOptions};
pub use lookups::LookupOptions;
pub use people::{PeopleOptions, Switch};
pub use replicas::{Certificates, ReplicaOptions};
pub use secret::{Secret, SecretKind, variable};
pub use server::{ConnectionOptions, ListenOptions};
pub use traces::{CollectorHeaders, CollectorUrl, TraceOptions};
pub use url::ServerUrl;
pub use value::{certificate, date, environment, monthly_quota, participant, per_minute};
pub use variables::VariableOptions;
pub use webhooks::WebhookOptions;

/// Options of `serve`.
#[derive(Debug, Args)]
pub struct ServeOptions {
    /// Address to serve on.
    #[command(flatten)]
    pub listen: ListenOptions,
    /// Connections of callers.
    #[command(flatten)]
    pub connections: ConnectionOptions,
    /// Database, Redis and the secret of keys.
    #[command(flatten)]
    pub keys: KeyOptions,
    /// Connections to the database.
    #[command(flatten)]
    pub pool: PoolOptions,
    /// Retention of requests and statistics.
    #[command(flatten)]
    pub retention: RetentionOptions,
    /// The central bank's portal, and proofs in memory.
    #[command(flatten)]
    pub bank: BankOptions,
    /// The archive of issued proofs.
    #[command(flatten)]
    pub archive: ArchiveOptions,
    /// Stored lookups.
    #[command(flatten)]
    pub lookups: LookupOptions,
    /// Webhooks.
    #[command(flatten)]
    pub webhooks: WebhookOptions,
    /// The sandbox bank.
    #[command(flatten)]
    pub sandbox: SandboxOptions,
    /// Dashboard and sign-in.
    #[command(flatten)]
    pub people: PeopleOptions,
    /// Metrics, and the name of the process.
    #[command(flatten)]
    pub admin: AdminOptions,
    /// Export of traces.
    #[command(flatten)]
    pub traces: TraceOptions,
    /// Logs.
    #[command(flatten)]
    pub log: LogOptions,
    /// Variables that are no options.
    #[command(flatten)]
    pub variables: VariableOptions,
}

/// Options of `keys`, and a part of those of `serve`.
#[derive(Debug, Args)]
pub struct KeyOptions {
    /// The database.
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// The secret that keys the hash of API keys.
    #[command(flatten)]
    pub hmac_secret: Secret<HmacSecret>,
    /// Redis and the number of replicas.
    #[command(flatten)]
    pub replicas: ReplicaOptions,
}
