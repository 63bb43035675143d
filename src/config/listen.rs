//! Addresses of listeners that need not be where they are expected.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use super::value;

/// Suffix of an address whose port may give way to another one.
const OR_FREE: &str = " or a free port";

/// Address of a listener. The defaults of some listeners are preferences, so that a second gateway on
/// the same machine starts without further settings; an address that somebody chose is a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// This address.
    At(SocketAddr),
    /// This address, or another port of the same host where this one is taken.
    Preferably(SocketAddr),
}

impl Listen {
    /// The address that is tried first.
    pub fn address(self) -> SocketAddr {
        match self {
            Self::At(address) | Self::Preferably(address) => address,
        }
    }

    /// The preferred address, when the listener is on another one.
    pub(crate) fn moved_to(self, actual: SocketAddr) -> Option<SocketAddr> {
        match self {
            Self::Preferably(wanted) if wanted != actual => Some(wanted),
            Self::Preferably(_) | Self::At(_) => None,
        }
    }

    /// Reads the address of a sandbox, as [`value::loopback`] does.
    ///
    /// # Errors
    /// Any address but loopback.
    pub(super) fn loopback(text: &str) -> Result<Self, String> {
        Self::read(text, value::loopback)
    }

    fn read(text: &str, parse: fn(&str) -> Result<SocketAddr, String>) -> Result<Self, String> {
        match text.strip_suffix(OR_FREE) {
            Some(address) => parse(address).map(Self::Preferably),
            None => parse(text).map(Self::At),
        }
    }
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::read(text, value::address)
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(address) => address.fmt(f),
            Self::Preferably(address) => write!(f, "{address}{OR_FREE}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_demand_unless_it_says_otherwise() {
        for (text, is_demand) in [
            ("127.0.0.1:9464", true),
            ("127.0.0.1:9464 or a free port", false),
        ] {
            let listen: Listen = text.parse().unwrap();
            assert_eq!(matches!(listen, Listen::At(_)), is_demand, "{text}");
            assert_eq!(listen.address().port(), 9464);
            assert_eq!(listen.to_string(), text);
        }
        assert!(Listen::loopback("0.0.0.0:1 or a free port").is_err());
    }
}
