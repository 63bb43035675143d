//! Web origin: scheme, host and port (RFC 6454), as browsers serialise it.

use std::fmt;

use domain::loopback::is_loopback;
use url::Url;

/// An origin, such as `https://host` or `http://host:port`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    text: String,
    security: Security,
}

/// Protection of connections to an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Security {
    /// TLS.
    Tls,
    /// Plain http to a loopback address.
    Loopback,
    /// Plain http over a network.
    None,
}

/// The text isn't an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an origin is written https://host or https://host:port, without a path and without a slash \
     at its end"
)]
pub struct OriginError;

impl Origin {
    /// Parses an origin as browsers serialise it. Upper case letters and the scheme's default port are
    /// accepted too.
    ///
    /// # Errors
    /// [`OriginError`] for anything else: `null`, a path, a user, another scheme.
    pub fn parse(text: &str) -> Result<Self, OriginError> {
        let url = Url::parse(text).map_err(|_| OriginError)?;
        let (tls, port) = match url.scheme() {
            "https" => (true, 443),
            "http" => (false, 80),
            _ => return Err(OriginError),
        };
        // The URL parser accepts `*` as a plain character, while an operator would mean a wildcard.
        if url.host_str().is_none_or(|host| host.contains('*')) {
            return Err(OriginError);
        }
        let canonical = url.origin().ascii_serialization();
        // The URL parser accepts forms that browsers never send: spaces, backslashes, unusual numbers.
        let exact = text.eq_ignore_ascii_case(&canonical)
            || url.port().is_none() && text.eq_ignore_ascii_case(&format!("{canonical}:{port}"));
        if !exact {
            return Err(OriginError);
        }
        let security = match url.host_str() {
            _ if tls => Security::Tls,
            Some(host) if is_loopback(host) => Security::Loopback,
            _ => Security::None,
        };
        Ok(Self {
            text: canonical,
            security,
        })
    }

    /// The origin as browsers serialise it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn security(&self) -> Security {
        self.security
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("https://cep.example", "https://cep.example", Security::Tls)]
    #[case("HTTPS://CEP.example:443", "https://cep.example", Security::Tls)]
    #[case("https://cep.example:8443", "https://cep.example:8443", Security::Tls)]
    #[case("http://127.0.0.1:8080", "http://127.0.0.1:8080", Security::Loopback)]
    #[case("http://[::1]:8080", "http://[::1]:8080", Security::Loopback)]
    #[case("http://localhost:80", "http://localhost", Security::Loopback)]
    #[case("http://cep.localhost", "http://cep.localhost", Security::Loopback)]
    #[case("http://cep.example", "http://cep.example", Security::None)]
    #[case("http://localhost.example", "http://localhost.example", Security::None)]
    #[case("https://127.0.0.1", "https://127.0.0.1", Security::Tls)]
    fn an_origin_is_read_as_browsers_write_it(
        #[case] text: &str,
        #[case] canonical: &str,
        #[case] security: Security,
    ) {
        let origin = Origin::parse(text).unwrap();
        assert_eq!((origin.as_str(), origin.security()), (canonical, security));
    }

    #[rstest]
    #[case("")]
    #[case("null")]
    #[case("cep.example")]
    #[case("https://")]
    #[case("https://cep.example/")]
    #[case("https://cep.example/path")]
    #[case("https://cep.example?")]
    #[case("https://cep.example#")]
    #[case("https://user@cep.example")]
    #[case("https:cep.example")]
    #[case("https:\\\\cep.example")]
    #[case("https://cep.example\\@evil.example")]
    #[case(" https://cep.example")]
    #[case("https://cep.exa\tmple")]
    #[case("https://cep.example https://evil.example")]
    #[case("https://cep.example, https://cep.example")]
    #[case("https://0x7f.1")]
    #[case("https://bücher.example")]
    #[case("http://cep.example:443:443")]
    #[case("https://cep.example:80443")]
    #[case("https://cep.example:0443")]
    #[case("https://*.cep.example")]
    #[case("https://*")]
    #[case("ftp://cep.example")]
    #[case("file://")]
    #[case("chrome-extension://abc")]
    fn anything_else_is_no_origin(#[case] text: &str) {
        assert_eq!(Origin::parse(text), Err(OriginError));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC*") {
            if let Ok(origin) = Origin::parse(&text) {
                prop_assert_eq!(Origin::parse(origin.as_str()), Ok(origin));
            }
        }

        #[test]
        fn an_origin_is_read_as_it_is_shown(
            scheme in "https?",
            host in "[a-z][a-z0-9]{0,8}(\\.[a-z][a-z0-9]{0,8}){0,3}",
            port in prop::option::of(1_u16..),
        ) {
            let port = port.map_or_else(String::new, |port| format!(":{port}"));
            let text = format!("{scheme}://{host}{port}");
            let origin = Origin::parse(&text).unwrap();
            prop_assert_eq!(Origin::parse(&origin.to_string()), Ok(origin.clone()));
            prop_assert_eq!(Origin::parse(&text.to_uppercase()), Ok(origin.clone()));
            let longer = format!("{scheme}://{host}x{port}");
            prop_assert_ne!(Origin::parse(&longer), Ok(origin));
        }
    }
}
