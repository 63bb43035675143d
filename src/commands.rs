//! What each command does.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;

use anyhow::{Context, Result};

use crate::cli::{Cli, Command};
use crate::config::{Options, ServerUrl};
use crate::traces::Traces;
use crate::wiring;

mod healthcheck;
mod keys;
mod sandbox;
mod serve;

/// Runs the command to its end, and the traces to theirs.
///
/// # Errors
/// Whatever makes the program stop, for a person to read.
pub fn run(cli: Cli, traces: Traces) -> Result<()> {
    let mut options = cli.options;
    match cli.command.unwrap_or(Command::Serve { listen: None }) {
        Command::Serve { listen } => {
            options.listen = listen.unwrap_or(options.listen);
            runtime()?.block_on(serve::run(options, traces))
        }
        Command::Keys(command) => runtime()?.block_on(keys::run(options, command)),
        Command::Migrate => runtime()?.block_on(async {
            prepare_data_dir(&options)?;
            wiring::bring_up_to_date(&options).await
        }),
        Command::Sandbox { listen, latency } => runtime()?.block_on(sandbox::run(listen, latency)),
        Command::Healthcheck => runtime()?.block_on(healthcheck::run(options.listen)),
        Command::Openapi => {
            crate::say(rest::openapi_json().trim_end());
            Ok(())
        }
        Command::Schema => {
            crate::say(graphql::schema_sdl().trim_end());
            Ok(())
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    rustls::crypto::aws_lc_rs::default_provider()
        .install_default()
        .map_err(|_| anyhow::anyhow!("another TLS provider was installed first"))?;
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("starting the runtime")
}

/// Makes the data folder, for its owner alone, when it is missing. Replicas have none.
fn prepare_data_dir(options: &Options) -> Result<()> {
    if options
        .database_url
        .as_ref()
        .is_some_and(ServerUrl::is_server)
    {
        return Ok(());
    }
    let folder = &options.data_dir;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("making the data folder {} (CEP_DATA_DIR)", folder.display()))
}
