//! Gauges sampled at scrape time.

use std::sync::Arc;

use application::{
    ArchiveService, BankBySide, BankMonitor, FallbackLimiter, FallbackPacer, LimiterMode,
    ReplicaCount,
};
use chrono::{DateTime, Utc};
use domain::keys::Environment;
use domain::pacing::LookupClass;
use metrics::{counter, gauge};
use ports::outbound::{QueuedClass, QueuedDeliveries};
use store_seaorm::{Journal, Store};

use super::exposition::Metrics;
use super::number::number;
use super::process;
use crate::config::InstanceName;
use crate::server::OpenConnections;
use crate::telemetry::{DropCounts, DroppedLines};
use crate::traces::{Counts, Traces};

/// Sources of the gauges.
pub(crate) struct Sources {
    pub(crate) instance: InstanceName,
    pub(crate) banks: BankBySide,
    pub(crate) bank_monitor: Arc<BankMonitor>,
    /// `None` without Redis.
    pub(crate) limiter: Option<Arc<FallbackLimiter>>,
    pub(crate) replicas: Arc<ReplicaCount>,
    /// `None` without Redis.
    pub(crate) pacer: Option<Arc<FallbackPacer>>,
    /// `None` when the archive is off.
    pub(crate) archive: Option<Arc<ArchiveService>>,
    pub(crate) journal: Journal,
    /// The store, on its main connections.
    pub(crate) keys: Store,
    /// The dashboard's connections; `None` without a dashboard.
    pub(crate) dashboard: Option<Store>,
    pub(crate) connections: OpenConnections,
    pub(crate) traces: Traces,
    pub(crate) dropped_lines: Arc<DroppedLines>,
}

/// All metrics; the gauges are sampled for each scrape.
pub(crate) struct ScrapedGauges {
    metrics: Metrics,
    sources: Sources,
}

impl ScrapedGauges {
    pub(crate) fn new(metrics: Metrics, sources: Sources) -> Self {
        Self { metrics, sources }
    }

    /// All metrics as they are now, in Prometheus' text format.
    pub(crate) async fn render(&self) -> String {
        let Sources {
            instance,
            banks,
            bank_monitor,
            limiter,
            replicas,
            pacer,
            archive,
            journal,
            keys,
            dashboard,
            connections,
            traces,
            dropped_lines,
        } = &self.sources;
        // Not `instance`: Prometheus uses that label for the target that it scrapes.
        let (version, replica) = (env!("CARGO_PKG_VERSION"), instance.to_string());
        gauge!("cep_build_info", "version" => version, "replica" => replica).set(1.0);
        read_banks(banks).await;
        gauge!("cep_bank_circuit_open").set(flag(bank_monitor.is_circuit_open()));
        let mode = limiter.as_ref().map(|limiter| limiter.mode());
        gauge!("cep_limiter_degraded").set(flag(mode == Some(LimiterMode::Degraded)));
        gauge!("cep_replicas").set(f64::from(replicas.get().get()));
        let degraded = pacer.as_ref().is_some_and(|pacer| pacer.is_degraded());
        gauge!("cep_bank_pacing_degraded").set(flag(degraded));
        if let Some(archive) = archive {
            counter!("cep_proof_archive_dropped_total").absolute(archive.dropped_writes());
        }
        gauge!("cep_journal_waiting").set(number(journal.waiting() as u64));
        read_pool("keys", keys);
        if let Some(dashboard) = dashboard {
            read_pool("dashboard", dashboard);
        }
        if let Some(bytes) = keys.log_bytes() {
            gauge!("cep_database_log_bytes").set(number(bytes));
        }
        gauge!("cep_connections").set(number(connections.count() as u64));
        counter!("cep_connections_refused_total").absolute(connections.refused());
        if let Some(counts) = traces.counts() {
            read_spans(counts);
        }
        read_drops(dropped_lines.counts());
        process::read();
        self.metrics.render()
    }
}

async fn read_banks(banks: &BankBySide) {
    for (side, bank) in [
        (Environment::Live, &banks.live),
        (Environment::Test, &banks.test),
    ] {
        let Some(budget) = bank.budget().await else {
            continue;
        };
        let side = side.name();
        let per_minute = f64::from(budget.per_minute);
        gauge!("cep_bank_budget_per_minute", "side" => side).set(per_minute);
        let remaining = f64::from(budget.remaining);
        gauge!("cep_bank_budget_remaining", "side" => side).set(remaining);
        let paused = budget.paused_for.unwrap_or_default().as_secs_f64();
        gauge!("cep_bank_paused_seconds", "side" => side).set(paused);
        for class in LookupClass::ALL {
            let waiting = f64::from(budget.waiting.of(class));
            let class = class.name();
            gauge!("cep_bank_waiting_lookups", "side" => side, "class" => class).set(waiting);
        }
    }
}

fn read_pool(pool: &'static str, store: &Store) {
    let connections = store.connections();
    for (state, count) in [("in_use", connections.in_use), ("idle", connections.idle)] {
        gauge!("cep_database_connections", "pool" => pool, "state" => state).set(count);
    }
    gauge!("cep_database_connections_max", "pool" => pool).set(connections.max);
}

fn read_spans(counts: Counts) {
    for (result, spans) in [
        ("sent", counts.sent),
        ("failed", counts.failed),
        ("dropped", counts.dropped),
    ] {
        counter!("cep_trace_spans_total", "result" => result).absolute(spans);
    }
}

fn read_drops(counts: DropCounts) {
    for (kind, lines) in [("ordinary", counts.ordinary), ("changes", counts.reserved)] {
        counter!("cep_log_lines_dropped_total", "kind" => kind).absolute(lines);
    }
}

/// Records the length and the age of the queue of lookups.
pub(crate) fn lookup_queue(queue: &[QueuedClass], now: DateTime<Utc>) {
    for queued in queue {
        let class = queued.class.name();
        for (state, lookups) in [("due", queued.due), ("waiting", queued.waiting)] {
            let length = gauge!("cep_lookup_queue", "class" => class, "state" => state);
            length.set(number(lookups));
        }
        let age = age_seconds(queued.oldest, now);
        gauge!("cep_lookup_queue_age_seconds", "class" => class).set(age);
    }
}

/// Records the length and the age of the queue of deliveries.
pub(crate) fn webhook_queue(queue: QueuedDeliveries, now: DateTime<Utc>) {
    for (state, deliveries) in [("due", queue.due), ("waiting", queue.waiting)] {
        gauge!("cep_webhook_queue", "state" => state).set(number(deliveries));
    }
    gauge!("cep_webhook_queue_age_seconds").set(age_seconds(queue.oldest, now));
}

fn age_seconds(oldest: Option<DateTime<Utc>>, now: DateTime<Utc>) -> f64 {
    let age = oldest.and_then(|oldest| (now - oldest).to_std().ok());
    age.unwrap_or_default().as_secs_f64()
}

fn flag(raised: bool) -> f64 {
    f64::from(u8::from(raised))
}
