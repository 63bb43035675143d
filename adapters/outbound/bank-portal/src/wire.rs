//! One request on the wire: sent over the shared pool, read up to a limit.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{CONTENT_DISPOSITION, COOKIE, HeaderMap};
use reqwest::{Client, Request, RequestBuilder, Response, StatusCode};
use tracing::Instrument as _;

use crate::address::PortalUrl;
use crate::cookies::CookieJar;
use crate::fault::Fault;
use crate::trace::{self, TraceHeaders};

/// Idle connections must not outlive the server's keep-alive, or the next request meets a closed
/// one.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(15);
/// Connections kept for the next lookup. A paced portal needs three; 2,000 lookups at once took the
/// same time with 16 as with 4,096.
const POOL_MAX_IDLE: usize = 64;

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// `Content-Disposition`, as far as it is text.
    pub(crate) disposition: Option<String>,
    pub(crate) body: Bytes,
}

/// A request that got no answer at all, not even a status line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    /// No connection: the portal has not seen the request.
    #[error("no connection")]
    NotConnected(#[source] reqwest::Error),
    /// The connection was closed instead of an answer.
    #[error("the connection was closed without an answer")]
    Closed(#[source] reqwest::Error),
    /// Anything else that broke before there was an answer.
    #[error("the request broke")]
    Broken(#[source] reqwest::Error),
}

/// Why a request has no answer that could be read.
fn unanswered(error: reqwest::Error) -> Fault {
    let error = error.without_url();
    if is_not_http(&error) {
        return Fault::NotHttp(error);
    }
    Fault::Unanswered(if error.is_connect() {
        Unanswered::NotConnected(error)
    } else if was_closed(&error) {
        Unanswered::Closed(error)
    } else {
        Unanswered::Broken(error)
    })
}

impl Unanswered {
    /// Whether asking once more may help and can't hurt.
    pub(crate) fn is_worth_another_attempt(&self) -> bool {
        matches!(self, Self::NotConnected(_) | Self::Closed(_))
    }
}

/// The causes of an error, outermost first.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

/// Whether something came that isn't HTTP.
fn is_not_http(error: &reqwest::Error) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<hyper::Error>())
        .any(hyper::Error::is_parse)
}

/// Whether the peer closed the connection before a whole response head was there.
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

/// A client that fits every lookup: no cookies of its own, no redirects, no retries, no proxy from
/// the environment. HTTP/1.1, as the portal was recorded; one stuck HTTP/2 connection would hold
/// up all lookups.
pub(crate) fn client(
    base: &PortalUrl,
    user_agent: &str,
    connect_timeout: Duration,
) -> Result<Client, reqwest::Error> {
    let builder = if base.is_https() {
        Client::builder().https_only(true)
    } else {
        // The system's certificates aren't needed, nor looked for where there may be none.
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

/// Sends one request with the session's cookies, keeps those of the answer, and reads at most
/// `limit` bytes of it. It has a span of its own, which `tell` tells the portal of.
pub(crate) async fn exchange(
    request: RequestBuilder,
    jar: &mut CookieJar,
    limit: usize,
    tell: Option<&TraceHeaders>,
) -> Result<Answer, Fault> {
    let request = match jar.header() {
        Some(cookies) => request.header(COOKIE, cookies),
        None => request,
    };
    let (client, request) = request.build_split();
    let mut request = request.map_err(unanswered)?;
    let span = trace::request(request.method(), request.url());
    if let Some(tell) = tell {
        tell(&span, request.headers_mut());
    }
    let answered = send(&client, request, jar, limit);
    let answered = answered.instrument(span.clone()).await;
    match &answered {
        Ok(answer) => trace::answered(&span, answer.status),
        Err(fault) => trace::failed(&span, fault.word()),
    }
    answered
}

async fn send(
    client: &Client,
    request: Request,
    jar: &mut CookieJar,
    limit: usize,
) -> Result<Answer, Fault> {
    let response = client.execute(request).await.map_err(unanswered)?;
    jar.update(response.headers());
    Ok(Answer {
        status: response.status(),
        disposition: disposition(response.headers()),
        body: read(response, limit).await?,
    })
}

fn disposition(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_DISPOSITION)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Reads a body chunk by chunk. `Content-Length` is not asked: it may lie.
async fn read(mut response: Response, limit: usize) -> Result<Bytes, Fault> {
    let mut body = Vec::new();
    loop {
        let chunk = response.chunk().await;
        let chunk = chunk.map_err(|error| Fault::BrokenOff(error.without_url()))?;
        let Some(chunk) = chunk else {
            // Kept proofs are counted by their length, so nothing may be spare.
            return Ok(Bytes::from(body.into_boxed_slice()));
        };
        if body.len() + chunk.len() > limit {
            return Err(Fault::TooLarge { limit });
        }
        body.extend_from_slice(&chunk);
    }
}
