//! The commands of the program.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cli::Command;
use crate::config::{DatabaseOptions, LogOptions, RoleOptions};
use crate::console::say;
use crate::traces::Traces;
use crate::{telemetry, wiring};

mod after_restore;
mod configuration;
mod data_dir;
mod healthcheck;
mod keys;
mod participants;
mod sandbox;
mod seals;
mod serve;
mod signals;
mod verify;

/// Runs the command to its end, and the log and traces to theirs; returns the program's status.
///
/// # Errors
/// The reason why the program stops, for a person to read.
pub fn run(command: Command) -> Result<ExitCode> {
    let ended = match command {
        Command::Serve(mut options) => {
            let instance = options.admin.name_process().clone();
            let traces = Traces::start(&options.traces, &instance)?;
            let log = telemetry::start(&options.log, &traces)?;
            log.hold_back_on_terminal();
            runtime()?.block_on(serve::run(*options, traces, &log))
        }
        Command::Keys {
            options,
            common,
            command,
        } => logged(&common.log, keys::run(options, command))?,
        Command::Participants {
            options,
            bank,
            common,
            command,
        } => logged(&common.log, participants::run(options, *bank, command))?,
        Command::Seals {
            database,
            common,
            command,
        } => logged(&common.log, seals::run(database, command))?,
        Command::Verify(options) => {
            let log = options.log.clone();
            return logged(&log, verify::run(options));
        }
        Command::Migrate {
            database,
            roles,
            common,
        } => logged(&common.log, migrate(&database, &roles))?,
        Command::AfterRestore { database, common } => {
            logged(&common.log, after_restore::run(&database))?
        }
        Command::Sandbox { listen, latency } => {
            let _log = telemetry::start(&LogOptions::default(), &Traces::off())?;
            runtime()?.block_on(sandbox::run(listen, latency))
        }
        Command::Healthcheck(options) => runtime()?.block_on(healthcheck::run(options.listen)),
        Command::Openapi => print(&rest::openapi_json()),
        Command::Schema => print(&graphql::schema_sdl()),
        Command::Configuration => print(&configuration::page()),
    };
    ended.map(|()| ExitCode::SUCCESS)
}

/// Does the work of a command that ends by itself, and writes its log.
fn logged<T>(options: &LogOptions, work: impl Future<Output = T>) -> Result<T> {
    let _log = telemetry::start_of_command(options)?;
    Ok(runtime()?.block_on(work))
}

async fn migrate(database: &DatabaseOptions, roles: &RoleOptions) -> Result<()> {
    data_dir::prepare(database)?;
    wiring::bring_up_to_date(database, roles).await?;
    say("The database has the schema of this version.");
    Ok(())
}

fn print(document: &str) -> Result<()> {
    let _log = telemetry::start(&LogOptions::default(), &Traces::off())?;
    say(document.trim_end());
    Ok(())
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
