//! Parser of the address of a single hop.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::http::HeaderValue;

use super::Hop;

/// The hops of an `X-Forwarded-For` field.
pub(super) fn hops(value: &HeaderValue) -> Vec<Hop> {
    let bytes = value.as_bytes();
    bytes.split(|byte| *byte == b',').map(read).collect()
}

fn read(bytes: &[u8]) -> Hop {
    str::from_utf8(bytes).map_or(Hop::Unknown, |text| hop(text.trim_matches([' ', '\t'])))
}

/// Parses an address, with or without a port; IPv6 with or without brackets.
pub(super) fn hop(text: &str) -> Hop {
    let address = text
        .parse::<IpAddr>()
        .or_else(|_| text.parse().map(|address: SocketAddr| address.ip()))
        .ok()
        .or_else(|| bracketed(text));
    match address {
        Some(address) => Hop::Address(address.to_canonical()),
        None => Hop::Unknown,
    }
}

fn bracketed(text: &str) -> Option<IpAddr> {
    let address = text.strip_prefix('[')?.strip_suffix(']')?;
    address.parse::<Ipv6Addr>().ok().map(IpAddr::from)
}
