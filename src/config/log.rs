//! What is logged, and how.

use clap::ValueEnum;

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// For people.
    Text,
}

pub(super) fn filter(text: &str) -> Result<String, String> {
    let words = text.split(',').map(str::trim);
    // A word that is no level would be taken for a target, and everything else would go unlogged.
    let levels = ["off", "error", "warn", "info", "debug", "trace"];
    if let Some(word) = words
        .filter(|word| !word.contains(['=', '[']))
        .find(|word| !levels.contains(&word.to_ascii_lowercase().as_str()))
    {
        return Err(format!(
            "`{word}` is no level; the levels are {}",
            levels.join(", ")
        ));
    }
    tracing_subscriber::EnvFilter::try_new(text).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}
