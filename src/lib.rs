//! The composition root: the command line, configuration, wiring and life cycle.
//!
//! `wiring` is the one page where services and adapters meet.

mod admin;
pub mod cli;
pub mod commands;
pub mod config;
mod database_log;
mod first_start;
mod metrics;
mod secret;
mod server;
mod system;
mod systemd;
pub mod telemetry;
pub mod traces;
mod wiring;

/// Tells a person on the terminal why the program stops.
#[expect(clippy::print_stderr, reason = "this is the terminal's, not the log's")]
pub fn say_error(error: &anyhow::Error) {
    eprintln!("error: {}", told(error));
}

/// An error and what caused it, but for causes that the error tells of by itself.
fn told(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |told, cause| {
        let cause = cause.to_string();
        match told.as_str() {
            "" => cause,
            told if told.contains(&cause) => told.to_owned(),
            told => format!("{told}: {cause}"),
        }
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let error = anyhow::anyhow!("nothing answers")
            .context("the database can't be used: nothing answers")
            .context("opening the database");
        assert_eq!(
            told(&error),
            "opening the database: the database can't be used: nothing answers"
        );
    }
}
