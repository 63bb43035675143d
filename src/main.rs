//! `cep-gateway`: the gateway and its tools in one binary.

use std::process::ExitCode;

use cep_gateway::{cli, commands, telemetry};

/// A tenth of the time of a request goes to allocation with the system's own allocator (bench/).
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = cli::parse();
    let _log = telemetry::start(&cli.options);
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cep_gateway::say_error(&error);
            ExitCode::FAILURE
        }
    }
}
