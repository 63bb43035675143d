//! `cep-gateway`: the gateway and its tools in one binary.

use std::process::ExitCode;

use cep_gateway::{cli, commands, telemetry};

fn main() -> ExitCode {
    let cli = cli::parse();
    telemetry::start(&cli.options);
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cep_gateway::say_error(&error);
            ExitCode::FAILURE
        }
    }
}
