//! The gateway, constructed in order.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use application::{
    BankMonitor, Caller, CatalogueRenewal, ChangeFeed, HealthService, KeyService,
    ProofRequestService, Reconciliation, ReplicaMonitor, Retirement, SealService, SharedCatalogue,
};
use axum::Router;
use domain::erasure::ErasureClock;
use domain::pacing::Pacing;
use memory::InProcessLimiter;
use ports::outbound::{Clock, KeyStore, UsageJournal, new_id};
use rest::{BYTES_OF_FILES, RestState};
use store_seaorm::{Journal, Store};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;
use web::{BodyMemory, RequestLayer};
use workbook_files::WorkbookFiles;
use zip_files::DeflatedZip;

use super::dashboard::{Dashboard, SharedServices};
use super::identity::Identity;
use super::infrastructure::Infrastructure;
use super::lookups::{Lookups, StoredLookups};
use super::sandbox::SandboxUrls;
use super::seals::FileThreads;
use super::secrets::{store_secret, warn_of_unlisted};
use super::tasks::spawning_in;
use super::webhooks::{Deliveries, StoredWebhooks};
use super::{archive, banks, dashboard, seals, storage};
use crate::config::{InstanceName, ServeOptions, Switch};
use crate::low_priority::LowPriority;
use crate::metrics::{MeteredJournal, MeteredRequests, Metrics, ScrapedGauges, Sources};
use crate::server::OpenConnections;
use crate::telemetry::DroppedLines;
use crate::traces::Traces;

/// A constructed gateway: its router, services and background work.
pub(crate) struct Gateway {
    pub(crate) router: Router,
    pub(crate) erasure: ErasureClock,
    pub(crate) keys: Arc<KeyService>,
    pub(crate) key_store: Arc<dyn KeyStore>,
    pub(crate) operator: Caller,
    pub(crate) change_feed: Arc<ChangeFeed>,
    pub(crate) retirement: Arc<Retirement>,
    pub(crate) lookups: Lookups,
    pub(crate) deliveries: Deliveries,
    pub(crate) catalogue: Arc<SharedCatalogue>,
    /// `None` when the renewal is switched off.
    pub(crate) catalogue_renewal: Option<Arc<CatalogueRenewal>>,
    pub(crate) seals: Arc<SealService>,
    /// `None` unless the replicas share a limiter.
    pub(crate) reconciliation: Option<Arc<Reconciliation>>,
    /// `None` without Redis: this is the only process.
    pub(crate) replica_monitor: Option<Arc<ReplicaMonitor>>,
    pub(crate) in_process: Arc<InProcessLimiter>,
    pub(crate) store: Store,
    for_insights: Option<Store>,
    pub(crate) scraped_gauges: Arc<ScrapedGauges>,
    /// Name of this process among the replicas.
    pub(crate) instance: InstanceName,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) journal: Journal,
    requests: TaskTracker,
    /// Keeps the threads of low-priority work until the gateway ends.
    _low_priority: LowPriority,
}

impl Gateway {
    /// Waits up to `patience` for requests whose callers disconnected, deregisters this replica,
    /// and closes the journal and the database.
    pub(crate) async fn finish(self, patience: Duration) {
        self.requests.close();
        if tokio::time::timeout(patience, self.requests.wait())
            .await
            .is_err()
        {
            tracing::warn!(
                left = self.requests.len(),
                "some lookups did not finish in time"
            );
        }
        if let Some(monitor) = &self.replica_monitor
            && let Err(error) = monitor.leave().await
        {
            tracing::warn!(%error, "could not deregister this replica; it is counted for 15 s more");
        }
        if let Err(error) = self.journal.close().await {
            tracing::error!(%error, "the journal could not be written to its end");
        }
        let mut closed = Ok(());
        if let Some(insights) = self.for_insights {
            closed = insights.close_pool().await;
        }
        if let Err(error) = closed.and(self.store.close().await) {
            tracing::warn!(%error, "the database could not be closed");
        }
    }
}

/// Dependencies that are created before the gateway.
pub(crate) struct ServeContext<'a> {
    /// Addresses of the sandbox bank, which `test` keys query.
    pub(crate) sandbox: &'a SandboxUrls,
    /// `None` without a dashboard.
    pub(crate) identity: Option<&'a Identity>,
    pub(crate) metrics: Metrics,
    /// Counter of open client connections.
    pub(crate) connections: OpenConnections,
    pub(crate) traces: Traces,
    pub(crate) dropped_lines: Arc<DroppedLines>,
    /// Cancelled when the server stops, for work that outlasts a request.
    pub(crate) stopping: CancellationToken,
}

/// Constructs the gateway: its store, the limiter, the portal for `live` keys and the sandbox for
/// `test` keys.
///
/// # Errors
/// A part can't be opened or created.
pub(crate) async fn gateway(options: &ServeOptions, context: ServeContext<'_>) -> Result<Gateway> {
    let connections = options.pool.database_connections;
    let base = Infrastructure::open(&options.keys, connections).await?;
    let store = base.store.clone();
    let warned = warn_of_unlisted(&base.secret, &store).await;
    storage::closed_on_error(&store, warned).await?;
    let gateway = gateway_on(base, options, context).await;
    storage::closed_on_error(&store, gateway).await
}

async fn gateway_on(
    base: Infrastructure,
    options: &ServeOptions,
    context: ServeContext<'_>,
) -> Result<Gateway> {
    let ServeContext {
        sandbox,
        identity,
        metrics,
        connections,
        traces,
        dropped_lines,
        stopping,
    } = context;
    let (clock, random, limits) = (&base.clock, &base.random, &base.limits);
    let (store, process) = (&base.store, new_id(clock.as_ref(), random.as_ref()));
    let journal = store.journal_with_metrics(process, Arc::new(MeteredJournal));
    let usage: Arc<dyn UsageJournal> = Arc::new(journal.clone());

    let change_feed = Arc::new(base.change_feed().await?);
    let for_insights = dashboard::connections(store, identity).await?;
    let keys: Arc<KeyService> = Arc::new(base.key_service_reading_from(for_insights.as_ref())?);
    limits.begin().await;
    let replica_monitor = base
        .replica_monitor(&options.keys.replicas, process)
        .await?;
    let bank = &options.bank;
    let pacing = limits.pacing(bank.bank_budget, &base.replicas, process, clock);
    let portal = Arc::new(banks::portal(bank, pacing.pacer, &traces)?);
    let (catalogue, renewal) = base.participants(bank, portal.clone()).await?;
    let seals = Arc::new(seals::service(store, clock).await?);
    let banks = banks::banks(portal, &sandbox.portal, &traces)?;
    let validators = banks::validators(bank, &sandbox.validator, &base.replicas, &traces)?;
    let bank_monitor = Arc::new(BankMonitor::new(Arc::clone(clock)));
    let requests = TaskTracker::new();
    let secret = store_secret(options, (store, random.as_ref())).await?;
    let archive = archive::archive(&base, options, &requests, &secret)?;
    let queue = (options.lookups, Pacing::new(bank.bank_budget));
    let stored = StoredLookups::new((&base, for_insights.as_ref()), queue, &secret)?;
    let webhooks = StoredWebhooks::new(options.webhooks, &secret, identity, &stored)?;
    let (cached, shown) = ((bank, archive.clone()), (catalogue.clone(), seals.clone()));
    let low_priority = LowPriority::start()?;
    let threads = FileThreads::of(low_priority.handle());
    let proofs = banks::proofs(cached, &banks, (clock, &bank_monitor), shown, &threads);
    let metrics_sink = Arc::new(MeteredRequests);
    let request_layer = request_layer(&base, &requests, &metrics_sink, &traces);
    let (asked, shown) = ((proofs, validators, &stored), (&seals, &catalogue));
    let tasks = (&requests, &threads);
    let services = base.proof_requests(asked, shown, &usage, tasks).await?;
    let shared = SharedServices {
        base: &base,
        banks: (&banks, &bank_monitor),
        keys: &keys,
        participants: &catalogue,
        lookups: &services.lookups,
        webhooks: &webhooks,
        low_priority: &low_priority,
        request_layer: &request_layer,
        stopping: &stopping,
    };
    let dashboard = Dashboard::new(identity, for_insights.as_ref(), &shared).await?;
    let health = Arc::new(base.health(&change_feed, usage));
    let served = (Arc::new(services.requests), health, metrics_sink);
    let router = routes(served, &shared, options, dashboard);
    let sources = Sources {
        instance: instance(options, process),
        banks,
        bank_monitor,
        limiter: limits.fallback_limiter(),
        replicas: Arc::clone(&base.replicas),
        pacer: pacing.fallback,
        archive,
        journal: journal.clone(),
        keys: store.clone(),
        dashboard: for_insights.clone(),
        connections,
        traces,
        dropped_lines,
    };
    Ok(Gateway {
        lookups: services.lookups,
        deliveries: webhooks.deliveries(&base, &requests),
        erasure: base.erasure,
        operator: base.operator(),
        router,
        keys,
        change_feed,
        retirement: Arc::new(base.retirement()),
        replica_monitor,
        catalogue,
        seals,
        catalogue_renewal: unless_off(bank.participant_renewal, renewal),
        reconciliation: base.reconciliation().map(Arc::new),
        in_process: limits.in_process(),
        for_insights,
        scraped_gauges: Arc::new(ScrapedGauges::new(metrics, sources)),
        instance: instance(options, process),
        journal,
        requests,
        _low_priority: low_priority,
        key_store: base.key_store,
        store: base.store,
        clock: base.clock,
    })
}

/// Routes of the API, and of the dashboard when there is one.
fn routes(
    (proof_requests, health, metrics_sink): (
        Arc<ProofRequestService>,
        Arc<HealthService>,
        Arc<MeteredRequests>,
    ),
    shared: &SharedServices<'_>,
    options: &ServeOptions,
    dashboard: Option<Dashboard>,
) -> Router {
    let (router_of_people, people) = dashboard.map(|it| (it.router, it.access)).unzip();
    let router = rest::router(RestState {
        proof_requests,
        low_priority: shared.low_priority.handle(),
        spawn: spawning_in(&shared.request_layer.tasks),
        lookups: shared.lookups.service.clone(),
        batches: shared.lookups.batches.service.clone(),
        people,
        zips: Arc::new(DeflatedZip),
        file_memory: BodyMemory::new(BYTES_OF_FILES),
        workbooks: Arc::new(WorkbookFiles),
        max_batch_rows: options.lookups.batch_max_rows,
        health,
        participants: shared.participants.clone(),
        request_layer: Arc::clone(shared.request_layer),
        metrics_sink,
    });
    match router_of_people {
        Some(people) => router.merge(people),
        None => router,
    }
}

fn request_layer(
    base: &Infrastructure,
    requests: &TaskTracker,
    metrics_sink: &Arc<MeteredRequests>,
    traces: &Traces,
) -> Arc<RequestLayer> {
    Arc::new(RequestLayer {
        clock: Arc::clone(&base.clock),
        random: Arc::clone(&base.random),
        tasks: requests.clone(),
        body_deadline: rest::BODY_DEADLINE,
        metrics_sink: metrics_sink.clone(),
        trace_context: traces.trace_context(),
    })
}

fn instance(options: &ServeOptions, process: Uuid) -> InstanceName {
    let name = options.admin.instance.clone();
    name.unwrap_or_else(|| InstanceName::of(process))
}

fn unless_off(switch: Switch, renewal: CatalogueRenewal) -> Option<Arc<CatalogueRenewal>> {
    match switch {
        Switch::On => Some(Arc::new(renewal)),
        Switch::Off => None,
    }
}
