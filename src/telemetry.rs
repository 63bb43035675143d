//! The log (structured, on standard error, in UTC), and the layer that exports spans.

use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::{DefaultFields, Format, Json, JsonFields};
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, registry};

use crate::config::{LogFormat, LogOptions};
use crate::traces::{self, Traces};

mod output;
mod queues;

use output::Output;
pub(crate) use queues::DropCounts;
use queues::{DROPS, Queues, Workers};

/// The running log. Dropping it writes all waiting lines, unless standard error blocks.
pub(crate) struct Log {
    output: Output,
    queues: Queues,
    _workers: Workers,
}

impl Log {
    /// Holds lines back on a terminal until [`Log::release`], so that a person first reads what the
    /// program prints. Elsewhere every line is written at once, so that a crash loses none.
    pub(crate) fn hold_back_on_terminal(&self) {
        self.output.hold_back_on_terminal();
    }

    /// Writes the lines that were held back; later ones are written at once.
    pub(crate) fn release(&self) {
        self.output.release();
    }

    /// Counter of lines dropped because the log can't be written fast enough.
    pub(crate) fn dropped_lines(&self) -> DroppedLines {
        DroppedLines {
            queues: self.queues.clone(),
            output: self.output.clone(),
            reported: Mutex::default(),
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // After an error at startup the held-back lines explain it.
        self.release();
    }
}

/// State of the last report: the counts, and how often lines had been written.
#[derive(Default)]
struct Report {
    counts: DropCounts,
    flushes: Option<u64>,
}

/// Lines that were dropped, and how many of them a line of the log reported.
pub(crate) struct DroppedLines {
    queues: Queues,
    output: Output,
    reported: Mutex<Report>,
}

impl DroppedLines {
    /// Counts since the start.
    pub(crate) fn counts(&self) -> DropCounts {
        self.queues.dropped()
    }

    /// Logs how many lines were dropped since the last report, if any were, and if lines have been
    /// written since: a log that nobody reads isn't filled with reports.
    pub(crate) fn report(&self) {
        let now = self.counts();
        let flushes = Some(self.output.flushes());
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if now == reported.counts || flushes == reported.flushes {
            return;
        }
        tracing::warn!(
            target: DROPS,
            dropped = now.ordinary - reported.counts.ordinary,
            dropped_changes = now.reserved - reported.counts.reserved,
            "lines of the log were dropped: the standard error isn't read as fast as they come"
        );
        *reported = Report {
            counts: now,
            flushes,
        };
    }
}

/// Starts logging, panics included, and passes spans to `traces`. Call it once, before anything
/// else.
///
/// Lines are written by separate threads.
///
/// # Errors
/// A log was started before.
pub(crate) fn start(options: &LogOptions, traces: &Traces) -> Result<Log> {
    let output = Output::default();
    let (queues, workers) = Queues::start([output.clone(), output.urgent()]);
    let writer = queues.clone();
    // Spans aren't logged, and their fields aren't added to lines.
    let untraced = format!("{}=off", traces::TARGET)
        .parse()
        .context("the directive for spans")?;
    let filter = EnvFilter::new(&options.log).add_directive(untraced);
    match traces.layer() {
        None => registry()
            .with(lines(options.log_format, writer))
            .with(filter)
            .try_init(),
        Some(spans) => {
            let ours = Targets::new().with_target(traces::TARGET, LevelFilter::INFO);
            registry()
                .with(spans.with_filter(ours))
                .with(lines(options.log_format, writer).with_filter(filter))
                .try_init()
        }
    }
    .context("starting the log")?;
    std::panic::set_hook(Box::new(|panic| {
        // The location of the panic, never its message: that may quote what a caller sent.
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        tracing::error!(place, "a panic, which is a defect: please report the place");
    }));
    Ok(Log {
        output,
        queues,
        _workers: workers,
    })
}

/// Starts the log of a command that ends by itself. On a terminal it shows only warnings, unless a
/// filter was chosen: a person reads what the command prints. Elsewhere it is the same as the
/// server's.
///
/// # Errors
/// A log was started before.
pub(crate) fn start_of_command(options: &LogOptions) -> Result<Log> {
    if io::stderr().is_terminal() && options.has_default_filter() {
        return start(&options.with_filter("warn"), &Traces::off());
    }
    start(options, &Traces::off())
}

fn lines<S, W>(format: LogFormat, writer: W) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'span> LookupSpan<'span>,
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    let is_terminal = io::stderr().is_terminal();
    let lines = fmt::layer().with_writer(writer);
    match format {
        LogFormat::Text => {}
        LogFormat::Auto if is_terminal => {}
        LogFormat::Auto | LogFormat::Json => {
            return json(lines).boxed();
        }
    }
    if is_terminal {
        // The library leaves colours out where NO_COLOR says so.
        lines.boxed()
    } else {
        lines.with_ansi(false).boxed()
    }
}

/// Formats events as lines of JSON: their fields stand beside the time, the level and the target.
/// Spans aren't part of them: they are exported, and the log's filter excludes them.
fn json<S, W>(
    lines: fmt::Layer<S, DefaultFields, Format, W>,
) -> fmt::Layer<S, JsonFields, Format<Json>, W> {
    lines
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use testkit::log::Lines;

    use super::*;

    /// Operators' programs read these members (docs/operations.md).
    #[test]
    fn a_line_has_the_time_the_level_the_fields_and_the_target() {
        let lines = Lines::default();
        let layer = super::json(fmt::layer().with_writer(lines.clone()));
        tracing::subscriber::with_default(registry().with(layer), || {
            let error = io::Error::other("a \"quoted\"\n\u{7} cause");
            tracing::warn!(target: "cep::other", %error, number = 7, debug = ?Some("x"), "señal\n\u{1f600}");
        });
        let mut line: Value = serde_json::from_str(&lines.text()).unwrap();
        let time = line["timestamp"].take();
        let time = time
            .as_str()
            .unwrap()
            .parse::<chrono::DateTime<chrono::Utc>>();
        assert!(time.is_ok(), "{time:?}");
        let expected = json!({
            "timestamp": null,
            "level": "WARN",
            "error": "a \"quoted\"\n\u{7} cause",
            "number": 7,
            "debug": "Some(\"x\")",
            "message": "señal\n\u{1f600}",
            "target": "cep::other",
        });
        assert_eq!(line, expected);
    }
}
