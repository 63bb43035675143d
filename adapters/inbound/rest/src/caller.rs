//! Caller of a proof request: its key and its address.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use axum::http::HeaderMap;

use crate::headers::API_KEY;

/// The key that the caller shows: the value of the one `x-api-key` header. A key anywhere else
/// doesn't count, and two are none: a proxy and we could otherwise look at different ones.
pub(crate) fn presented_key(headers: &HeaderMap) -> Option<&str> {
    web::the_one(headers, &API_KEY)
}

/// Address of a request's sender, as the accept loop noted it in the request's `ConnectInfo`.
pub(crate) fn address(request: &Request) -> IpAddr {
    request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip())
}
