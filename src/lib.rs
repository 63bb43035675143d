//! The composition root: the command line, configuration, wiring and life cycle.
//!
//! [`wiring`] is the one page where services and adapters meet.

pub mod cli;
pub mod commands;
pub mod config;
mod first_start;
mod secret;
mod server;
mod system;
pub mod telemetry;
mod wiring;

/// Tells a person on the terminal why the program stops.
#[expect(clippy::print_stderr, reason = "this is the terminal's, not the log's")]
pub fn say_error(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}

/// Tells a person, or a program that reads the standard output.
#[expect(
    clippy::print_stdout,
    reason = "this is what the command was asked to print"
)]
fn say(text: &str) {
    println!("{text}");
}
