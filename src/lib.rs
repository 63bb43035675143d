//! The composition root: the command line, configuration, wiring and life cycle.
//!
//! `wiring` is the one page where services and adapters meet.

mod admin;
pub mod cli;
pub mod commands;
pub mod config;
mod first_start;
mod metrics;
mod secret;
mod server;
mod system;
pub mod telemetry;
pub mod traces;
mod wiring;

/// Tells a person on the terminal why the program stops.
#[expect(clippy::print_stderr, reason = "this is the terminal's, not the log's")]
pub fn say_error(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}

/// Tells a person, or a program that reads the standard output. Nobody has to be listening: a
/// closed pipe or a full disk there must not stop a server.
fn say(text: &str) {
    use std::io::Write as _;

    let mut output = std::io::stdout().lock();
    if let Err(error) = writeln!(output, "{text}").and_then(|()| output.flush()) {
        tracing::warn!(%error, "the standard output could not be written");
    }
}
