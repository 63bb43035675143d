//! Logs: structured, on the standard error, in UTC.

use tracing_subscriber::EnvFilter;

use crate::config::{LogFormat, Options};

/// Starts logging, also of panics. Call it once, first thing.
pub fn start(options: &Options) {
    let filter = EnvFilter::new(&options.log);
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match options.log_format {
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .init(),
        LogFormat::Text => lines.init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        // Where it happened, never its text: that may quote what a caller sent.
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        tracing::error!(place, "a panic, which is a defect: please report the place");
    }));
}
