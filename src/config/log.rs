//! Options of the log.

use clap::{Args, ValueEnum};

use super::heading;

/// Content and format of the log.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = heading::LOG)]
pub struct LogOptions {
    /// Filter of the log: `error`, `warn`, `info`, `debug`, or directives such as
    /// `info,bank_portal=debug`. Without it, commands that end by themselves show warnings alone on a terminal.
    #[arg(long, env = "CEP_LOG", value_name = "FILTER", default_value = DEFAULT_FILTER, value_parser = filter)]
    pub log: String,

    /// Format of the log on the standard error.
    #[arg(
        long,
        env = "CEP_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "auto"
    )]
    pub log_format: LogFormat,
}

const DEFAULT_FILTER: &str = "info,sea_orm_migration=warn,sqlx::postgres::notice=warn";

/// Log of commands that take no options for it.
impl Default for LogOptions {
    fn default() -> Self {
        Self {
            log: DEFAULT_FILTER.to_owned(),
            log_format: LogFormat::Auto,
        }
    }
}

impl LogOptions {
    /// Returns true when no filter was chosen.
    pub(crate) fn has_default_filter(&self) -> bool {
        self.log == DEFAULT_FILTER
    }

    /// These options with another filter.
    pub(crate) fn with_filter(&self, filter: &str) -> Self {
        Self {
            log: filter.to_owned(),
            log_format: self.log_format,
        }
    }
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text when the standard error is a terminal, JSON otherwise.
    Auto,
    /// One JSON object a line.
    Json,
    /// For people; with colours on a terminal.
    Text,
}

fn filter(text: &str) -> Result<String, String> {
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
