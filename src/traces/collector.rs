//! Exporter of spans: OTLP over HTTP, protobuf (opentelemetry.io/docs/specs/otlp).
//!
//! `opentelemetry-otlp` isn't used: its HTTP exporter adds headers of `OTEL_EXPORTER_OTLP_HEADERS`
//! to every request whatever it was configured with, and it doesn't return how many spans a
//! collector refused.
//!
//! A batch that fails isn't sent again: newer spans matter more, and waiting batches would take
//! memory.

use std::future::{Future, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use prost::Message as _;
use reqwest::{Client, Response, StatusCode, Url};
use tokio::runtime::Runtime;

use super::queue::Tally;
use crate::config::{CollectorHeaders, CollectorUrl};

/// Timeout of a batch, connecting and its response included. Shorter than the flush at shutdown.
const TIMEOUT: Duration = Duration::from_secs(3);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum concurrent DNS resolutions of the collector's name: each blocks a thread, and some take
/// longer than a batch's timeout.
const LOOKUPS: usize = 2;
/// Long enough to keep the connection between consecutive batches.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum size of a response, in bytes; a usual one holds a number and a sentence.
const LARGEST_ANSWER: usize = 64 * 1024;

const PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");

/// Sends batches to a collector, one after the other.
#[derive(Debug)]
pub(super) struct Collector {
    /// A separate runtime: exporting, and its failures, don't affect requests. `None` once dropped.
    runtime: Option<Runtime>,
    client: Client,
    url: Url,
    resource: ResourceAttributesWithSchema,
    tally: Arc<Tally>,
    /// The last batch failed, at least in part.
    is_failing: AtomicBool,
    /// It was logged that spans are dropped; not repeated.
    logged_dropped: AtomicBool,
}

/// Failure of a batch, or of a part of it.
#[derive(Debug, thiserror::Error)]
enum ExportError {
    #[error("it can't be reached or doesn't answer: {0:#}")]
    Unanswered(anyhow::Error),
    #[error("it answers {0}")]
    Refused(StatusCode),
    #[error("it refuses {0} spans of a batch")]
    InPart(u64),
}

impl Collector {
    /// Creates the exporter for the collector at this address, and its thread.
    ///
    /// # Errors
    /// No HTTP client can be created (for https: no trusted roots), or no thread can be started.
    pub(super) fn new(
        url: &CollectorUrl,
        headers: &CollectorHeaders,
        tally: Arc<Tally>,
    ) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("traces")
            .max_blocking_threads(LOOKUPS)
            .enable_all()
            .build()
            .context("starting the exporter")?;
        let builder = if url.is_https() {
            Client::builder().https_only(true)
        } else {
            Client::builder().tls_certs_only([])
        };
        let client = builder
            .user_agent(concat!("cep-gateway/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers.map().clone())
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .pool_idle_timeout(POOL_IDLE_TIMEOUT)
            .pool_max_idle_per_host(1)
            .build()
            .context("making an HTTP client")?;
        Ok(Self {
            runtime: Some(runtime),
            client,
            url: url.traces().clone(),
            resource: ResourceAttributesWithSchema::default(),
            tally,
            is_failing: AtomicBool::new(false),
            logged_dropped: AtomicBool::new(false),
        })
    }

    fn deliver(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let Some(runtime) = &self.runtime else {
            return Err(OTelSdkError::AlreadyShutdown);
        };
        let spans = batch.len();
        let request = ExportTraceServiceRequest {
            resource_spans: group_spans_by_resource_and_scope(batch, &self.resource),
        };
        let posted = runtime.block_on(self.post(request.encode_to_vec()));
        let failed = match &posted {
            Ok(()) => 0,
            Err(ExportError::InPart(refused)) => (*refused).min(spans as u64),
            Err(ExportError::Unanswered(_) | ExportError::Refused(_)) => spans as u64,
        };
        self.tally.settle(spans, failed);
        self.log_changes(&posted);
        posted.map_err(|fault| OTelSdkError::InternalFailure(fault.to_string()))
    }

    async fn post(&self, body: Vec<u8>) -> Result<(), ExportError> {
        let unanswered =
            |error: reqwest::Error| ExportError::Unanswered(error.without_url().into());
        let request = self.client.post(self.url.clone());
        let request = request.header(CONTENT_TYPE, PROTOBUF).body(body);
        let response = request.send().await.map_err(unanswered)?;
        let status = response.status();
        // The body is read to its end, so that the connection can be reused.
        let answer = read(response).await.map_err(unanswered)?;
        if !status.is_success() {
            return Err(ExportError::Refused(status));
        }
        // A body that isn't an OTLP response counts as no refusal.
        let refused = ExportTraceServiceResponse::decode(answer.as_slice())
            .ok()
            .and_then(|answer| answer.partial_success)
            .map_or(0, |partly| partly.rejected_spans);
        match u64::try_from(refused) {
            Ok(refused @ 1..) => Err(ExportError::InPart(refused)),
            Ok(0) | Err(_) => Ok(()),
        }
    }

    /// Logs when batches start or stop failing, instead of a line for each batch.
    fn log_changes(&self, posted: &Result<(), ExportError>) {
        let was_failing = self.is_failing.swap(posted.is_err(), Relaxed);
        let counts = self.tally.counts();
        match posted {
            Err(fault) if !was_failing => {
                tracing::warn!(%fault, "the collector of traces doesn't take spans; they are lost until it does");
            }
            Ok(()) if was_failing => tracing::info!(
                failed = counts.failed,
                dropped = counts.dropped,
                "the collector of traces takes spans again"
            ),
            Ok(()) | Err(_) => {}
        }
        if counts.dropped > 0 && !self.logged_dropped.swap(true, Relaxed) {
            tracing::warn!(
                "more spans end than the collector of traces takes: some are dropped (cep_trace_spans_total counts them)"
            );
        }
    }
}

/// Reads a body, up to about [`LARGEST_ANSWER`] bytes.
async fn read(mut response: Response) -> reqwest::Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > LARGEST_ANSWER {
            break;
        }
    }
    Ok(body)
}

impl SpanExporter for Collector {
    /// Blocks; it is called by the batch processor's own thread.
    fn export(&self, batch: Vec<SpanData>) -> impl Future<Output = OTelSdkResult> + Send {
        ready(self.deliver(batch))
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.resource = resource.into();
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        // A DNS resolution in progress must not delay the shutdown.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
