//! `cep-gateway`: the gateway and its tools in one binary.

use std::process::ExitCode;

use cep_gateway::{cli, commands};

/// A tenth of the time of a request goes to allocation with the system's own allocator (bench/).
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match commands::run(cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cep_gateway::say_error(&error);
            ExitCode::FAILURE
        }
    }
}
