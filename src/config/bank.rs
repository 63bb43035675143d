//! Options of the banks: the central bank's portal, its sandbox, and proofs in memory.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use bank_portal::PortalUrl;
use clap::Args;

use super::people::Switch;
use super::{heading, value};

/// The central bank's portal, and proofs in memory.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::BANK)]
pub struct BankOptions {
    /// The central bank's portal, which `live` keys ask; https, or http on a loopback address.
    #[arg(
        long,
        env = "CEP_BANK_URL",
        value_name = "URL",
        default_value = bank_portal::CENTRAL_BANK,
        value_parser = |text: &str| PortalUrl::parse(text)
    )]
    pub bank_url: PortalUrl,

    /// Address to which files are posted when `?banxico=true` asks the central bank's validator about a seal:
    /// `https://www.banxico.org.mx/validador-cep-spei/Validador`; https, or http on a loopback address. Off when not
    /// given, because the whole file leaves the gateway, with names, accounts and amount.
    #[arg(long, env = "CEP_VALIDATOR_URL", value_name = "URL", value_parser = |text: &str| PortalUrl::parse(text))]
    pub validator_url: Option<PortalUrl>,

    /// Lookups a minute that the central bank's portal is asked at most, by all replicas together:
    /// it counts by address. While Redis is down each replica keeps to its share.
    #[arg(long, env = "CEP_BANK_BUDGET", value_name = "N", default_value = "15")]
    pub bank_budget: NonZeroU32,

    /// Seconds that a lookup may take, waiting for its turn included.
    #[arg(long, env = "CEP_BANK_TIMEOUT", value_name = "SECONDS", default_value = "25", value_parser = value::seconds)]
    pub bank_timeout: Duration,

    /// Seconds that connecting to the bank may take.
    #[arg(long, env = "CEP_BANK_CONNECT_TIMEOUT", value_name = "SECONDS", default_value = "5", value_parser = value::seconds)]
    pub bank_connect_timeout: Duration,

    /// Folder in which pages of the bank that nobody has seen before are kept for diagnosis, the
    /// newest 20. They may hold personal data. Off when not given.
    #[arg(long, env = "CEP_BANK_DIAGNOSTICS_DIR", value_name = "DIR")]
    pub bank_diagnostics_dir: Option<PathBuf>,

    /// Renewal of the catalogue of participants from the portal, once a day: one query of one of all
    /// replicas. When it is off, `participants refresh` and `participants import` renew it.
    #[arg(
        long,
        env = "CEP_PARTICIPANT_RENEWAL",
        value_name = "SWITCH",
        default_value = "on"
    )]
    pub participant_renewal: Switch,

    /// Mebibytes of issued proofs that are kept in memory.
    #[arg(
        long,
        env = "CEP_PROOF_MEMORY",
        value_name = "MIB",
        default_value_t = 64
    )]
    pub proof_memory: u32,

    /// Seconds that an issued proof is kept in memory.
    #[arg(long, env = "CEP_PROOF_MEMORY_AGE", value_name = "SECONDS", default_value = "600", value_parser = value::seconds)]
    pub proof_memory_age: Duration,
}

/// The sandbox bank beside a gateway.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::SANDBOX)]
pub struct SandboxOptions {
    /// Address of the sandbox bank, which `test` keys ask; port 0 is any free one.
    #[arg(long, env = "CEP_SANDBOX_LISTEN", value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = value::loopback)]
    pub sandbox_listen: SocketAddr,

    /// Milliseconds that each lookup of the sandbox bank takes.
    #[arg(
        long,
        env = "CEP_SANDBOX_LATENCY",
        value_name = "MS",
        default_value_t = 0
    )]
    pub sandbox_latency: u64,
}
