//! Gauges sampled at scrape time.

use std::sync::Arc;

use application::{
    ArchiveService, BankBySide, BankMonitor, FallbackLimiter, FallbackPacer, LimiterMode,
    ReplicaCount,
};
use domain::keys::Environment;
use domain::pacing::LookupClass;
use store_seaorm::{Journal, Store};

use super::{Metrics, names, number, process};
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
    metrics: Arc<Metrics>,
    sources: Sources,
}

impl ScrapedGauges {
    pub(crate) fn new(metrics: Arc<Metrics>, sources: Sources) -> Self {
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
        self.metrics.build_info(instance.as_str()).set(1.0);
        self.read_banks(banks).await;
        let open = bank_monitor.is_circuit_open();
        self.set(&names::BANK_CIRCUIT_OPEN, &[], flag(open));
        let mode = limiter.as_ref().map(|limiter| limiter.mode());
        let degraded = mode == Some(LimiterMode::Degraded);
        self.set(&names::LIMITER_DEGRADED, &[], flag(degraded));
        let count = f64::from(replicas.get().get());
        self.set(&names::REPLICAS, &[], count);
        let degraded = pacer.as_ref().is_some_and(|pacer| pacer.is_degraded());
        self.set(&names::BANK_PACING_DEGRADED, &[], flag(degraded));
        if let Some(archive) = archive {
            let dropped = self.metrics.counter(&names::ARCHIVE_DROPPED, &[]);
            dropped.absolute(archive.dropped_writes());
        }
        let waiting = number(journal.waiting() as u64);
        self.set(&names::JOURNAL_WAITING, &[], waiting);
        self.read_pool("keys", keys);
        if let Some(dashboard) = dashboard {
            self.read_pool("dashboard", dashboard);
        }
        if let Some(bytes) = keys.log_bytes() {
            self.set(&names::DATABASE_LOG, &[], number(bytes));
        }
        let open = number(connections.count() as u64);
        self.set(&names::CONNECTIONS, &[], open);
        let refused = self.metrics.counter(&names::CONNECTIONS_REFUSED, &[]);
        refused.absolute(connections.refused());
        if let Some(counts) = traces.counts() {
            self.read_spans(counts);
        }
        self.read_drops(dropped_lines.counts());
        process::read(&self.metrics);
        self.metrics.render()
    }

    async fn read_banks(&self, banks: &BankBySide) {
        for (side, bank) in [
            (Environment::Live, &banks.live),
            (Environment::Test, &banks.test),
        ] {
            let Some(budget) = bank.budget().await else {
                continue;
            };
            let labels = [("side", side.name())];
            let per_minute = f64::from(budget.per_minute);
            self.set(&names::BANK_BUDGET_PER_MINUTE, &labels, per_minute);
            let remaining = f64::from(budget.remaining);
            self.set(&names::BANK_BUDGET_REMAINING, &labels, remaining);
            let paused = budget.paused_for.unwrap_or_default().as_secs_f64();
            self.set(&names::BANK_PAUSED, &labels, paused);
            for class in LookupClass::ALL {
                let labels = [("side", side.name()), ("class", class.name())];
                let waiting = f64::from(budget.waiting.of(class));
                self.set(&names::BANK_WAITING, &labels, waiting);
            }
        }
    }

    fn read_pool(&self, pool: &'static str, store: &Store) {
        let connections = store.connections();
        for (state, count) in [("in_use", connections.in_use), ("idle", connections.idle)] {
            let labels = [("pool", pool), ("state", state)];
            self.set(&names::DATABASE_CONNECTIONS, &labels, f64::from(count));
        }
        let max = f64::from(connections.max);
        self.set(&names::DATABASE_CONNECTIONS_MAX, &[("pool", pool)], max);
    }

    fn read_spans(&self, counts: Counts) {
        for (result, spans) in [
            ("sent", counts.sent),
            ("failed", counts.failed),
            ("dropped", counts.dropped),
        ] {
            let counter = self
                .metrics
                .counter(&names::TRACE_SPANS, &[("result", result)]);
            counter.absolute(spans);
        }
    }

    fn read_drops(&self, counts: DropCounts) {
        for (kind, lines) in [("ordinary", counts.ordinary), ("changes", counts.reserved)] {
            let labels = [("kind", kind)];
            let counter = self.metrics.counter(&names::LOG_LINES_DROPPED, &labels);
            counter.absolute(lines);
        }
    }

    fn set(&self, name: &names::Metric, labels: &[(&'static str, &'static str)], value: f64) {
        self.metrics.gauge(name, labels).set(value);
    }
}

fn flag(raised: bool) -> f64 {
    f64::from(u8::from(raised))
}
