//! The log (structured, on standard error, in UTC), and the layer that exports spans.

use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, registry};

use crate::config::{LogFormat, LogOptions};
use crate::traces::{self, Traces};

mod json_lines;
mod output;
mod queue;

use json_lines::JsonLines;
use output::Output;
pub(crate) use queue::DropCounts;
use queue::{Queue, Worker};

/// Target of the line that tells how many lines were dropped.
const DROPS: &str = "cep::log";

/// The running log. Dropping it writes all waiting lines, unless standard error blocks.
pub(crate) struct Log {
    // Dropped first, so that the lines its thread still has to write reach the output.
    _worker: Worker,
    output: Output,
    queue: Queue,
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
            queue: self.queue.clone(),
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

/// Lines that were dropped, and how many of them a line of the log reported.
pub(crate) struct DroppedLines {
    queue: Queue,
    reported: Mutex<DropCounts>,
}

impl DroppedLines {
    /// Counts since the start.
    pub(crate) fn counts(&self) -> DropCounts {
        self.queue.dropped()
    }

    /// Logs how many lines were dropped since the last report, if any were and that report has been
    /// written.
    pub(crate) fn report(&self) {
        let now = self.counts();
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if now == *reported || self.queue.has_reserved() {
            return;
        }
        tracing::warn!(
            target: DROPS,
            dropped = now.ordinary - reported.ordinary,
            dropped_changes = now.reserved - reported.reserved,
            "lines of the log were dropped: the standard error isn't read as fast as they come"
        );
        *reported = now;
    }
}

/// Starts logging, panics included, and passes spans to `traces`. Call it once, before anything
/// else.
///
/// Lines are written by a separate thread.
///
/// # Errors
/// A log was started before.
pub(crate) fn start(options: &LogOptions, traces: &Traces) -> Result<Log> {
    let output = Output::new();
    let queue = Queue::default();
    let worker = Worker::start(queue.clone(), output.clone())?;
    let writer = queue.clone();
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
        _worker: worker,
        output,
        queue,
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
            return lines.event_format(JsonLines).with_ansi(false).boxed();
        }
    }
    if is_terminal {
        // The library leaves colours out where NO_COLOR says so.
        lines.boxed()
    } else {
        lines.with_ansi(false).boxed()
    }
}
