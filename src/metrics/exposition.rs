//! The recorder of this process, and the exposition of what it records.

use std::time::Duration;

use anyhow::{Result, anyhow};
use metrics::{Recorder as _, counter, histogram};
use metrics_exporter_prometheus::{
    Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};

use super::names::{self, Kind};
use super::process;

/// Interval at which recorded values are aggregated; until then each takes memory.
pub(crate) const UPKEEP: Duration = Duration::from_secs(1);

/// The exposition of what this process records. Clones share it.
#[derive(Clone)]
pub(crate) struct Metrics(pub(super) Option<PrometheusHandle>);

impl Metrics {
    /// Installs the recorder of this process.
    ///
    /// # Errors
    /// One was installed before.
    pub(crate) fn install() -> Result<Self> {
        let recorder = recorder();
        let metrics = Self(Some(recorder.handle()));
        metrics::set_global_recorder(recorder)
            .map_err(|_| anyhow!("another recorder of metrics was installed first"))?;
        expose_alerted();
        Ok(metrics)
    }

    /// Metrics of a process that exposes none, and records none.
    pub(crate) fn off() -> Self {
        Self(None)
    }

    /// Renders all metrics in Prometheus' text format 0.0.4.
    pub(crate) fn render(&self) -> String {
        let text = self.0.as_ref().map(PrometheusHandle::render);
        // The recorder's counters are integers, so a counter of seconds is recorded as a gauge.
        let (gauge, counter) = ["gauge", "counter"]
            .map(|kind| format!("# TYPE {} {kind}\n", process::CPU_SECONDS))
            .into();
        text.unwrap_or_default().replacen(&gauge, &counter, 1)
    }

    /// Aggregates the recorded values. Call it every [`UPKEEP`].
    pub(crate) fn add_up(&self) {
        if let Some(text) = &self.0 {
            text.run_upkeep();
        }
    }
}

/// Creates a recorder with the buckets and help texts of all metrics.
pub(super) fn recorder() -> PrometheusRecorder {
    let mut builder = PrometheusBuilder::new();
    for metric in names::ALL {
        if let Kind::Histogram { buckets } = metric.kind {
            builder = builder
                .set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)
                .expect("every histogram has buckets");
        }
    }
    let recorder = builder.build_recorder();
    for metric in names::ALL {
        let (name, help) = (metric.name.into(), metric.help.into());
        match metric.kind {
            Kind::Counter => recorder.describe_counter(name, None, help),
            Kind::Gauge => recorder.describe_gauge(name, None, help),
            Kind::Histogram { .. } => recorder.describe_histogram(name, None, help),
        }
    }
    recorder
}

/// Exposes the series whose increase an alert looks for.
pub(super) fn expose_alerted() {
    let _ = counter!("cep_journal_failures_total");
    let _ = counter!("cep_seals_total", "side" => "live", "verdict" => "invalid");
    let _ = histogram!(
        "cep_bank_lookup_duration_seconds", "side" => "live", "outcome" => "protocol_error"
    );
}
