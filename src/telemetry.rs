//! Logs: structured, on the standard error, in UTC.

use tracing_subscriber::EnvFilter;

use crate::config::{LogFormat, Options};

/// Starts logging. Call it once, first thing.
pub fn start(options: &Options) {
    let filter = EnvFilter::new(&options.log);
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match options.log_format {
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).init(),
        LogFormat::Text => lines.init(),
    }
}
