//! Caller of a proof request: its key and its address.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::HeaderMap;
use web::CallerAddress;

use crate::headers::API_KEY;

/// The key that the caller shows: the value of the one `x-api-key` header. A key anywhere else
/// doesn't count, and two are none: a proxy and we could otherwise look at different ones.
pub(crate) fn presented_key(headers: &HeaderMap) -> Option<&str> {
    web::single_header(headers, &API_KEY)
}

/// Returns true for a request of a caller who shows a key, be it a good one or not. A session beside it
/// doesn't count.
pub(crate) fn shows_key(headers: &HeaderMap) -> bool {
    headers.contains_key(&API_KEY)
}

/// Address of a request's caller, as the server noted it in the request's [`CallerAddress`].
pub(crate) fn address(request: &Request) -> IpAddr {
    CallerAddress::known(request.extensions().get::<CallerAddress>().copied())
}
