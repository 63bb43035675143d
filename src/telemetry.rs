//! The log: structured, on the standard error, in UTC. And the layer that exports spans, beside it.

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

/// A running log. Every line is written by the time that it is dropped, unless nobody reads them.
pub(crate) struct Log {
    // Dropped first: what its thread has yet to write goes to the output.
    _worker: Worker,
    output: Output,
    queue: Queue,
}

impl Log {
    /// Holds lines back on a terminal until [`Log::release`], so that a person reads first what the
    /// program prints. Elsewhere every line is written at once: a crash must not take it along.
    pub(crate) fn hold_back_on_terminal(&self) {
        self.output.hold_back_on_terminal();
    }

    /// Writes what was held back, and what follows.
    pub(crate) fn release(&self) {
        self.output.release();
    }

    /// The lines that are dropped while the log can't be written as fast as lines come.
    pub(crate) fn dropped_lines(&self) -> DroppedLines {
        DroppedLines {
            queue: self.queue.clone(),
            reported: Mutex::default(),
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // An error at the start: its lines are wanted most.
        self.release();
    }
}

/// Lines that were dropped, and those of them that a line of the log reported.
pub(crate) struct DroppedLines {
    queue: Queue,
    reported: Mutex<DropCounts>,
}

impl DroppedLines {
    /// Counts since the start.
    pub(crate) fn counts(&self) -> DropCounts {
        self.queue.dropped()
    }

    /// Logs how many lines were dropped since the last such line, if any were and that one is written.
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

/// Starts logging, also of panics, and hands spans to these traces. Call it once, first thing.
///
/// Lines are written by a thread of their own.
///
/// # Errors
/// Another log was started first.
pub(crate) fn start(options: &LogOptions, traces: &Traces) -> Result<Log> {
    let output = Output::new();
    let queue = Queue::default();
    let worker = Worker::start(queue.clone(), output.clone())?;
    let writer = queue.clone();
    // Spans are no lines, and their fields belong to none.
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
        // The place of it, never its text: that may quote what a caller sent.
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

/// Starts the log of a command that ends by itself. On a terminal it shows warnings alone, unless a filter was
/// chosen: a person reads what the command prints. Elsewhere it is as the server's, whose log it belongs to.
///
/// # Errors
/// Another log was started first.
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
