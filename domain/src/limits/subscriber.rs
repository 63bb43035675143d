//! Maps client addresses to subscribers' networks, which limits per address count as one client.

use std::net::{IpAddr, Ipv6Addr};

/// Mask of a /64, the smallest IPv6 network of a subscriber (RFC 6177), who can use any address in it.
const NETWORK: u128 = !(u64::MAX as u128);

/// Returns an IPv4 address unchanged, and for an IPv6 address the first address of its /64 network.
pub fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & NETWORK).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("192.0.2.1", "192.0.2.1")]
    #[case("::ffff:192.0.2.1", "192.0.2.1")]
    #[case("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::")]
    #[case("2001:db8:0:2::1", "2001:db8:0:2::")]
    #[case("::1", "::")]
    fn addresses_of_one_subscriber_are_one(#[case] address: &str, #[case] expected: &str) {
        let found = subscriber(address.parse().unwrap());
        assert_eq!(found, expected.parse::<IpAddr>().unwrap());
    }
}
