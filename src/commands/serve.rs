//! `cep-gateway serve`: the life of the server, from the first key to the last answer.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

use crate::config::Options;
use crate::server::{self, Bounds};
use crate::wiring::{self, Gateway};
use crate::{first_start, say};

/// How often changes of keys that other processes made are looked for: they must take effect
/// within a second.
const KEY_WATCH: Duration = Duration::from_millis(250);
/// How often idle keys are forgotten.
const FORGET_IDLE: Duration = Duration::from_mins(1);
/// How often requests past their retention are removed.
const PRUNE: Duration = Duration::from_hours(1);
/// What a request in flight needs beyond its lookup to be answered.
const FAREWELL_MARGIN: Duration = Duration::from_secs(5);

pub(super) async fn run(options: Options) -> Result<()> {
    super::prepare_data_dir(&options)?;
    raise_descriptor_limit();
    let listener = server::listen(options.listen)
        .with_context(|| format!("listening on {} (CEP_LISTEN)", options.listen))?;
    let address = listener.local_addr().context("asking for the address")?;
    let (sandbox, sandbox_url) = wiring::start_sandbox(&options)?;
    let gateway = wiring::gateway(&options, &sandbox_url).await?;
    let mut background = start_background(&gateway, &options);

    say(&format!(
        "The gateway listens on http://{address} (documentation: http://{address}/docs)"
    ));
    if let Some(welcome) = first_start::welcome(&gateway, address).await? {
        say(&welcome);
    }
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), "serving");

    let bounds = Bounds {
        connections: options.max_connections.get(),
        farewell: options.bank_timeout + FAREWELL_MARGIN,
    };
    let served = server::serve(listener, gateway.router.clone(), bounds, stop_signal()).await;
    tracing::info!("stopping: finishing what is in flight");
    gateway.finish(FAREWELL_MARGIN).await;
    background.shutdown().await;
    sandbox.cancel();
    tracing::info!("stopped");
    served
}

/// Resolves when the program is asked to stop (SIGTERM, SIGINT).
pub(super) async fn stop_signal() {
    let mut terminate = signal(SignalKind::terminate()).expect("signals can be listened to");
    let mut interrupt = signal(SignalKind::interrupt()).expect("signals can be listened to");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// Two sockets a lookup: the shell's usual 1,024 descriptors are soon used up.
fn raise_descriptor_limit() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) => tracing::debug!(limit, "descriptors"),
        Err(error) => tracing::warn!(%error, "the limit of descriptors could not be raised"),
    }
}

fn start_background(gateway: &Gateway, options: &Options) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let watch = Arc::clone(&gateway.key_watch);
    tasks.spawn(every(KEY_WATCH, move || {
        let watch = Arc::clone(&watch);
        async move {
            if let Err(error) = watch.catch_up().await {
                tracing::warn!(%error, "changes of keys could not be read");
            }
        }
    }));
    let limiter = Arc::clone(&gateway.limiter);
    tasks.spawn(every(FORGET_IDLE, move || {
        let limiter = Arc::clone(&limiter);
        async move {
            let forgotten = limiter.forget_idle();
            tracing::debug!(forgotten, "idle keys");
        }
    }));
    let (store, clock) = (gateway.store.clone(), Arc::clone(&gateway.clock));
    let retention = chrono::Days::new(u64::from(options.request_retention.get()));
    tasks.spawn(every(PRUNE, move || {
        let store = store.clone();
        let before = clock.now() - retention;
        async move {
            match store.prune(before).await {
                Ok(removed) => tracing::debug!(removed, "requests past their retention"),
                Err(error) => tracing::warn!(%error, "old requests could not be removed"),
            }
        }
    }));
    tasks
}

async fn every<F: Future<Output = ()>>(period: Duration, mut work: impl FnMut() -> F) {
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        work().await;
    }
}
