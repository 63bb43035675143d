//! What operators measure: counts, gauges and histograms, as Prometheus reads them.
//!
//! Decorators of ports and witnesses of adapters (`bank`, `limiter`, `journal`, `requests`) record
//! what passes; `gauges` asks for what merely is, when somebody looks. Names, labels and buckets
//! stand in `names`, and nowhere else. No label's value is a caller's: each is of a closed set.
//!
//! Handles are made once and kept, so that nothing is looked up or written out on the way of a
//! request, save one count that is found by its route.

use std::time::Duration;

use metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Label, Level, Metadata, NoopRecorder, Recorder,
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

mod bank;
mod journal;
mod limiter;
mod names;
mod process;
mod gauges;
mod requests;
#[cfg(test)]
mod tests;

pub(crate) use bank::MeteredBank;
pub(crate) use journal::MeteredJournal;
pub(crate) use limiter::MeteredLimiter;
pub(crate) use gauges::{ScrapedGauges, Sources};
pub(crate) use requests::MeteredRequests;

use names::{Kind, Metric};

/// How often what was recorded is added up: until then each value has its own place in memory.
pub(crate) const UPKEEP: Duration = Duration::from_secs(1);

/// Where everything is recorded. There may be several; none is global.
pub(crate) struct Metrics {
    recorder: Box<dyn Recorder + Send + Sync>,
    /// `None` when nobody can look.
    text: Option<PrometheusHandle>,
}

impl Metrics {
    /// Metrics that can be read.
    pub(crate) fn new() -> Self {
        let mut builder = PrometheusBuilder::new();
        for name in &names::ALL {
            if let Kind::Histogram { buckets } = name.kind {
                builder = builder
                    .set_buckets_for_metric(Matcher::Full(name.name.to_owned()), buckets)
                    .expect("every histogram has buckets");
            }
        }
        let recorder = builder.build_recorder();
        let text = Some(recorder.handle());
        for name in &names::ALL {
            let (key, help) = (KeyName::from_const_str(name.name), name.help.into());
            match name.kind {
                Kind::Counter => recorder.describe_counter(key, name.unit, help),
                Kind::Gauge => recorder.describe_gauge(key, name.unit, help),
                Kind::Histogram { .. } => recorder.describe_histogram(key, name.unit, help),
            }
        }
        Self {
            recorder: Box::new(recorder),
            text,
        }
    }

    /// Metrics that nobody reads: recording does nothing.
    pub(crate) fn off() -> Self {
        Self {
            recorder: Box::new(NoopRecorder),
            text: None,
        }
    }

    /// All of it, in Prometheus' text format 0.0.4.
    pub(crate) fn render(&self) -> String {
        let text = self.text.as_ref().map(PrometheusHandle::render);
        // The recorder's counters are whole numbers, so what counts seconds is a gauge to it.
        let (gauge, counter) = ["gauge", "counter"]
            .map(|kind| format!("# TYPE {} {kind}\n", names::PROCESS_CPU.name))
            .into();
        text.unwrap_or_default().replacen(&gauge, &counter, 1)
    }

    /// Adds up what was recorded. Call it every [`UPKEEP`].
    pub(crate) fn add_up(&self) {
        if let Some(text) = &self.text {
            text.run_upkeep();
        }
    }

    fn histogram(&self, name: &Metric, labels: &[(&'static str, &'static str)]) -> Histogram {
        self.recorder
            .register_histogram(&key(name, labels), &METADATA)
    }

    fn gauge(&self, name: &Metric, labels: &[(&'static str, &'static str)]) -> Gauge {
        self.recorder.register_gauge(&key(name, labels), &METADATA)
    }

    /// The gauge whose labels tell the version and the process; the second is a process's own.
    fn build_info(&self, replica: &str) -> Gauge {
        let labels = vec![
            Label::new("version", env!("CARGO_PKG_VERSION")),
            // Not `instance`: Prometheus gives that name to the place it reads.
            Label::new("replica", replica.to_owned()),
        ];
        let key = Key::from_parts(names::BUILD_INFO.name, labels);
        self.recorder.register_gauge(&key, &METADATA)
    }

    fn counter(&self, name: &Metric, labels: &[(&'static str, &'static str)]) -> Counter {
        self.recorder
            .register_counter(&key(name, labels), &METADATA)
    }
}

/// Recorders may filter by it; ours keeps everything.
const METADATA: Metadata<'static> = Metadata::new("cep_gateway::metrics", Level::INFO, None);

fn key(name: &Metric, labels: &[(&'static str, &'static str)]) -> Key {
    let labels: Vec<_> = labels.iter().map(Label::from).collect();
    Key::from_parts(name.name, labels)
}

/// A whole number as metrics take it.
#[expect(
    clippy::cast_precision_loss,
    reason = "a metric needs no more than 15 digits"
)]
fn number(number: u64) -> f64 {
    number as f64
}
