//! Metrics for Prometheus: counters, gauges and histograms.
//!
//! Decorators of ports and sinks of adapters (`bank`, `limiter`, `journal`, `requests`) record
//! events; `gauges` samples states at scrape time. Names, labels and buckets are defined in `names`
//! only. No label's value comes from a caller: each is one of a fixed set.
//!
//! A series is exposed on its first use. Series whose increase triggers an alert are exposed from
//! the start, so that the first failure counts as an increase. Handles are kept, so that a request
//! only looks up one counter, by its route.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use metrics::{
    Counter, Gauge, Histogram, IntoF64, Key, KeyName, Label, Level, Metadata, NoopRecorder,
    Recorder,
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

mod archive;
mod bank;
mod batches;
mod gauges;
mod journal;
mod limiter;
mod lookups;
mod names;
mod pacer;
mod process;
mod requests;
mod seals;
#[cfg(test)]
mod tests;
mod webhooks;

pub(crate) use archive::MeteredArchive;
pub(crate) use bank::MeteredBank;
pub(crate) use batches::MeteredBatches;
pub(crate) use gauges::{ScrapedGauges, Sources};
pub(crate) use journal::MeteredJournal;
pub(crate) use limiter::MeteredLimiter;
pub(crate) use lookups::MeteredLookups;
pub(crate) use pacer::MeteredPacer;
pub(crate) use requests::MeteredRequests;
pub(crate) use seals::MeteredSeals;
pub(crate) use webhooks::MeteredSender;

use names::{Kind, Metric};

/// Interval at which recorded values are aggregated; until then each takes memory.
pub(crate) const UPKEEP: Duration = Duration::from_secs(1);

/// A recorder of metrics. There may be several; none is global.
pub(crate) struct Metrics {
    recorder: Box<dyn Recorder + Send + Sync>,
    /// `None` when there is no admin listener.
    text: Option<PrometheusHandle>,
}

impl Metrics {
    /// Metrics that [`Metrics::render`] exposes.
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

    /// Metrics that are not exposed: recording does nothing.
    pub(crate) fn off() -> Self {
        Self {
            recorder: Box::new(NoopRecorder),
            text: None,
        }
    }

    /// Renders all metrics in Prometheus' text format 0.0.4.
    pub(crate) fn render(&self) -> String {
        let text = self.text.as_ref().map(PrometheusHandle::render);
        // The recorder's counters are integers, so a counter of seconds is recorded as a gauge.
        let (gauge, counter) = ["gauge", "counter"]
            .map(|kind| format!("# TYPE {} {kind}\n", names::PROCESS_CPU.name))
            .into();
        text.unwrap_or_default().replacen(&gauge, &counter, 1)
    }

    /// Aggregates the recorded values. Call it every [`UPKEEP`].
    pub(crate) fn add_up(&self) {
        if let Some(text) = &self.text {
            text.run_upkeep();
        }
    }

    fn histogram(
        self: &Arc<Self>,
        name: &Metric,
        labels: &[(&'static str, &'static str)],
    ) -> LazyHistogram {
        LazyHistogram {
            metrics: Arc::clone(self),
            key: key(name, labels),
            registered: OnceLock::new(),
        }
    }

    fn gauge(&self, name: &Metric, labels: &[(&'static str, &'static str)]) -> Gauge {
        self.recorder.register_gauge(&key(name, labels), &METADATA)
    }

    /// The gauge whose labels are the version and the name of the process.
    fn build_info(&self, replica: &str) -> Gauge {
        let labels = vec![
            Label::new("version", env!("CARGO_PKG_VERSION")),
            // Not `instance`: Prometheus uses that label for the target that it scrapes.
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

/// Recorders may filter by this metadata; ours keeps everything.
const METADATA: Metadata<'static> = Metadata::new("cep_gateway::metrics", Level::INFO, None);

fn key(name: &Metric, labels: &[(&'static str, &'static str)]) -> Key {
    let labels: Vec<_> = labels.iter().map(Label::from).collect();
    Key::from_parts(name.name, labels)
}

/// Histogram that is exposed once it has a value.
pub(crate) struct LazyHistogram {
    metrics: Arc<Metrics>,
    key: Key,
    registered: OnceLock<Histogram>,
}

impl LazyHistogram {
    fn record(&self, value: impl IntoF64) {
        self.expose().record(value);
    }

    /// Registers it, so that it is exposed even without a value.
    fn expose(&self) -> &Histogram {
        let recorder = &self.metrics.recorder;
        self.registered
            .get_or_init(|| recorder.register_histogram(&self.key, &METADATA))
    }
}

/// Converts a count to the type of metric values.
#[expect(
    clippy::cast_precision_loss,
    reason = "a metric needs no more than 15 digits"
)]
fn number(number: u64) -> f64 {
    number as f64
}
