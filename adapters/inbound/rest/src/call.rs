//! What is known of a request from its headers alone: its id, its language, its caller's address.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, HeaderValue};
use domain::request::RequestId;
use ports::outbound::{Clock, Random, new_id};

use crate::headers::{API_KEY, REQUEST_ID};
use crate::language::Language;

/// One request, before anything was done about it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The id that the answer carries.
    pub(crate) request_id: RequestId,
    /// The language of messages.
    pub(crate) language: Language,
    /// When it arrived, on the monotonic clock.
    pub(crate) started: Duration,
}

impl Call {
    pub(crate) fn new(headers: &HeaderMap, clock: &dyn Clock, random: &dyn Random) -> Self {
        Self {
            request_id: kept_id(headers)
                .unwrap_or_else(|| RequestId::from_uuid(new_id(clock, random))),
            language: Language::of(headers),
            started: clock.monotonic(),
        }
    }

    /// The id as a header's value.
    pub(crate) fn id_value(&self) -> HeaderValue {
        HeaderValue::from_str(self.request_id.as_str())
            .unwrap_or(HeaderValue::from_static("unknown"))
    }
}

/// The caller's own id, when there is exactly one and it is sane.
fn kept_id(headers: &HeaderMap) -> Option<RequestId> {
    the_one(headers, &REQUEST_ID).and_then(RequestId::parse)
}

/// The key that the caller shows: the value of the one `x-api-key` header. A key anywhere else
/// doesn't count, and two are none: a proxy and we could otherwise look at different ones.
pub(crate) fn presented_key(headers: &HeaderMap) -> Option<&str> {
    the_one(headers, &API_KEY)
}

/// The text of a header that stands there exactly once.
pub(crate) fn the_one<'a>(
    headers: &'a HeaderMap,
    name: &axum::http::HeaderName,
) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Where a request comes from, as the accept loop noted it in the request's `ConnectInfo`.
pub(crate) fn address(request: &Request) -> IpAddr {
    request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip())
}
