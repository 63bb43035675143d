//! `cep-gateway serve`: the life of the server, from the first key to the last answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use application::ChangeFeed;
use ports::outbound::UsageJournal;
use store_seaorm::{Journal, Retention};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use crate::admin::{self, Admin};
use crate::config::Options;
use crate::database_log::LogSizeWarning;
use crate::metrics::{self, Metrics};
use crate::server::{self, Bounds, OpenConnections};
use crate::traces::Traces;
use crate::wiring::{self, Deployment, Gateway, Identity, Surroundings};
use crate::{first_start, say, systemd};

/// How often changes of keys that other processes made are looked for: they must take effect
/// within a second.
const KEY_WATCH: Duration = Duration::from_millis(250);
/// How often it is looked whether the database answers.
const PULSE: Duration = Duration::from_secs(1);
/// How often keys are looked for whose time of grace is over.
const RETIRE: Duration = Duration::from_secs(1);
/// How often Redis is told again what it may have lost: with what a round takes that must be less
/// than a minute.
const RECONCILE: Duration = Duration::from_secs(20);
/// How often idle keys are forgotten.
const FORGET_IDLE: Duration = Duration::from_mins(1);
/// Interval at which the size of an embedded database's log is looked at.
const LOG_SIZE: Duration = Duration::from_secs(5);
/// How often requests past their retention are removed.
const PRUNE: Duration = Duration::from_hours(1);
/// What a request in flight needs beyond its lookup to be answered.
const FAREWELL_MARGIN: Duration = Duration::from_secs(5);
/// What lookups whose callers hung up, and uploads that are being refused, may still take.
const LEFTOVERS: Duration = Duration::from_secs(15);

pub(super) async fn run(options: Options, traces: Traces) -> Result<()> {
    super::prepare_data_dir(&options)?;
    let _alone = wiring::lock_database(&options)?;
    let connections = connections(options.max_connections);
    let listener = server::listen(options.listen)
        .with_context(|| format!("listening on {} (CEP_LISTEN)", options.listen))?;
    let address = listener.local_addr().context("asking for the address")?;
    let admin = admin::listen(options.admin.admin_listen)?;
    let metrics = Arc::new(match &admin {
        Some(_) => Metrics::new(),
        None => Metrics::off(),
    });
    let open = OpenConnections::default();
    let (sandbox, sandbox_url) = wiring::start_sandbox(&options)?;
    let identity = wiring::identity(&options, address)?;
    let surroundings = Surroundings {
        sandbox: &sandbox_url,
        identity: identity.as_ref(),
        metrics: Arc::clone(&metrics),
        connections: open.clone(),
        traces: traces.clone(),
    };
    let gateway = Box::pin(wiring::gateway(&options, surroundings)).await?;
    let mut background = start_background(&gateway, &options);
    background.spawn(every(metrics::UPKEEP, move || {
        metrics.add_up();
        std::future::ready(())
    }));
    let admin = admin.map(|listener| Admin::start(listener, Arc::clone(&gateway.readings)));
    let admin = admin.transpose()?;

    let welcome = match Deployment::of(&options)? {
        Deployment::Embedded => first_start::welcome(&gateway, address).await?,
        // Whoever runs replicas makes keys on purpose.
        Deployment::Replicated => None,
    };
    // Whoever has read that it listens may stop it.
    let stop_signal = stop_signal();
    say(&format!(
        "The gateway listens on http://{address} (documentation: http://{address}/docs)"
    ));
    if let Some(identity) = &identity {
        announce(identity);
    }
    if let Some(admin) = &admin {
        say(&format!(
            "Metrics are at http://{}/metrics",
            admin.address()
        ));
    }
    if let Some(welcome) = welcome {
        say(&welcome);
    }
    let instance = gateway.instance.as_str();
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), instance, "serving");
    systemd::ready(address).await;
    // Until the end: a service manager's watchdog also counts while the last requests are answered.
    let _watchdog = systemd::watchdog_interval()
        .map(|interval| AbortOnDropHandle::new(tokio::spawn(every(interval, systemd::alive))));

    let bounds = Bounds {
        connections,
        open,
        farewell: options.bank_timeout + FAREWELL_MARGIN,
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
    gateway.finish(LEFTOVERS).await;
    sandbox.cancel();
    if let Some(identity) = &identity {
        identity.stop();
    }
    if let Some(admin) = admin {
        admin.stop().await;
    }
    traces.finish().await;
    tracing::info!("stopped");
    if let Some(ended) = broken {
        bail!("a background task ended: {ended:?}");
    }
    served
}

/// Says where the dashboard is, and who vouches for people.
fn announce(identity: &Identity) {
    say(&format!("The dashboard is at {}", identity.dashboard()));
    if let Some(sandbox) = identity.sandbox() {
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

/// Whoever asks twice doesn't want to wait. What was answered is on disk by then.
fn end_on_second_signal() {
    tokio::spawn(async {
        stop_signal().await;
        std::process::exit(130);
    });
}

/// Raises the limit of descriptors, since the shell's usual 1,024 are soon used up, and returns how
/// many connections may be served: a lookup takes a second socket, for the bank, so callers get half
/// of the descriptors at most.
fn connections(wanted: u32) -> usize {
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

/// Follows the changes of keys, and says when that stops and when it goes on.
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

fn start_background(gateway: &Gateway, options: &Options) -> JoinSet<()> {
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
    let days = |days: u32| chrono::Days::new(u64::from(days));
    let (requests, usage) = (
        days(options.request_retention),
        days(options.usage_retention),
    );
    tasks.spawn(every(PRUNE, move || {
        let store = store.clone();
        let now = clock.now();
        let retention = Retention {
            requests_before: now - requests,
            usage_before: now - usage,
            now,
        };
        async move {
            match store.prune(retention).await {
                Ok(removed) => tracing::debug!(?removed, "what was past its retention"),
                Err(error) => tracing::warn!(%error, "old requests could not be removed"),
            }
        }
    }));
    tasks
}

/// Whether the database answers, which it did or didn't before. While it doesn't, the journal tries
/// whether it can write: a replica that nobody asks knows that, too, before somebody does.
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
