//! `cep-gateway serve`: the life of the server, from the first key to the last answer.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use web::TrustedProxies;

use super::data_dir;
use super::signals::{end_on_second_signal, stop_signal};
use crate::admin::{self, Admin};
use crate::config::{AdminAddress, ConnectionOptions, Deployment, Listen, ServeOptions};
use crate::console::say;
use crate::metrics::Metrics;
use crate::server::{self, Bounds, ConnectionLimits, OpenConnections};
use crate::telemetry::Log;
use crate::traces::Traces;
use crate::wiring::{self, Identity, ServeContext};
use crate::{first_start, systemd};

mod background;

use background::every;

/// Time that a request in flight needs beyond its lookup to be answered.
const GRACE_MARGIN: Duration = Duration::from_secs(5);
/// Time at the end for lookups whose callers hung up, and for uploads that are being refused.
const LEFTOVERS: Duration = Duration::from_secs(15);

pub(super) async fn run(options: ServeOptions, traces: Traces, log: &Log) -> Result<()> {
    let database = &options.keys.database;
    let deployment = Deployment::of(database, &options.keys.replicas)?;
    data_dir::prepare(database)?;
    let _alone = wiring::lock_database(database, deployment)?;
    let connections = connections(&options.connections);
    let listen = options.listen.listen;
    let listener =
        server::listen(listen).with_context(|| format!("listening on {listen} (CEP_LISTEN)"))?;
    let address = listener.local_addr().context("asking for the address")?;
    let admin = admin::listen(options.admin.admin_listen)?;
    let metrics = match &admin {
        Some(_) => Metrics::install()?,
        None => Metrics::off(),
    };
    let open = OpenConnections::default();
    let dropped_lines = Arc::new(log.dropped_lines());
    let (sandbox, sandbox_urls) = wiring::start_sandbox(&options.sandbox)?;
    let identity = wiring::identity(&options.people, address)?;
    let stopping = CancellationToken::new();
    let context = ServeContext {
        sandbox: &sandbox_urls,
        identity: identity.as_ref(),
        metrics: metrics.clone(),
        connections: open.clone(),
        traces: traces.clone(),
        dropped_lines: Arc::clone(&dropped_lines),
        stopping: stopping.clone(),
    };
    let gateway = Box::pin(wiring::gateway(&options, context)).await?;
    let mut background = background::start(&gateway, &options);
    background::report(&mut background, metrics, &dropped_lines);
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
        announce_metrics(admin, options.admin.admin_listen);
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
        grace: options.bank.bank_timeout + GRACE_MARGIN,
    };
    let mut broken = None;
    let stop = async {
        tokio::select! {
            () = stop_signal => {}
            // Without them revocations would go unseen: better to stop, and be started again.
            ended = background.join_next() => broken = ended,
        }
        end_on_second_signal();
        stopping.cancel();
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

/// Prints the address of the metrics.
fn announce_metrics(admin: &Admin, wanted: AdminAddress) {
    if let AdminAddress::On(listen) = wanted
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
