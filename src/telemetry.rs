//! The log: structured, on the standard error, in UTC. And the layer that exports spans, beside it.

use std::io::{self, BufWriter, IsTerminal as _, Stderr, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, registry};

use crate::config::{LogFormat, LogOptions};
use crate::traces::{self, Traces};

/// Lines that may wait to be written. More are dropped: a log that nobody reads must not stop the
/// gateway.
const LINES_WAITING: usize = 32_768;

/// A running log. Every line is written by the time that it is dropped.
pub(crate) struct Log {
    // Dropped first: what its thread has yet to write goes to the output.
    _worker: WorkerGuard,
    output: Output,
}

impl Log {
    /// Holds lines back on a terminal until [`Log::release`], so that a person reads first what the
    /// program prints. Elsewhere every line is written at once: a crash must not take it along.
    pub(crate) fn hold_back_on_terminal(&self) {
        if io::stderr().is_terminal() {
            self.output.target().held_back = Some(Vec::new());
        }
    }

    /// Writes what was held back, and what follows.
    pub(crate) fn release(&self) {
        let mut target = self.output.target();
        let held_back = target.held_back.take().unwrap_or_default();
        // There is no other place to report a standard error that can't be written.
        let _ = target.stderr.write_all(&held_back);
        let _ = target.stderr.flush();
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // An error at the start: its lines are wanted most.
        self.release();
    }
}

/// The standard error, buffered. Clones are the same one.
#[derive(Clone)]
struct Output(Arc<Mutex<Target>>);

struct Target {
    stderr: BufWriter<Stderr>,
    held_back: Option<Vec<u8>>,
}

impl Output {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(Target {
            stderr: BufWriter::with_capacity(64 * 1024, io::stderr()),
            held_back: None,
        })))
    }

    fn target(&self) -> MutexGuard<'_, Target> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut target = self.target();
        match &mut target.held_back {
            Some(held_back) => held_back.write(bytes),
            None => target.stderr.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target().stderr.flush()
    }
}

/// Starts logging, also of panics, and hands spans to these traces. Call it once, first thing.
///
/// Lines are written by a thread of their own, which takes as many at a time as there are.
///
/// # Errors
/// Another log was started first.
pub(crate) fn start(options: &LogOptions, traces: &Traces) -> Result<Log> {
    let output = Output::new();
    let (writer, worker) = NonBlockingBuilder::default()
        .buffered_lines_limit(LINES_WAITING)
        .finish(output.clone());
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
    })
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
            let lines = lines.json().flatten_event(true).with_span_list(false);
            return lines.boxed();
        }
    }
    if is_terminal {
        // The library leaves colours out where NO_COLOR says so.
        lines.boxed()
    } else {
        lines.with_ansi(false).boxed()
    }
}
