//! `cep-gateway serve`: the life of the server, from the first key to the last answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use application::ChangeFeed;
use domain::replicas::BEAT_INTERVAL;
use ports::outbound::UsageJournal;
use store_seaorm::Journal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;
use web::TrustedProxies;

use crate::admin::{self, Admin};
use crate::config::{AdminAddress, ConnectionOptions, Listen, ServeOptions};
use crate::database_log::LogSizeWarning;
use crate::metrics::{self, Metrics};
use crate::server::{self, Bounds, ConnectionLimits, OpenConnections};
use crate::telemetry::{DroppedLines, Log};
use crate::traces::Traces;
use crate::wiring::{self, Deployment, Gateway, Identity, ServeContext};
use crate::{catalogue_watch, first_start, say, seal_watch, systemd};

/// Interval at which changes of keys by other processes are looked for: they must take effect
/// within a second.
const KEY_WATCH: Duration = Duration::from_millis(250);
/// Interval of checks that the database answers.
const PULSE: Duration = Duration::from_secs(1);
/// Interval at which lookups of revoked keys are canceled.
const ORPHANED_LOOKUPS: Duration = Duration::from_secs(2);
/// Interval at which the queue of lookups is measured.
const LOOKUP_QUEUE: Duration = Duration::from_secs(10);
/// Interval at which rotated keys are revoked whose time of grace is over.
const RETIRE: Duration = Duration::from_secs(1);
/// Interval of reconciliation with Redis: with the time that a round takes, it must be less
/// than a minute.
const RECONCILE: Duration = Duration::from_secs(20);
/// Interval at which idle keys are removed from memory.
const FORGET_IDLE: Duration = Duration::from_mins(1);
/// Interval of looks for lines of the log that were dropped.
const REPORT_DROPS: Duration = Duration::from_secs(1);
/// Interval at which the stored catalogue of participants is looked at.
const CATALOGUE_WATCH: Duration = Duration::from_secs(5);
/// Interval at which the stored keys of seals are read.
const SEAL_KEY_WATCH: Duration = Duration::from_secs(10);
/// Interval of checks if the catalogue's renewal is due.
const CATALOGUE_RENEWAL: Duration = Duration::from_secs(20);
/// Interval of checks of the size of an embedded database's log.
const LOG_SIZE: Duration = Duration::from_secs(5);
/// Interval at which rows past their retention are removed.
const PRUNE: Duration = Duration::from_hours(1);
/// Time that a request in flight needs beyond its lookup to be answered.
const FAREWELL_MARGIN: Duration = Duration::from_secs(5);
/// Time at the end for lookups whose callers hung up, and for uploads that are being refused.
const LEFTOVERS: Duration = Duration::from_secs(15);

pub(super) async fn run(options: ServeOptions, traces: Traces, log: &Log) -> Result<()> {
    let database = &options.keys.database;
    let deployment = Deployment::of(&options.keys)?;
    super::prepare_data_dir(database)?;
    let _alone = wiring::lock_database(database, deployment)?;
    let connections = connections(&options.connections);
    let listen = options.listen.listen;
    let listener =
        server::listen(listen).with_context(|| format!("listening on {listen} (CEP_LISTEN)"))?;
    let address = listener.local_addr().context("asking for the address")?;
    let admin = admin::listen(options.admin.admin_listen)?;
    let metrics = Arc::new(match &admin {
        Some(_) => Metrics::new(),
        None => Metrics::off(),
    });
    let open = OpenConnections::default();
    let dropped_lines = Arc::new(log.dropped_lines());
    let (sandbox, sandbox_url) = wiring::start_sandbox(&options.sandbox)?;
    let identity = wiring::identity(&options.people, address)?;
    let context = ServeContext {
        sandbox: &sandbox_url,
        identity: identity.as_ref(),
        metrics: Arc::clone(&metrics),
        connections: open.clone(),
        traces: traces.clone(),
        dropped_lines: Arc::clone(&dropped_lines),
    };
    let gateway = Box::pin(wiring::gateway(&options, context)).await?;
    let mut background = start_background(&gateway, &options);
    start_reports(&mut background, metrics, &dropped_lines);
    let admin = admin.map(|listener| Admin::start(listener, Arc::clone(&gateway.scraped_gauges)));
    let admin = admin.transpose()?;

    let welcome = match deployment {
        Deployment::Embedded => first_start::welcome(&gateway, address).await?,
        // Operators of replicas make keys on purpose.
        Deployment::Replicated => None,
    };
    // Before the address is printed: its reader may stop the gateway at once.
    let stop_signal = stop_signal();
    say(&format!(
        "The gateway listens on http://{address} (documentation: http://{address}/docs)"
    ));
    if let Some(identity) = &identity {
        announce(identity, options.people.sandbox_identity_listen);
    }
    if let Some(admin) = &admin {
        if let AdminAddress::On(listen) = options.admin.admin_listen
            && let Some(taken) = listen.moved_to(admin.address())
        {
            say(&format!(
                "({taken} is taken, so metrics are on another port; CEP_ADMIN_LISTEN sets one.)"
            ));
        }
        say(&format!(
            "Metrics are at http://{}/metrics",
            admin.address()
        ));
    }
    if let Some(welcome) = welcome {
        say(&welcome);
    }
    log.release();
    let instance = gateway.instance.as_str();
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), instance, "serving");
    systemd::ready(address).await;
    // Until the end: a service manager's watchdog also counts while the last requests are answered.
    let _watchdog = systemd::watchdog_interval()
        .map(|interval| AbortOnDropHandle::new(tokio::spawn(every(interval, systemd::alive))));

    let bounds = Bounds {
        connections,
        open,
        farewell: options.bank.bank_timeout + FAREWELL_MARGIN,
    };
    let mut broken = None;
    let stop = async {
        tokio::select! {
            () = stop_signal => {}
            // Without them revocations would go unseen: better to stop, and be started again.
            ended = background.join_next() => broken = ended,
        }
        end_on_second_signal();
        tracing::info!("stopping: finishing what is in flight");
        systemd::stopping().await;
    };
    let served = server::serve(listener, gateway.router.clone(), bounds, stop).await;
    background.shutdown().await;
    gateway.change_feed.stop();
    gateway.finish(LEFTOVERS).await;
    sandbox.cancel();
    if let Some(identity) = &identity {
        identity.stop();
    }
    if let Some(admin) = admin {
        admin.stop().await;
    }
    traces.finish().await;
    dropped_lines.report();
    tracing::info!("stopped");
    if let Some(ended) = broken {
        bail!("a background task ended: {ended:?}");
    }
    served
}

/// Prints the addresses of the dashboard and of the sandbox identity provider.
fn announce(identity: &Identity, listen: Listen) {
    say(&format!("The dashboard is at {}", identity.dashboard()));
    if let Some(sandbox) = identity.sandbox() {
        let address = sandbox.trim_start_matches("http://").parse();
        if let Some(taken) = address.ok().and_then(|address| listen.moved_to(address)) {
            say(&format!(
                "({taken} is taken, so the sandbox identity provider is on another port, and the people \
                 of its demo are others; CEP_SANDBOX_IDENTITY_LISTEN sets one.)"
            ));
        }
        say(&format!(
            "FOR DEVELOPMENT ONLY: the sandbox identity provider at {sandbox} signs anybody in, as an \
             admin too. Set CEP_OIDC_ISSUER to use your own."
        ));
        tracing::warn!(
            issuer = sandbox,
            "the sandbox identity provider signs anybody in"
        );
    }
}

/// Resolves when the program is asked to stop (SIGTERM, SIGINT). From the call on neither ends it by
/// itself, also before the future is polled.
pub(super) fn stop_signal() -> impl Future<Output = ()> {
    let mut terminate = signal(SignalKind::terminate()).expect("signals can be listened to");
    let mut interrupt = signal(SignalKind::interrupt()).expect("signals can be listened to");
    async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

/// Ends the process at a second signal. Everything that was answered is on disk by then.
fn end_on_second_signal() {
    tokio::spawn(async {
        stop_signal().await;
        std::process::exit(130);
    });
}

/// Limits of callers' connections.
fn connections(options: &ConnectionOptions) -> ConnectionLimits {
    let all = connections_at_once(options.max_connections);
    let per_address = options.max_connections_per_address;
    let wanted = per_address.map(|most| usize::try_from(most).expect("a u32 fits"));
    ConnectionLimits {
        all,
        per_address: wanted.unwrap_or_else(|| all.div_ceil(2)),
        proxies: Arc::new(TrustedProxies::new(options.trusted_proxies.clone())),
    }
}

/// Raises the limit of descriptors, since the shell's usual 1,024 are soon used up, and returns the
/// number of connections that may be served: a lookup takes a second socket, for the bank, so callers get half
/// of the descriptors at most.
fn connections_at_once(wanted: u32) -> usize {
    let descriptors = match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) => limit,
        Err(error) => {
            tracing::warn!(%error, "the limit of descriptors could not be raised");
            rlimit::Resource::NOFILE.get_soft().unwrap_or(1_024)
        }
    };
    let most = (descriptors / 2).max(1);
    if most < u64::from(wanted) {
        tracing::warn!(
            descriptors,
            connections = most,
            "CEP_MAX_CONNECTIONS is more than half of the descriptors that this process may have \
             (ulimit -Hn, LimitNOFILE): fewer connections are served at the same time"
        );
    }
    usize::try_from(most.min(wanted.into())).expect("a u32 fits")
}

/// Follows the changes of keys, and logs when that stops and when it goes on.
async fn follow(watch: &ChangeFeed, failing: &AtomicBool) {
    match watch.poll().await {
        Ok(_) => {
            if failing.swap(false, Ordering::Relaxed) {
                tracing::info!("changes of keys are followed again");
            }
        }
        Err(error) => {
            if !failing.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    %error,
                    "changes of keys can't be followed: the database can't be read, or the limiter \
                     not told; they are tried four times a second"
                );
            }
        }
    }
}

fn start_background(gateway: &Gateway, options: &ServeOptions) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let (watch, failing) = (Arc::clone(&gateway.change_feed), Arc::default());
    tasks.spawn(every(KEY_WATCH, move || {
        let (watch, failing) = (Arc::clone(&watch), Arc::clone(&failing));
        async move { follow(&watch, &failing).await }
    }));
    let (watch, journal) = (Arc::clone(&gateway.change_feed), gateway.journal.clone());
    let mut answered = true;
    tasks.spawn(every(PULSE, move || {
        answered = pulse(&watch, &journal, answered);
        std::future::ready(())
    }));
    tasks.spawn(gateway.journal.ended());
    let retirement = Arc::clone(&gateway.retirement);
    tasks.spawn(every(RETIRE, move || {
        let retirement = Arc::clone(&retirement);
        async move {
            match retirement.sweep().await {
                Ok(0) => {}
                Ok(revoked) => tracing::info!(revoked, "rotated keys whose time of grace is over"),
                Err(error) => tracing::warn!(%error, "rotated keys could not be revoked"),
            }
        }
    }));
    let catalogue = Arc::clone(&gateway.catalogue);
    tasks.spawn(every(CATALOGUE_WATCH, move || {
        let catalogue = Arc::clone(&catalogue);
        async move { catalogue_watch::follow(&catalogue).await }
    }));
    let seals = Arc::clone(&gateway.seals);
    tasks.spawn(every(SEAL_KEY_WATCH, move || {
        let seals = Arc::clone(&seals);
        async move { seal_watch::follow(&seals).await }
    }));
    if let Some(renewal) = gateway.catalogue_renewal.clone() {
        tasks.spawn(every(CATALOGUE_RENEWAL, move || {
            let renewal = Arc::clone(&renewal);
            async move { catalogue_watch::renew(&renewal).await }
        }));
    }
    if let Some(reconciliation) = gateway.reconciliation.clone() {
        tasks.spawn(every(RECONCILE, move || {
            let reconciliation = Arc::clone(&reconciliation);
            async move {
                match reconciliation.round().await {
                    Ok(keys) => tracing::debug!(keys, "told to Redis again"),
                    Err(error) => tracing::warn!(%error, "keys could not be read for Redis"),
                }
            }
        }));
    }
    if let Some(monitor) = gateway.replica_monitor.clone() {
        tasks.spawn(every(BEAT_INTERVAL, move || {
            let monitor = Arc::clone(&monitor);
            async move {
                if let Err(error) = monitor.beat().await {
                    tracing::warn!(%error, "replicas can't be counted; their last number holds");
                }
            }
        }));
    }
    let limiter = Arc::clone(&gateway.in_process);
    tasks.spawn(every(FORGET_IDLE, move || {
        let limiter = Arc::clone(&limiter);
        async move {
            let forgotten = limiter.forget_idle();
            tracing::debug!(forgotten, "idle keys");
        }
    }));
    let mut log_size = LogSizeWarning::new(gateway.store.clone());
    tasks.spawn(every(LOG_SIZE, move || {
        log_size.check();
        std::future::ready(())
    }));
    let (store, clock) = (gateway.store.clone(), Arc::clone(&gateway.clock));
    start_lookups(&mut tasks, gateway);
    let (retained, archive_days) = (options.retention, options.archive.proof_archive);
    let lookup_days = options.lookups.lookup_retention;
    tasks.spawn(every(PRUNE, move || {
        let store = store.clone();
        let retention = retained.limits(archive_days, lookup_days, clock.now());
        async move {
            match store.prune(retention).await {
                Ok(removed) => tracing::debug!(?removed, "what was past its retention"),
                Err(error) => tracing::warn!(%error, "old requests could not be removed"),
            }
        }
    }));
    tasks
}

/// Starts the attempts of stored lookups, and looks after their queue.
fn start_lookups(tasks: &mut JoinSet<()>, gateway: &Gateway) {
    tasks.spawn(Arc::clone(&gateway.deliveries).run());
    if let Some(worker) = gateway.lookups.worker.clone() {
        tasks.spawn(worker.run());
    }
    if let Some(feeder) = gateway.lookups.batches.feeder.clone() {
        tasks.spawn(feeder.run());
    }
    if let Some(listener) = gateway.lookups.listener.clone() {
        tasks.spawn(listener.run());
    }
    let lookups = Arc::clone(&gateway.lookups.service);
    tasks.spawn(every(ORPHANED_LOOKUPS, move || {
        let lookups = Arc::clone(&lookups);
        async move {
            match lookups.cancel_orphaned().await {
                Ok(0) => {}
                Ok(canceled) => tracing::info!(canceled, "lookups of revoked keys"),
                Err(error) => tracing::warn!(%error, "lookups of revoked keys can't be canceled"),
            }
        }
    }));
    let (queue, clock) = (
        Arc::clone(&gateway.lookups.queue),
        Arc::clone(&gateway.clock),
    );
    tasks.spawn(every(LOOKUP_QUEUE, move || {
        let (queue, now) = (Arc::clone(&queue), clock.now());
        async move {
            if let Err(error) = queue.lookup_queue(now).await {
                tracing::debug!(%error, "the queue of lookups can't be measured");
            }
        }
    }));
}

/// Adds up metrics, and reports lines of the log that were dropped.
fn start_reports(
    tasks: &mut JoinSet<()>,
    metrics: Arc<Metrics>,
    dropped_lines: &Arc<DroppedLines>,
) {
    tasks.spawn(every(metrics::UPKEEP, move || {
        metrics.add_up();
        std::future::ready(())
    }));
    let dropped_lines = Arc::clone(dropped_lines);
    tasks.spawn(every(REPORT_DROPS, move || {
        dropped_lines.report();
        std::future::ready(())
    }));
}

/// Logs when the database stops and begins to answer, and returns whether it does. While it doesn't, the
/// journal tries to write, so that a replica without requests notices, too.
fn pulse(watch: &ChangeFeed, journal: &Journal, answered: bool) -> bool {
    let trouble = watch.trouble();
    match &trouble {
        Some(cause) => {
            journal.probe();
            if answered {
                tracing::warn!(%cause, "the database doesn't answer: proofs wait a few seconds for it, then they are refused");
            }
        }
        None if !answered => tracing::info!("the database answers again"),
        None => {}
    }
    trouble.is_none()
}

async fn every<F: Future<Output = ()>>(period: Duration, mut work: impl FnMut() -> F) {
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        work().await;
    }
}
