//! Address of a caller: the connection's, or the one that a trusted proxy names.
//!
//! Proxies append the address of their own peer to `X-Forwarded-For` (or to RFC 7239 `Forwarded`), after
//! whatever the caller wrote there. So the fields are read from their end, and only as long as a
//! trusted proxy wrote them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;

mod forwarded;
mod node;

/// The field that most proxies write.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The standard's field (RFC 7239).
const FORWARDED: HeaderName = HeaderName::from_static("forwarded");

/// The address of a request's caller. The server puts it into each request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerAddress(pub IpAddr);

impl CallerAddress {
    /// The address that the server noted; unspecified when it noted none.
    pub fn known(noted: Option<Self>) -> IpAddr {
        noted.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |caller| caller.0)
    }
}

/// A network of proxies that are trusted to name their callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyNetwork(IpNet);

/// A text is no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProxyNetworkError {
    /// Neither an address nor a network.
    #[error("must be an IP address or a network, for example 127.0.0.1, 10.0.0.0/8 or fd00::/8")]
    Malformed,
    /// Every address: none would be a caller's.
    #[error("must not hold all addresses, since then no address would be a caller's")]
    Everybody,
}

impl FromStr for ProxyNetwork {
    type Err = ProxyNetworkError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let address = || text.parse().map(|address: IpAddr| address.to_canonical());
        let network = text
            .parse()
            .or_else(|_| address().map(IpNet::from))
            .map_err(|_| ProxyNetworkError::Malformed)?;
        if network.prefix_len() == 0 {
            return Err(ProxyNetworkError::Everybody);
        }
        Ok(Self(network.trunc()))
    }
}

impl fmt::Display for ProxyNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Proxies that are trusted to name their callers.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<ProxyNetwork>);

impl TrustedProxies {
    /// The proxies of these networks.
    pub fn new(networks: Vec<ProxyNetwork>) -> Self {
        Self(networks)
    }

    /// Returns `true` if an address belongs to a trusted proxy.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.0.contains(&address))
    }

    /// The address of the caller of a request that came from `peer` with these headers: the last one
    /// that they name and that isn't trusted, otherwise the peer's.
    ///
    /// Of `X-Forwarded-For` and `Forwarded` a proxy usually writes one and passes a caller's own other
    /// one on. Nobody can tell which, so where both are there and differ, the peer's address counts.
    pub fn caller(&self, peer: IpAddr, headers: &HeaderMap) -> CallerAddress {
        let peer = peer.to_canonical();
        if !self.contains(peer) {
            return CallerAddress(peer);
        }
        let named = |field, hops: fn(&HeaderValue) -> Vec<Hop>| {
            headers
                .contains_key(&field)
                .then(|| self.last_untrusted(headers, &field, hops))
        };
        let x_forwarded_for = named(X_FORWARDED_FOR, node::hops);
        let forwarded = named(FORWARDED, forwarded::hops);
        let address = match (x_forwarded_for, forwarded) {
            (Some(one), Some(other)) if one != other => None,
            (one, other) => one.or(other).flatten(),
        };
        CallerAddress(address.unwrap_or(peer))
    }

    /// The last address of a field that isn't trusted; `None` when something else stands before it, or
    /// all are trusted.
    fn last_untrusted(
        &self,
        headers: &HeaderMap,
        field: &HeaderName,
        hops: fn(&HeaderValue) -> Vec<Hop>,
    ) -> Option<IpAddr> {
        // Several fields are one list (RFC 9110, 5.3).
        let hops = headers.get_all(field).iter().flat_map(hops);
        let hops: Vec<_> = hops.collect();
        let mut last_first = hops.into_iter().rev();
        let last_untrusted = last_first.find(|hop| !self.is_proxy(*hop))?;
        match last_untrusted {
            Hop::Address(address) => Some(address),
            Hop::Unknown => None,
        }
    }

    fn is_proxy(&self, hop: Hop) -> bool {
        matches!(hop, Hop::Address(address) if self.contains(address))
    }
}

/// A hop that a field names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hop {
    /// Its address, an IPv4 one never written as IPv6.
    Address(IpAddr),
    /// `unknown`, an obfuscated name, or nothing that can be read.
    Unknown,
}

#[cfg(test)]
mod tests;
