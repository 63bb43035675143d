//! The accept loop: HTTP/1.1 and h2c, with deadlines and limits that hyper doesn't set by itself.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::ConnectInfo;
use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt;

use crate::config::Listen;

mod idle;

use idle::{Activity, Watched};

/// Bytes of a request line and its headers.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// Requests in flight on one h2c connection.
const MAX_STREAMS: u32 = 256;
/// Interval of pings on a silent h2c connection, and the deadline of their answers.
const H2_PING: (Duration, Duration) = (Duration::from_secs(20), Duration::from_secs(10));
/// Pause of accepting when the system has no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Connections that may wait to be accepted. A burst beyond it costs its callers a second each.
const BACKLOG: u32 = 4_096;

/// Listens on an address.
///
/// # Errors
/// The address is taken, or not this machine's.
pub(crate) fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    // As the standard library does: a restart must not wait for old connections to be forgotten.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Listens on an address, or on another port of its host where the address is only a preference and is
/// taken.
///
/// # Errors
/// Those of [`listen`].
pub(crate) fn listen_at(wanted: Listen) -> std::io::Result<TcpListener> {
    match (wanted, listen(wanted.address())) {
        (Listen::Preferably(mut address), Err(error)) if error.kind() == ErrorKind::AddrInUse => {
            address.set_port(0);
            listen(address)
        }
        (_, listener) => listener,
    }
}

/// Open connections of a server. Clones count the same ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenConnections(Arc<AtomicUsize>);

impl OpenConnections {
    /// Their number.
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts one until the guard is dropped.
    fn one(&self) -> OpenConnection {
        self.0.fetch_add(1, Ordering::Relaxed);
        OpenConnection(self.clone())
    }
}

struct OpenConnection(OpenConnections);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let OpenConnections(count) = &self.0;
        count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Limits of a server.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Connections served at the same time.
    pub(crate) connections: usize,
    /// Counter of open connections.
    pub(crate) open: OpenConnections,
    /// Time that requests in flight have to finish once the server stops.
    pub(crate) farewell: Duration,
}

/// Serves until `stop` resolves, then finishes what is in flight.
///
/// # Errors
/// The listener breaks.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    stop: impl Future<Output = ()>,
) -> Result<()> {
    let connections = Arc::new(Semaphore::new(bounds.connections));
    let graceful = GracefulShutdown::new();
    let http = Arc::new(http());
    let mut stop = std::pin::pin!(stop);
    loop {
        let permit = tokio::select! {
            permit = Arc::clone(&connections).acquire_owned() => permit.context("the semaphore is never closed")?,
            () = &mut stop => break,
        };
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of descriptors, or a peer that gave up: neither ends the server.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let connection = connection(&http, stream, peer, router.clone());
        let connection = graceful.watch(connection);
        let open = bounds.open.one();
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error, "a connection ended badly");
            }
            drop((permit, open));
        });
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(bounds.farewell) => tracing::warn!("some requests did not finish in time"),
    }
    Ok(())
}

/// The protocol's settings, shared by all connections.
fn http() -> auto::Builder<TokioExecutor> {
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http1()
        // `idle` times heads, and better.
        .header_read_timeout(None)
        .max_buf_size(MAX_HEADER_BYTES);
    http.http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(MAX_HEADER_BYTES).expect("16 KiB fits"))
        .max_concurrent_streams(MAX_STREAMS)
        .keep_alive_interval(H2_PING.0)
        .keep_alive_timeout(H2_PING.1);
    http
}

fn connection(
    http: &auto::Builder<TokioExecutor>,
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
) -> impl GracefulConnection<Error = Box<dyn std::error::Error + Send + Sync>> + 'static {
    // Answers are small and whole: waiting for more to send only delays them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY could not be set");
    }
    let activity = Activity::new();
    let stream = Watched::new(stream, Arc::clone(&activity));
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let (answering, uploading) = (activity.begin(), activity.begin());
        // A body may still arrive after its request was refused: until it is dropped, its bytes
        // belong to no head.
        let request = request.map(|body| {
            body.map_frame(move |frame| {
                let _until_dropped = &uploading;
                frame
            })
        });
        let answer = router.clone().oneshot(request);
        async move {
            let answer = answer.await;
            drop(answering);
            answer
        }
    });
    http.serve_connection(TokioIo::new(stream), service)
        .into_owned()
}
