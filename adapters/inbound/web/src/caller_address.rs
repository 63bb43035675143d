//! Address of a caller: the connection's peer, or the address that a trusted proxy reports.
//!
//! Proxies append the address of their own peer to `X-Forwarded-For` (or to RFC 7239 `Forwarded`), after
//! any value that the caller sent. So the fields are read from the end, and only as far as trusted
//! proxies wrote them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;

mod forwarded;
mod node;

/// The field that most proxies append to.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The standard field (RFC 7239).
const FORWARDED: HeaderName = HeaderName::from_static("forwarded");

/// Request extension, set by the server: the address of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerAddress(pub IpAddr);

impl CallerAddress {
    /// The address in the extension; `0.0.0.0` without one.
    pub fn known(noted: Option<Self>) -> IpAddr {
        noted.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |caller| caller.0)
    }
}

/// A network of proxies that are trusted to report the addresses of their callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyNetwork(IpNet);

/// Reason why a text is no valid [`ProxyNetwork`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProxyNetworkError {
    /// Neither an IP address nor a CIDR network.
    #[error("must be an IP address or a network, for example 127.0.0.1, 10.0.0.0/8 or fd00::/8")]
    Malformed,
    /// A network of prefix length 0, which would include every caller.
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

/// All trusted proxies.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<ProxyNetwork>);

impl TrustedProxies {
    pub fn new(networks: Vec<ProxyNetwork>) -> Self {
        Self(networks)
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.0.contains(&address))
    }

    /// The caller's address for a request from `peer` with these headers: the last address in them that isn't
    /// a trusted proxy's, otherwise `peer`.
    ///
    /// A proxy usually appends to one of `X-Forwarded-For` and `Forwarded`, and passes the other on as the
    /// caller sent it. Which one is unknown, so when both are present and differ, `peer` is used.
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

    /// The last hop of a field that isn't a trusted proxy; `None` when its address is unknown, or all hops
    /// are trusted proxies.
    fn last_untrusted(
        &self,
        headers: &HeaderMap,
        field: &HeaderName,
        hops: fn(&HeaderValue) -> Vec<Hop>,
    ) -> Option<IpAddr> {
        // Several fields of the same name form one list (RFC 9110, 5.3).
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

/// A hop in a forwarding field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hop {
    /// IPv4-mapped IPv6 addresses are stored as IPv4.
    Address(IpAddr),
    /// `unknown`, an obfuscated identifier, or an unparsable value.
    Unknown,
}

#[cfg(test)]
mod tests;
