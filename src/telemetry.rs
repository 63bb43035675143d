//! Logs: structured, on the standard error, in UTC. And traces, beside them.

use std::io::BufWriter;

use anyhow::{Context, Result};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, registry};

use crate::cli::Cli;
use crate::config::{LogFormat, Options};
use crate::system::process_id;
use crate::traces::{self, Traces};

/// Lines that may wait to be written. More are dropped: a log that nobody reads must not stop the
/// gateway.
const LINES_WAITING: usize = 32_768;

/// The traces that a command makes: only serving makes any, and only with a collector. Names the
/// process, which they are told apart by.
///
/// # Errors
/// When no client for the collector can be made.
pub fn traces(cli: &mut Cli) -> Result<Traces> {
    if !cli.serves() {
        return Ok(Traces::off());
    }
    let Options { admin, traces, .. } = &mut cli.options;
    Traces::start(traces, admin.be_named(process_id))
}

/// Starts logging, also of panics, and hands spans to these traces. Call it once, first thing; what is
/// logged is written until the guard is dropped.
///
/// Lines are written by a thread of their own, which takes as many at a time as there are.
///
/// # Errors
/// When something else logs already.
pub fn start(options: &Options, traces: &Traces) -> Result<WorkerGuard> {
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(LINES_WAITING)
        .finish(BufWriter::with_capacity(64 * 1024, std::io::stderr()));
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
        // Where it happened, never its text: that may quote what a caller sent.
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        tracing::error!(place, "a panic, which is a defect: please report the place");
    }));
    Ok(guard)
}

fn lines<S, W>(format: LogFormat, writer: W) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'span> LookupSpan<'span>,
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    let lines = fmt::layer().with_writer(writer);
    match format {
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .boxed(),
        LogFormat::Text => lines.boxed(),
    }
}
