//! IP addresses that webhooks may be sent to: only those of the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A network: its address, and the length of its prefix.
type Network4 = ([u8; 4], u32);
type Network6 = ([u16; 4], u32);

/// IPv4 networks outside the public internet: those of IANA's registry of special-purpose addresses,
/// multicast, and an address of a cloud provider's internal services that looks public.
const REFUSED_4: [Network4; 19] = [
    ([0, 0, 0, 0], 8),        // this network, RFC 791
    ([10, 0, 0, 0], 8),       // private, RFC 1918
    ([100, 64, 0, 0], 10),    // carrier-grade NAT, RFC 6598
    ([127, 0, 0, 0], 8),      // loopback, RFC 1122
    ([168, 63, 129, 16], 32), // services of Azure's virtual machines
    ([169, 254, 0, 0], 16),   // link-local, RFC 3927
    ([172, 16, 0, 0], 12),    // private, RFC 1918
    ([192, 0, 0, 0], 24),     // protocol assignments, RFC 6890
    ([192, 0, 2, 0], 24),     // documentation, RFC 5737
    ([192, 31, 196, 0], 24),  // AS112, RFC 7535
    ([192, 52, 193, 0], 24),  // AMT, RFC 7450
    ([192, 88, 99, 0], 24),   // 6to4 relays, RFC 7526
    ([192, 168, 0, 0], 16),   // private, RFC 1918
    ([192, 175, 48, 0], 24),  // AS112, RFC 7534
    ([198, 18, 0, 0], 15),    // benchmarks, RFC 2544
    ([198, 51, 100, 0], 24),  // documentation, RFC 5737
    ([203, 0, 113, 0], 24),   // documentation, RFC 5737
    ([224, 0, 0, 0], 4),      // multicast, RFC 1112
    ([240, 0, 0, 0], 4),      // reserved, and the broadcast address
];

/// IPv6 global unicast addresses (RFC 4291). Loopback, mapped and compatible IPv4 addresses, NAT64,
/// ULA, link-local and multicast are outside this range.
const GLOBAL_UNICAST: Network6 = ([0x2000, 0, 0, 0], 3);

/// Networks within [`GLOBAL_UNICAST`] that aren't part of the public internet.
const REFUSED_6: [Network6; 5] = [
    ([0x2001, 0, 0, 0], 23), // protocol assignments with Teredo and ORCHID, RFC 2928
    ([0x2001, 0x0DB8, 0, 0], 32), // documentation, RFC 3849
    ([0x2002, 0, 0, 0], 16), // 6to4: an IPv4 address, RFC 3056
    ([0x2620, 0x004F, 0x8000, 0], 48), // AS112, RFC 7534
    ([0x3FFF, 0, 0, 0], 20), // documentation, RFC 9637
];

/// Returns `true` if an address belongs to the public internet. An IPv6 address that embeds an IPv4
/// address (mapped, NAT64, 6to4, Teredo) never does.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !REFUSED_4
            .iter()
            .any(|network| contains_4(*network, address)),
        IpAddr::V6(address) => {
            contains_6(&GLOBAL_UNICAST, address)
                && !REFUSED_6.iter().any(|network| contains_6(network, address))
        }
    }
}

fn contains_4((network, length): Network4, address: Ipv4Addr) -> bool {
    let difference = u32::from_be_bytes(network) ^ address.to_bits();
    difference.leading_zeros() >= length
}

fn contains_6((network, length): &Network6, address: Ipv6Addr) -> bool {
    let [a, b, c, d] = *network;
    let network = Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0);
    (network.to_bits() ^ address.to_bits()).leading_zeros() >= *length
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn parse(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[rstest]
    #[case::this_network(&["0.0.0.0", "0.255.255.255"])]
    #[case::private(&["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.255.255"])]
    #[case::shared(&["100.64.0.0", "100.127.255.255"])]
    #[case::loopback(&["127.0.0.1", "127.255.255.255", "::1"])]
    #[case::metadata(&["168.63.129.16", "169.254.169.254", "fd00:ec2::254"])]
    #[case::assignments(&["192.0.0.8"])]
    #[case::documentation(&["192.0.2.1", "198.51.100.7", "203.0.113.7", "2001:db8::1", "3fff::1"])]
    #[case::relay(&["192.88.99.1"])]
    #[case::benchmarks(&["198.19.255.255"])]
    #[case::multicast(&["224.0.0.1", "239.255.255.250", "ff02::1"])]
    #[case::reserved(&["240.0.0.1"])]
    #[case::broadcast(&["255.255.255.255"])]
    #[case::unspecified(&["::"])]
    #[case::compatible_or_mapped(&["::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8"])]
    #[case::translated(&["::ffff:0:127.0.0.1"])]
    #[case::nat64(&["64:ff9b::10.0.0.1", "64:ff9b::8.8.8.8", "64:ff9b:1::10.0.0.1"])]
    #[case::discard(&["100::1"])]
    #[case::teredo(&["2001:0:4136:e378:8000:63bf:3fff:fdd2"])]
    #[case::orchid(&["2001:20::1"])]
    #[case::six_to_four(&["2002:7f00:1::1"])]
    #[case::segment_routing(&["5f00::1"])]
    #[case::unique_local(&["fc00::1", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"])]
    #[case::of_a_link_or_site(&["fe80::1", "febf::1", "fec0::1"])]
    fn an_address_of_no_public_network_is_refused(#[case] addresses: &[&str]) {
        for address in addresses {
            assert!(!is_public(parse(address)), "{address}");
        }
    }

    #[rstest]
    #[case(&["1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"])]
    #[case(&["126.255.255.255", "128.0.0.0", "168.63.129.15", "169.253.255.255", "172.15.255.255"])]
    #[case(&["172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0"])]
    #[case(&["223.255.255.255", "2001:200::1", "2001:4860:4860::8888", "2003::1"])]
    #[case(&["2606:4700:4700::1111"])]
    fn a_public_address_is_allowed(#[case] addresses: &[&str]) {
        for address in addresses {
            assert!(is_public(parse(address)), "{address}");
        }
    }

    proptest! {
        #[test]
        fn an_ipv4_address_is_refused_wherever_the_standard_library_calls_it_special(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let special = address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_broadcast()
                || address.is_documentation()
                || address.is_multicast()
                || address.is_unspecified();
            prop_assert!(!special || !is_public(address.into()));
        }

        #[test]
        fn no_spelling_of_an_ipv4_address_in_ipv6_is_allowed(bits: u32, rest: u64) {
            let v4 = u128::from(bits);
            let rest = u128::from(rest);
            let embedded = [
                v4,
                (0xFFFF << 32) | v4,
                (0xFFFF_0000 << 32) | v4,
                (0x0064_FF9B << 96) | v4,
                (0x0064_FF9B_0001 << 80) | v4,
                (0x2002 << 112) | (v4 << 80) | rest,
                (0x2001_0000 << 96) | (v4 << 64) | rest,
            ];
            for bits in embedded {
                let address = Ipv6Addr::from_bits(bits);
                prop_assert!(!is_public(address.into()), "{address}");
            }
        }

        #[test]
        fn nothing_but_global_unicast_is_allowed(bits: u128) {
            let address = Ipv6Addr::from_bits(bits);
            prop_assert!(bits >> 125 == 1 || !is_public(address.into()), "{address}");
        }

        #[test]
        fn an_address_keeps_its_verdict_within_its_network(host: u16) {
            for (network, _) in REFUSED_4.iter().filter(|(_, length)| *length <= 16) {
                let bits = u32::from_be_bytes(*network) | u32::from(host);
                prop_assert!(!is_public(Ipv4Addr::from_bits(bits).into()));
            }
        }
    }
}
