//! The admin listener: metrics for operators, apart from the listener of callers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::config::AdminAddress;
use crate::metrics::ScrapedGauges;
use crate::server::{self, Bounds, ConnectionLimits, OpenConnections};

/// Prometheus' text format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// A few collectors, and a person.
const CONNECTIONS: usize = 16;
/// Time that a scrape in flight has at the end.
const GRACE: Duration = Duration::from_secs(1);

/// Listens on the address of the admin listener; `None` when there is to be none.
///
/// # Errors
/// The address is taken, and no other one may be used.
pub(crate) fn listen(address: AdminAddress) -> Result<Option<TcpListener>> {
    let AdminAddress::On(address) = address else {
        return Ok(None);
    };
    let listener = server::listen_at(address).with_context(|| {
        format!(
            "listening on {address} for metrics: set CEP_ADMIN_LISTEN to another address, or to \
             `off` to serve none"
        )
    })?;
    Ok(Some(listener))
}

/// The admin listener at work.
pub(crate) struct Admin {
    address: SocketAddr,
    stop: CancellationToken,
    serving: JoinHandle<Result<()>>,
}

impl Admin {
    /// Serves `/metrics` until it is stopped.
    ///
    /// # Errors
    /// The listener has no address.
    pub(crate) fn start(listener: TcpListener, gauges: Arc<ScrapedGauges>) -> Result<Self> {
        let address = listener
            .local_addr()
            .context("asking for the admin address")?;
        let bounds = Bounds {
            connections: ConnectionLimits {
                all: CONNECTIONS,
                per_address: CONNECTIONS,
                proxies: Arc::default(),
            },
            open: OpenConnections::default(),
            grace: GRACE,
        };
        let stop = CancellationToken::new();
        let until = stop.clone().cancelled_owned();
        let router = router(gauges);
        let serving = tokio::spawn(server::serve(listener, router, bounds, until));
        Ok(Self {
            address,
            stop,
            serving,
        })
    }

    /// Address that it listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        if let Ok(Err(error)) = self.serving.await {
            tracing::warn!(%error, "the admin listener ended badly");
        }
    }
}

fn router(gauges: Arc<ScrapedGauges>) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(gauges)
}

async fn metrics(State(gauges): State<Arc<ScrapedGauges>>) -> impl IntoResponse {
    let headers = [(CONTENT_TYPE, TEXT), (CACHE_CONTROL, "no-store")];
    (headers, gauges.render().await)
}
