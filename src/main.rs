//! `cep-gateway`: the gateway and its tools in one binary.

use std::process::ExitCode;

use anyhow::Context as _;
use cep_gateway::{cli, commands, core_dumps, say_error};

/// A tenth of the time of a request goes to allocation with the system's own allocator (bench/).
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // Before the command line is read, which has secrets. A system that refuses is no reason not to serve.
    if let Err(error) = core_dumps::forbid().context("forbidding core dumps (ulimit -c)") {
        say_error(&error);
    }
    let command = match cli::parse() {
        Ok(command) => command,
        Err(status) => return status,
    };
    match commands::run(command) {
        Ok(status) => status,
        Err(error) => {
            say_error(&error);
            ExitCode::FAILURE
        }
    }
}
