//! Traces: spans of requests, for a collector that speaks OTLP, when one is configured.
//!
//! Adapters make spans with `tracing`, of the target [`TARGET`]. This module converts them to
//! OpenTelemetry's, hands them to `collector` in batches, and links them with the traces of other
//! processes (`propagation`). Without a collector no layer takes the target, and no span is made.
//!
//! A request only creates spans. Finished ones wait in a bounded queue (`queue`) for a separate
//! thread, and are dropped when it is full.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use bank_portal::TraceParent;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider, SpanLimits,
};
use tokio::sync::oneshot;
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;
use web::trace::TraceContext;

use crate::config::{InstanceName, Switch, TraceOptions};

mod collector;
mod propagation;
mod queue;

use collector::Collector;
use propagation::Propagation;
pub(crate) use queue::Counts;
use queue::{Bounded, MOST_WAITING, Tally};

/// The target of all spans that are exported, and of nothing else.
pub(crate) const TARGET: &str = "cep::trace";

/// Time that a span may wait for others to be sent with it.
const DELAY: Duration = Duration::from_secs(1);
/// Maximum number of spans in a batch: about 200 KiB.
const BATCH: usize = 512;
/// Time limit for sending the remaining spans at shutdown.
const FLUSH_DEADLINE: Duration = Duration::from_secs(5);

/// The traces of this process, or none. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces(Option<Running>);

#[derive(Clone, Debug)]
struct Running {
    provider: SdkTracerProvider,
    tally: Arc<Tally>,
    trust: Switch,
}

impl Traces {
    /// Traces that record nothing.
    pub(crate) fn off() -> Self {
        Self(None)
    }

    /// Starts exporting if a collector is configured; otherwise no traces.
    ///
    /// # Errors
    /// No client for the collector can be created.
    pub(crate) fn start(options: &TraceOptions, instance: &InstanceName) -> Result<Self> {
        let Some(url) = &options.otlp_endpoint else {
            return Ok(Self::off());
        };
        let tally = Arc::new(Tally::default());
        let headers = options.otlp_headers.get().cloned().unwrap_or_default();
        let collector = Collector::new(url, &headers, Arc::clone(&tally))
            .context("preparing the client for traces (CEP_OTLP_ENDPOINT)")?;
        // Every setting is given, so that the library reads none from the environment.
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(MOST_WAITING)
            .with_max_export_batch_size(BATCH)
            .with_scheduled_delay(DELAY)
            .build();
        let processor = BatchSpanProcessor::new(collector, batches);
        let sampler =
            Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(options.trace_ratio)));
        let provider = SdkTracerProvider::builder()
            .with_span_processor(Bounded::new(processor, Arc::clone(&tally)))
            .with_sampler(sampler)
            .with_span_limits(SpanLimits::default())
            .with_resource(resource(instance))
            .build();
        let trust = options.trace_trust;
        Ok(Self(Some(Running {
            provider,
            tally,
            trust,
        })))
    }

    /// Layer that converts our spans to OpenTelemetry's; `None` without traces.
    pub(crate) fn layer<S>(&self) -> Option<OpenTelemetryLayer<S, SdkTracer>>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let Running { provider, .. } = self.0.as_ref()?;
        let layer = OpenTelemetryLayer::new(provider.tracer(env!("CARGO_PKG_NAME")))
            .with_context_activation(false)
            .with_tracked_inactivity(false)
            .with_location(false)
            .with_threads(false)
            .with_target(false);
        Some(layer)
    }

    /// Continues the traces of callers, or links to them.
    pub(crate) fn trace_context(&self) -> Arc<dyn TraceContext> {
        match self.0 {
            Some(Running { trust, .. }) => Arc::new(Propagation { trust }),
            None => Arc::new(()),
        }
    }

    /// Creates the `traceparent` of outgoing requests; `None` without traces.
    pub(crate) fn parent(&self) -> Option<TraceParent> {
        let _running = self.0.as_ref()?;
        Some(Arc::new(propagation::parent))
    }

    /// Counts of spans so far; `None` without traces.
    pub(crate) fn counts(&self) -> Option<Counts> {
        let Running { tally, .. } = self.0.as_ref()?;
        Some(tally.counts())
    }

    /// Sends the remaining spans, within five seconds. Call it when all requests are answered.
    pub(crate) async fn finish(&self) {
        let Some(Running {
            provider, tally, ..
        }) = self.0.clone()
        else {
            return;
        };
        let (sender, ended) = oneshot::channel();
        // It blocks, and the runtime would wait for a blocking thread of its own.
        std::thread::spawn(move || sender.send(provider.shutdown_with_timeout(FLUSH_DEADLINE)));
        let ended = tokio::time::timeout(FLUSH_DEADLINE, ended).await;
        if !matches!(ended, Ok(Ok(Ok(())))) {
            let waiting = tally.waiting();
            tracing::warn!(
                waiting,
                "the last spans could not be sent to the collector of traces in time"
            );
        }
    }
}

/// OpenTelemetry resource that identifies this process.
fn resource(instance: &InstanceName) -> Resource {
    Resource::builder_empty()
        .with_attributes([
            KeyValue::new("service.name", env!("CARGO_PKG_NAME")),
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            KeyValue::new("service.instance.id", instance.to_string()),
            KeyValue::new("telemetry.sdk.language", "rust"),
            KeyValue::new("telemetry.sdk.name", "opentelemetry"),
        ])
        .build()
}
