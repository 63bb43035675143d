//! The API key and address of a request's caller.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::HeaderMap;
use web::CallerAddress;

use crate::headers::API_KEY;

/// The API key: the value of the single `x-api-key` header. With two such headers, a proxy and the gateway
/// might each read a different one, so neither counts.
pub(crate) fn presented_key(headers: &HeaderMap) -> Option<&str> {
    web::single_header(headers, &API_KEY)
}

/// Returns true for a request with an API key, valid or not. A session in the same request is then ignored.
pub(crate) fn shows_key(headers: &HeaderMap) -> bool {
    headers.contains_key(&API_KEY)
}

/// The caller's address in the request's [`CallerAddress`] extension.
pub(crate) fn address(request: &Request) -> IpAddr {
    CallerAddress::known(request.extensions().get::<CallerAddress>().copied())
}
