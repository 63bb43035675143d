//! The command that checks proofs.

use std::path::PathBuf;

use clap::Args;

use crate::config::{DatabaseOptions, LogOptions};

/// Files to check, and the keys that count.
#[derive(Debug, Args)]
pub struct VerifyOptions {
    /// The database, which has the keys of seals.
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// Logs.
    #[command(flatten)]
    pub log: LogOptions,
    /// Count the sandbox's proofs as valid, for tests. Anybody can make them: they prove nothing.
    #[arg(long)]
    pub sandbox: bool,
    /// The proofs, as the portal or somebody else gave them.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
