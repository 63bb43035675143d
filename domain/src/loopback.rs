//! Loopback hosts: plain-text traffic to them can't be read by other machines.

use std::net::IpAddr;

/// Returns `true` if a URL's host (an IPv6 address in brackets) is this machine for every program
/// (W3C Secure Contexts, 3.1; RFC 6761, 6.3).
pub fn is_loopback(host: &str) -> bool {
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host);
    match address.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("127.0.0.1", true)]
    #[case("127.9.9.9", true)]
    #[case("[::1]", true)]
    #[case("localhost", true)]
    #[case("cep.localhost", true)]
    #[case("", false)]
    #[case("0.0.0.0", false)]
    #[case("[::]", false)]
    #[case("10.0.0.1", false)]
    #[case("localhost.example", false)]
    #[case("notlocalhost", false)]
    #[case("127.0.0.1.example", false)]
    fn loopback_hosts_are_distinguished_from_others(#[case] host: &str, #[case] expected: bool) {
        assert_eq!(is_loopback(host), expected);
    }
}
