//! Loopback hosts. Unencrypted traffic to them can't be read by other machines.

use std::net::IpAddr;

/// Returns `true` if a URL's host (an IPv6 address in brackets) always means the local machine (W3C
/// Secure Contexts, 3.1; RFC 6761, 6.3).
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

/// Reason why a URL's transport is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The scheme is neither https nor http.
    #[error("the scheme must be https, not {scheme}")]
    Scheme {
        /// The refused scheme.
        scheme: String,
    },
    /// The URL is plain http to another machine, so the traffic could be intercepted.
    #[error("plain http is for 127.0.0.0/8, ::1 and localhost only, not for {host}; use https")]
    Insecure {
        /// The refused host.
        host: String,
    },
}

/// Checks that a URL is https, or http to the local machine.
///
/// # Errors
/// See [`TransportError`].
pub fn check_transport(scheme: &str, host: &str) -> Result<(), TransportError> {
    match scheme {
        "https" => Ok(()),
        "http" if is_loopback(host) => Ok(()),
        "http" => Err(TransportError::Insecure {
            host: host.to_owned(),
        }),
        _ => Err(TransportError::Scheme {
            scheme: scheme.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(true, &["127.0.0.1", "127.9.9.9", "[::1]", "localhost", "cep.localhost"])]
    #[case(false, &["", "0.0.0.0", "[::]", "10.0.0.1", "localhost.example", "notlocalhost"])]
    #[case(false, &["127.0.0.1.example"])]
    fn loopback_hosts_are_distinguished_from_others(
        #[case] expected: bool,
        #[case] hosts: &[&str],
    ) {
        for host in hosts {
            assert_eq!(is_loopback(host), expected, "{host}");
        }
    }
}
