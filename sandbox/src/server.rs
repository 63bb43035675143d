//! HTTP server based on hyper, because axum's own can't close a connection without a response.

use std::convert::Infallible;
use std::fmt;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tower::ServiceExt as _;

/// Time limit for receiving a request head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for running requests at shutdown, because some never get a response.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);
/// Delay after a failed `accept`, for example without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Marks a response that isn't sent; the connection is closed instead.
#[derive(Clone, Copy)]
pub(crate) struct AbortConnection;

/// Error that makes hyper close a connection.
#[derive(Debug)]
struct ConnectionAborted;

impl fmt::Display for ConnectionAborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the sandbox closes the connection for this payment")
    }
}

impl std::error::Error for ConnectionAborted {}

/// Serves `router` until `shutdown`; running requests have a second to finish.
pub async fn serve(listener: TcpListener, router: Router, shutdown: impl Future<Output = ()>) {
    let mut shutdown = pin!(shutdown);
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let mut protocol = http1::Builder::new();
    // The recorded responses have `Set-Cookie`, not `set-cookie`.
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .title_case_headers(true);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // Without this, a response on a kept-alive connection may wait 40 ms for the client's ACK.
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        let service = service_fn(move |request| answer(router.clone(), request));
        let connection = protocol.serve_connection(TokioIo::new(stream), service);
        connections.spawn(graceful.watch(connection));
    }
    drop(listener);
    let _ = tokio::time::timeout(SHUTDOWN_GRACE, graceful.shutdown()).await;
    connections.shutdown().await;
}

async fn answer(
    router: Router,
    request: hyper::Request<Incoming>,
) -> Result<Response, ConnectionAborted> {
    let request: Request = request.map(Body::new);
    let answer: Result<Response, Infallible> = router.oneshot(request).await;
    match answer {
        Ok(answer) if answer.extensions().get::<AbortConnection>().is_some() => {
            Err(ConnectionAborted)
        }
        Ok(answer) => Ok(answer),
        Err(never) => match never {},
    }
}
