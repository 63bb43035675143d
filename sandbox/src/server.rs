//! Serves the portal on a listener. A server of its own, because only below axum can a connection
//! be closed without an answer.

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

/// How long a client may take to send a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long answers under way are waited for at the end; silent ones would wait for ever.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);
/// How long to wait when the system has no more sockets to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Marks an answer that must not be sent: the connection is closed instead.
#[derive(Clone, Copy)]
pub(crate) struct HangUp;

/// The error that makes hyper drop a connection.
#[derive(Debug)]
struct HungUp;

impl fmt::Display for HungUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the sandbox hangs up on this payment")
    }
}

impl std::error::Error for HungUp {}

/// Serves `router` until `shutdown`; then answers what is under way, for a second at most.
pub async fn serve(listener: TcpListener, router: Router, shutdown: impl Future<Output = ()>) {
    let mut shutdown = pin!(shutdown);
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let mut protocol = http1::Builder::new();
    // The recorded answers write `Set-Cookie`, not `set-cookie`.
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
        // Without it a kept-alive answer may wait 40 ms for the client's acknowledgement.
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

async fn answer(router: Router, request: hyper::Request<Incoming>) -> Result<Response, HungUp> {
    let request: Request = request.map(Body::new);
    let answer: Result<Response, Infallible> = router.oneshot(request).await;
    match answer {
        Ok(answer) if answer.extensions().get::<HangUp>().is_some() => Err(HungUp),
        Ok(answer) => Ok(answer),
        Err(never) => match never {},
    }
}
