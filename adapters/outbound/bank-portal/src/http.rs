//! HTTP exchange: one request over the shared connection pool, its response read up to a limit.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{CONTENT_DISPOSITION, COOKIE, HeaderMap};
use reqwest::{Client, Request, RequestBuilder, Response, StatusCode};
use tracing::Instrument as _;

use crate::address::PortalUrl;
use crate::cookies::CookieJar;
use crate::error::{LookupError, SendError};
use crate::trace::{self, TraceParent};

/// Shorter than the server's keep-alive, so that no request uses a connection that the server has
/// closed.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(15);
/// Connections kept for the next query. A paced portal needs three; 2,000 concurrent queries took
/// the same time with 16 as with 4,096.
const POOL_MAX_IDLE: usize = 64;

/// A response, read to its end.
pub(crate) struct PortalResponse {
    pub(crate) status: StatusCode,
    /// `Content-Disposition`, invalid UTF-8 replaced.
    pub(crate) disposition: Option<String>,
    pub(crate) body: Bytes,
}

/// Maps an error of sending a request.
fn send_error(error: reqwest::Error) -> LookupError {
    let error = error.without_url();
    if is_not_http(&error) {
        return LookupError::NotHttp(error);
    }
    LookupError::NoResponse(if error.is_connect() {
        SendError::NotConnected(error)
    } else if was_closed(&error) {
        SendError::Closed(error)
    } else {
        SendError::Broken(error)
    })
}

/// Returns the sources of an error, outermost first.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

/// Returns whether the response isn't HTTP.
fn is_not_http(error: &reqwest::Error) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<hyper::Error>())
        .any(hyper::Error::is_parse)
}

/// Returns whether the peer closed the connection before the response head was complete.
fn was_closed(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| {
        if let Some(error) = cause.downcast_ref::<hyper::Error>() {
            return error.is_incomplete_message() || error.is_canceled() || error.is_closed();
        }
        let Some(error) = cause.downcast_ref::<io::Error>() else {
            return false;
        };
        matches!(
            error.kind(),
            io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof
        )
    })
}

/// Builds the client shared by all queries: no cookie store, no redirects, no retries, no proxy
/// from the environment. HTTP/1.1, as the portal was recorded; one stuck HTTP/2 connection would
/// stall all queries.
pub(crate) fn client(
    base: &PortalUrl,
    user_agent: &str,
    connect_timeout: Duration,
) -> Result<Client, reqwest::Error> {
    let builder = if base.is_https() {
        Client::builder().https_only(true)
    } else {
        // The system's certificates aren't needed, and may be missing.
        Client::builder().tls_certs_only([])
    };
    builder
        .user_agent(user_agent)
        .http1_only()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(connect_timeout)
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .pool_max_idle_per_host(POOL_MAX_IDLE)
        .build()
}

/// Sends one request with the session's cookies, stores those of the response, and reads at most
/// `limit` bytes of it, in a span of its own that `trace_parent` propagates to the portal.
pub(crate) async fn exchange(
    request: RequestBuilder,
    jar: &mut CookieJar,
    limit: usize,
    trace_parent: Option<&TraceParent>,
) -> Result<PortalResponse, LookupError> {
    let request = match jar.header() {
        Some(cookies) => request.header(COOKIE, cookies),
        None => request,
    };
    let (client, request) = request.build_split();
    let mut request = request.map_err(send_error)?;
    let span = trace::request(request.method(), request.url());
    if let Some(parent) = trace_parent {
        trace::propagate(parent, &span, request.headers_mut());
    }
    let result = send(&client, request, jar, limit);
    let result = result.instrument(span.clone()).await;
    match &result {
        Ok(response) => trace::record_response(&span, response.status),
        Err(error) => trace::record_error(&span, error.error_type()),
    }
    result
}

async fn send(
    client: &Client,
    request: Request,
    jar: &mut CookieJar,
    limit: usize,
) -> Result<PortalResponse, LookupError> {
    let response = client.execute(request).await.map_err(send_error)?;
    jar.update(response.headers());
    Ok(PortalResponse {
        status: response.status(),
        disposition: disposition(response.headers()),
        body: read(response, limit).await?,
    })
}

fn disposition(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_DISPOSITION)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Reads a body chunk by chunk. `Content-Length` isn't trusted.
async fn read(mut response: Response, limit: usize) -> Result<Bytes, LookupError> {
    let mut body = Vec::new();
    loop {
        let chunk = response.chunk().await;
        let chunk = chunk.map_err(|error| LookupError::Interrupted(error.without_url()))?;
        let Some(chunk) = chunk else {
            // The cache counts a proof's length as its memory, so there must be no spare capacity.
            return Ok(Bytes::from(body.into_boxed_slice()));
        };
        if body.len() + chunk.len() > limit {
            return Err(LookupError::TooLarge { limit });
        }
        body.extend_from_slice(&chunk);
    }
}
