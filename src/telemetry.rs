//! Logs: structured, on the standard error, in UTC.

use std::io::BufWriter;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use crate::config::{LogFormat, Options};

/// Lines that may wait to be written. More are dropped: a log that nobody reads must not stop the
/// gateway.
const LINES_WAITING: usize = 32_768;

/// Starts logging, also of panics. Call it once, first thing; what is logged is written until the
/// guard is dropped.
///
/// Lines are written by a thread of their own, which takes as many at a time as there are.
#[must_use = "nothing is logged once the guard is dropped"]
pub fn start(options: &Options) -> WorkerGuard {
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(LINES_WAITING)
        .finish(BufWriter::with_capacity(64 * 1024, std::io::stderr()));
    let filter = EnvFilter::new(&options.log);
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer);
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
    guard
}
