//! The accept loop: HTTP/1.1 and h2c, with deadlines and limits that hyper doesn't set by itself, and the
//! addresses of callers.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;
use web::TrustedProxies;

use crate::config::Listen;

mod counted_body;
mod idle;
mod places;
#[cfg(test)]
mod tests;

use counted_body::CountedBody;
use idle::{Activity, Protocol, Watched};
pub(crate) use places::ConnectionLimits;
use places::{Entry, Places};

/// Limit of a request line and its headers, in bytes.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// Limit of concurrent requests on one h2c connection.
const MAX_STREAMS: u32 = 256;
/// Interval of pings on a silent h2c connection, and the deadline of their answers.
const H2_PING: (Duration, Duration) = (Duration::from_secs(20), Duration::from_secs(10));
/// Pause of accepting when the system has no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Listen backlog. A caller beyond it connects about a second later.
const BACKLOG: u32 = 4_096;

/// Listens on an address.
///
/// # Errors
/// The address is taken, or doesn't belong to this machine.
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

/// Listens on an address. If the address is only preferred and its port is taken, another port of
/// the same host is used.
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

/// The address that a program on this machine reaches a listener by.
pub(crate) fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => IpAddr::from([127, 0, 0, 1]),
            IpAddr::V6(_) => IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
        });
    }
    address
}

/// Counter of a server's connections. Clones share the counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenConnections(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    open: AtomicUsize,
    refused: AtomicU64,
}

impl OpenConnections {
    pub(crate) fn count(&self) -> usize {
        self.0.open.load(Ordering::Relaxed)
    }

    /// Connections closed on accept because all places were taken.
    pub(crate) fn refused(&self) -> u64 {
        self.0.refused.load(Ordering::Relaxed)
    }

    /// Counts a connection as open until the guard is dropped.
    fn one(&self) -> OpenConnection {
        self.0.open.fetch_add(1, Ordering::Relaxed);
        OpenConnection(self.clone())
    }

    /// Counts a connection that was closed on accept.
    fn refuse(&self) {
        self.0.refused.fetch_add(1, Ordering::Relaxed);
    }
}

struct OpenConnection(OpenConnections);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let OpenConnections(counts) = &self.0;
        counts.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Limits of a server.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Connections served at the same time.
    pub(crate) connections: ConnectionLimits,
    pub(crate) open: OpenConnections,
    /// Time that requests in flight have to finish once the server stops.
    pub(crate) grace: Duration,
}

/// Serves until `stop` resolves, then finishes what is in flight.
///
/// # Errors
/// The listener fails.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    stop: impl Future<Output = ()>,
) -> Result<()> {
    let Bounds {
        connections,
        open,
        grace,
    } = bounds;
    let tracker = TaskTracker::new();
    let stopping = CancellationToken::new();
    let server = Arc::new(Server {
        http1: http1(),
        http2: http2(),
        router,
        proxies: Arc::clone(&connections.proxies),
        stopping: stopping.clone(),
    });
    let places = Places::new(connections);
    let mut stop = std::pin::pin!(stop);
    loop {
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
        let Some(entry) = places.enter(peer.ip()) else {
            open.refuse();
            continue;
        };
        let (server, open) = (Arc::clone(&server), open.one());
        tracker.spawn(async move {
            server.serve(stream, peer.ip(), (entry, open)).await;
        });
    }
    drop(listener);
    stopping.cancel();
    tracker.close();
    tokio::select! {
        () = tracker.wait() => {}
        () = tokio::time::sleep(grace) => tracing::warn!("some requests did not finish in time"),
    }
    Ok(())
}

/// Settings and services that all connections share.
struct Server {
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    router: Router,
    proxies: Arc<TrustedProxies>,
    /// Cancelled once the server stops.
    stopping: CancellationToken,
}

impl Server {
    /// Waits for a place, then serves the connection until it ends. A connection that is upgraded
    /// to another protocol keeps its place until it is closed.
    async fn serve(&self, stream: TcpStream, peer: IpAddr, (entry, open): (Entry, OpenConnection)) {
        let place = match entry {
            Entry::Admitted(place) => place,
            Entry::Waiting(turn) => tokio::select! {
                place = turn.place() => place,
                () = self.stopping.cancelled() => return,
            },
        };
        // Answers are small and written whole: Nagle's algorithm would only delay them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set");
        }
        self.serve_stream(stream, peer, (place, open)).await;
    }

    /// Serves a connection until it ends; `held` is dropped with it.
    async fn serve_stream<S, H>(&self, stream: S, peer: IpAddr, held: H)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        H: Unpin + Send + 'static,
    {
        let activity = Activity::new();
        let mut stream = Watched::new(stream, Arc::clone(&activity), held);
        let protocol = tokio::select! {
            biased;
            protocol = stream.protocol() => protocol,
            () = self.stopping.cancelled() => return,
        };
        let service = self.service(peer, activity);
        let ended = match protocol {
            Ok(Protocol::Http1) => {
                let connection = self.http1.serve_connection(TokioIo::new(stream), service);
                let shut_down = http1::UpgradeableConnection::graceful_shutdown;
                Box::pin(self.end(connection.with_upgrades(), shut_down)).await
            }
            Ok(Protocol::Http2) => {
                let connection = self.http2.serve_connection(TokioIo::new(stream), service);
                let shut_down = http2::Connection::graceful_shutdown;
                Box::pin(self.end(connection, shut_down)).await
            }
            Err(error) => {
                tracing::debug!(%error, "a connection ended before its first request");
                return;
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended badly");
        }
    }

    /// Waits until a connection ends; once the server stops, the connection takes no more requests.
    async fn end<C: Future>(
        &self,
        connection: C,
        shut_down: impl FnOnce(Pin<&mut C>),
    ) -> C::Output {
        let mut connection = pin!(connection);
        tokio::select! {
            // A request that has arrived is answered, though the server stops.
            biased;
            ended = &mut connection => return ended,
            () = self.stopping.cancelled() => shut_down(connection.as_mut()),
        }
        connection.await
    }

    /// Answers the requests of a connection.
    fn service(
        &self,
        peer: IpAddr,
        activity: Arc<Activity>,
    ) -> impl HttpService<Incoming, ResBody = Body, Error = Infallible, Future: Send> + Send + use<>
    {
        let (router, proxies) = (self.router.clone(), Arc::clone(&self.proxies));
        service_fn(move |mut request: Request<Incoming>| {
            let caller = proxies.caller(peer, request.headers());
            request.extensions_mut().insert(caller);
            let (answering, uploading) = (activity.begin(), activity.begin());
            // A body may still arrive after its request was refused. Until it is dropped, arriving
            // bytes don't count as the head of the next request.
            let request = request.map(|body| {
                body.map_frame(move |frame| {
                    let _until_dropped = &uploading;
                    frame
                })
            });
            let answer = router.clone().oneshot(request);
            let activity = Arc::clone(&activity);
            async move {
                let answer = answer.await;
                if answer.as_ref().is_ok_and(is_upgrade) {
                    activity.upgraded();
                }
                // Until the body was sent, or is given up: a download may take longer than a connection may be idle.
                answer.map(|answer| answer.map(|body| Body::new(CountedBody::new(body, answering))))
            }
        })
    }
}

fn is_upgrade(answer: &Response) -> bool {
    answer.status() == StatusCode::SWITCHING_PROTOCOLS
}

fn http1() -> http1::Builder {
    let mut http = http1::Builder::new();
    // Off: `idle` limits the time of heads instead, see there.
    http.header_read_timeout(None)
        .max_buf_size(MAX_HEADER_BYTES);
    http
}

fn http2() -> http2::Builder<TokioExecutor> {
    let mut http = http2::Builder::new(TokioExecutor::new());
    http.timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(MAX_HEADER_BYTES).expect("16 KiB fits"))
        .max_concurrent_streams(MAX_STREAMS)
        .keep_alive_interval(H2_PING.0)
        .keep_alive_timeout(H2_PING.1);
    http
}
