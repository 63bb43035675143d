//! Lines of the log as JSON: the time, the level, the fields of the event, and its target.

use std::fmt;

use serde::Serializer as _;
use serde::ser::SerializeMap as _;
use tracing::{Event, Subscriber};
use tracing_log::NormalizeEvent as _;
use tracing_serde::{AsSerde as _, SerdeMapVisitor};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Initial capacity of a line, enough for one about a request.
const USUAL_LENGTH: usize = 512;

/// Formats events as lines of JSON. Spans aren't part of them: they are exported, and the log's
/// filter excludes them.
///
/// The library's own format checks each piece of a line for UTF-8 separately, about a hundred times
/// for a line about a request. That took 6 % of the time of answering with a proof from memory.
pub(super) struct JsonLines;

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = Vec::with_capacity(USUAL_LENGTH);
        write(&mut line, event)?;
        line.push(b'\n');
        writer.write_str(std::str::from_utf8(&line).map_err(|_| fmt::Error)?)
    }
}

fn write(line: &mut Vec<u8>, event: &Event<'_>) -> fmt::Result {
    let mut time = String::new();
    SystemTime.format_time(&mut Writer::new(&mut time))?;
    // Events of libraries that use the `log` crate have their own level and target there.
    let of_log = event.normalized_metadata();
    let metadata = of_log.as_ref().unwrap_or_else(|| event.metadata());
    let mut serializer = serde_json::Serializer::new(line);
    let mut write = || {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("timestamp", &time)?;
        map.serialize_entry("level", &metadata.level().as_serde())?;
        let mut visitor = SerdeMapVisitor::new(map);
        event.record(&mut visitor);
        let mut map = visitor.take_serializer()?;
        map.serialize_entry("target", metadata.target())?;
        map.end()
    };
    write().map_err(|_: serde_json::Error| fmt::Error)
}

#[cfg(test)]
mod tests {
    use std::io;

    use serde_json::{Value, json};
    use testkit::log::Lines;
    use tracing_subscriber::layer::SubscriberExt as _;
    use tracing_subscriber::{Layer, Registry};

    use super::*;

    /// The lines of what is logged, in the format of a layer that writes to them.
    fn logged<L>(layer: impl FnOnce(Lines) -> L, log: impl FnOnce()) -> Vec<Value>
    where
        L: Layer<Registry> + Send + Sync,
    {
        let lines = Lines::default();
        let subscriber = tracing_subscriber::registry().with(layer(lines.clone()));
        tracing::subscriber::with_default(subscriber, log);
        let written = lines.text();
        assert!(written.ends_with('\n'), "{written}");
        let line = |line: &str| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let time = std::mem::replace(&mut line["timestamp"], json!("now"));
            let time = time
                .as_str()
                .unwrap()
                .parse::<chrono::DateTime<chrono::Utc>>();
            assert!(time.is_ok(), "{time:?}");
            line
        };
        written.lines().map(line).collect()
    }

    #[test]
    fn lines_are_those_of_the_library() {
        let log = || {
            let error = io::Error::other("a \"quoted\"\n\u{7} cause");
            tracing::info!(number = 7, minus = -1.5, yes = true, "señal \u{1f600}");
            tracing::warn!(target: "cep::other", %error, debug = ?Some("x"), "two\nlines");
            tracing::error!(big = u64::MAX);
        };
        let layer = |lines| tracing_subscriber::fmt::layer().with_writer(lines);
        let ours = |lines| layer(lines).event_format(JsonLines);
        let json = |lines| {
            layer(lines)
                .json()
                .flatten_event(true)
                .with_span_list(false)
        };
        let lines = logged(ours, log);
        assert_eq!(lines, logged(json, log));
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1]["target"], "cep::other");
    }
}
