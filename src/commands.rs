//! The commands of the program.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cli::Command;
use crate::config::{DatabaseOptions, LogOptions};
use crate::traces::Traces;
use crate::{private_files, telemetry, wiring};

mod after_restore;
mod configuration;
mod healthcheck;
mod keys;
mod participants;
mod sandbox;
mod seals;
mod serve;
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
            log,
            command,
            ..
        } => {
            let _log = telemetry::start_of_command(&log)?;
            runtime()?.block_on(keys::run(options, command))
        }
        Command::Participants {
            options,
            bank,
            log,
            command,
            ..
        } => {
            let _log = telemetry::start_of_command(&log)?;
            runtime()?.block_on(participants::run(options, *bank, command))
        }
        Command::Seals {
            database,
            log,
            command,
            ..
        } => {
            let _log = telemetry::start_of_command(&log)?;
            runtime()?.block_on(seals::run(database, command))
        }
        Command::Verify(options) => {
            let _log = telemetry::start_of_command(&options.log)?;
            return Ok(runtime()?.block_on(verify::run(options)));
        }
        Command::Migrate {
            database,
            roles,
            log,
            ..
        } => {
            let _log = telemetry::start_of_command(&log)?;
            runtime()?.block_on(async {
                prepare_data_dir(&database)?;
                wiring::bring_up_to_date(&database, &roles).await?;
                crate::say("The database has the schema of this version.");
                Ok(())
            })
        }
        Command::AfterRestore { database, log, .. } => {
            let _log = telemetry::start_of_command(&log)?;
            runtime()?.block_on(after_restore::run(&database))
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

fn print(document: &str) -> Result<()> {
    let _log = telemetry::start(&LogOptions::default(), &Traces::off())?;
    crate::say(document.trim_end());
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

/// Makes the data folder when it is missing, and checks one that is there. Replicas have none.
fn prepare_data_dir(options: &DatabaseOptions) -> Result<()> {
    if options.is_server() {
        return Ok(());
    }
    let folder = &options.data_dir;
    private_files::prepare_folder(folder)
        .with_context(|| format!("the data folder {} (CEP_DATA_DIR)", folder.display()))
}
