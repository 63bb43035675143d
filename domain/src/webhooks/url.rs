//! Target URLs of webhooks.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::is_public;

/// Maximum length of a target URL in bytes.
const MAX_LENGTH: usize = 2_000;
/// Allowed ports on the public internet.
const PORTS: [u16; 2] = [443, 8443];

/// Hosts that messages may be sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only hosts on the public internet.
    Public,
    /// Also this host, over plain HTTP and on any port: for development.
    PublicAndLoopback,
}

impl Reach {
    /// Returns `true` if messages may be sent to an IP address.
    pub fn allows(self, address: IpAddr) -> bool {
        match self {
            Self::Public => is_public(address),
            Self::PublicAndLoopback => is_public(address) || address.is_loopback(),
        }
    }
}

/// Target URL of a webhook: https, to a host with a public name or address.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookUrl(Url);

/// Reason why a target URL is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The URL has more than 2,000 bytes.
    #[error("must have at most {MAX_LENGTH} bytes")]
    TooLong,
    /// The text isn't an absolute URL.
    #[error("must be an absolute URL like https://example.com/webhooks")]
    Malformed,
    /// The scheme isn't https.
    #[error("must begin with https://")]
    Scheme,
    /// The port is neither 443 nor 8443.
    #[error("must use port 443 or 8443")]
    Port,
    /// The URL has a user name or a password.
    #[error("must not hold a user name or a password; check the signature instead")]
    UserInfo,
    /// The URL has a fragment, which clients never send.
    #[error("must not have a fragment")]
    Fragment,
    /// The host isn't a name or address on the public internet.
    #[error("must name a host of the public internet")]
    Host,
}

impl WebhookUrl {
    /// Parses and checks a target URL.
    ///
    /// # Errors
    /// See [`UrlError`].
    pub fn parse(text: &str, reach: Reach) -> Result<Self, UrlError> {
        if text.len() > MAX_LENGTH {
            return Err(UrlError::TooLong);
        }
        // The URL parser would drop these characters silently.
        if text.contains(|character: char| character.is_control() || character.is_whitespace()) {
            return Err(UrlError::Malformed);
        }
        let url = Url::parse(text).map_err(|_| UrlError::Malformed)?;
        if url.as_str().len() > MAX_LENGTH {
            return Err(UrlError::TooLong);
        }
        let host = url.host().ok_or(UrlError::Malformed)?;
        if !url.username().is_empty() || url.password().is_some() || has_user_info(text) {
            return Err(UrlError::UserInfo);
        }
        if url.fragment().is_some() {
            return Err(UrlError::Fragment);
        }
        if reach == Reach::PublicAndLoopback && is_loopback(&host) {
            return match url.scheme() {
                "http" | "https" => Ok(Self(url)),
                _ => Err(UrlError::Scheme),
            };
        }
        if url.scheme() != "https" {
            return Err(UrlError::Scheme);
        }
        if !is_reachable(&host) {
            return Err(UrlError::Host);
        }
        if !url
            .port_or_known_default()
            .is_some_and(|port| PORTS.contains(&port))
        {
            return Err(UrlError::Port);
        }
        Ok(Self(url))
    }

    /// Parses a stored URL, which was checked by the rules of its time; `None` if it isn't a URL with a
    /// host.
    pub fn from_stored(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        url.has_host().then_some(Self(url))
    }

    /// The URL for an HTTP client.
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// The URL as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The host's IP address; `None` if the host is a name.
    pub fn literal(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }
}

impl fmt::Debug for WebhookUrl {
    /// Shows only the host, because paths and queries may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebhookUrl({})", self.0.host_str().unwrap_or_default())
    }
}

/// Returns `true` if the URL has a user name or password, even an empty one, which the parser drops.
fn has_user_info(text: &str) -> bool {
    let Some((_, rest)) = text.split_once(':') else {
        return false;
    };
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next();
    authority.is_some_and(|authority| authority.contains('@'))
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
        Host::Domain(name) => is_local_name(name),
    }
}

/// Returns `true` for names that always resolve to this host (RFC 6761, 6.3).
fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

/// Returns `true` for a public address, and for a name that may resolve to one. Names without a dot
/// belong to the local network.
fn is_reachable(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => is_public((*address).into()),
        Host::Ipv6(address) => is_public((*address).into()),
        Host::Domain(name) => {
            name.trim_end_matches('.').contains('.') && !name.contains("..") && !is_local_name(name)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(&["https://example.com", "https://example.com/webhooks?tenant=7", "https://EXAMPLE.com./"])]
    #[case(&["https://example.com:443/", "https://example.com:8443/cep", "https://8.8.8.8/"])]
    #[case(&["https://[2606:4700:4700::1111]/", "https://señal.example/", "https://example.com/@somebody"])]
    fn an_address_of_the_public_internet_is_accepted(#[case] addresses: &[&str]) {
        for text in addresses {
            for reach in [Reach::Public, Reach::PublicAndLoopback] {
                let url = WebhookUrl::parse(text, reach).unwrap();
                assert_eq!(WebhookUrl::from_stored(url.as_str()), Some(url));
            }
        }
    }

    #[rstest]
    #[case(UrlError::Malformed, &["", "example.com/webhooks", "/webhooks", "mailto:a@example.com"])]
    #[case(UrlError::Malformed, &["https://", "https://exa mple.com/", "https://example.com/\n"])]
    #[case(UrlError::Malformed, &["https://1.2.3.4.5/"])]
    #[case(UrlError::Scheme, &["http://example.com/", "ftp://example.com/"])]
    #[case(UrlError::Port, &["https://example.com:80/", "https://example.com:22/"])]
    #[case(UrlError::UserInfo, &["https://me:secret@example.com/", "https://me@example.com/"])]
    #[case(UrlError::UserInfo, &["https://@example.com/"])]
    #[case(UrlError::Fragment, &["https://example.com/#part", "https://example.com/#"])]
    #[case(UrlError::Host, &["https://intranet/", "https://intranet./", "https://localhost/"])]
    #[case(UrlError::Host, &["https://cep.localhost/", "https://127.0.0.1/", "https://10.0.0.1:22/"])]
    fn any_other_address_is_refused(#[case] expected: UrlError, #[case] addresses: &[&str]) {
        for text in addresses {
            let parsed = WebhookUrl::parse(text, Reach::Public);
            assert_eq!(parsed, Err(expected), "{text}");
        }
    }

    #[test]
    fn an_address_has_a_length() {
        let of_length = |length: usize| {
            let start = "https://example.com/";
            let text = format!("{start}{}", "a".repeat(length - start.len()));
            WebhookUrl::parse(&text, Reach::Public)
        };
        assert!(of_length(MAX_LENGTH).is_ok());
        assert_eq!(of_length(MAX_LENGTH + 1), Err(UrlError::TooLong));
        let text = format!("https://example.com/{}", "ñ".repeat(400));
        let grown = WebhookUrl::parse(&text, Reach::Public);
        assert_eq!(grown, Err(UrlError::TooLong));
    }

    #[rstest]
    #[case(true, &["http://127.0.0.1:4000/", "http://localhost:4000/", "http://[::1]:4000/"])]
    #[case(true, &["https://localhost/"])]
    #[case(false, &["http://10.0.0.1/", "http://example.com/", "https://example.com:4000/"])]
    #[case(false, &["https://0.0.0.0/", "ftp://localhost/"])]
    fn this_machine_is_reached_in_development_alone(
        #[case] expected: bool,
        #[case] addresses: &[&str],
    ) {
        for text in addresses {
            let parsed = WebhookUrl::parse(text, Reach::PublicAndLoopback);
            assert_eq!(parsed.is_ok(), expected, "{text}");
            assert!(WebhookUrl::parse(text, Reach::Public).is_err());
        }
    }

    #[test]
    fn nothing_but_the_host_is_shown() {
        let url = WebhookUrl::parse("https://example.com/secret?key=1", Reach::Public).unwrap();
        assert_eq!(format!("{url:?}"), "WebhookUrl(example.com)");
    }

    proptest! {
        #[test]
        fn no_literal_of_an_inner_address_is_accepted(bits: u32) {
            let address = std::net::Ipv4Addr::from_bits(bits);
            let [a, b, c, d] = address.octets();
            let spellings = [
                format!("{address}"),
                format!("{address}."),
                format!("{bits}"),
                format!("0x{bits:x}"),
                format!("0{bits:o}"),
                format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
                format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
                format!("{a}.{}", bits & 0x00FF_FFFF),
                format!("{a}.{b}.{}", bits & 0xFFFF),
            ];
            for host in spellings {
                let parsed = WebhookUrl::parse(&format!("https://{host}/"), Reach::Public);
                prop_assert_eq!(parsed.is_ok(), is_public(address.into()), "{}", host);
                if let Ok(url) = parsed {
                    prop_assert_eq!(url.literal(), Some(address.into()));
                }
            }
            let mapped = WebhookUrl::parse(&format!("https://[::ffff:{address}]/"), Reach::Public);
            prop_assert_eq!(mapped, Err(UrlError::Host));
        }
    }
}
