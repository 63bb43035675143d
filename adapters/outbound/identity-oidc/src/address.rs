//! Addresses of the provider and of its endpoints: https, or http on this machine.

use std::fmt;

use domain::loopback::{TransportError, check_transport};
use url::Url;

/// Path of the discovery document below the issuer (OpenID Connect Discovery 1.0, section 4).
const WELL_KNOWN: &str = "/.well-known/openid-configuration";

/// Issuer identifier of a provider: `https://login.example.com/realms/main`. Compared byte by byte,
/// so a slash at its end matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    text: String,
    url: Url,
}

/// Reason why a text is not the address of a provider or of one of its endpoints.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("not a URL such as https://login.example.com: {0}")]
    Malformed(url::ParseError),
    /// Neither https nor http to this machine: codes and tokens would be sent unencrypted.
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error("plain http, although the issuer has https")]
    Downgrade,
    #[error("leave user and password out")]
    UserInfo,
    #[error("leave the query and the fragment out")]
    QueryOrFragment,
}

impl Issuer {
    /// Parses an issuer: https, or http on this machine.
    ///
    /// # Errors
    /// See [`AddressError`].
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let url = parse_url(text)?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(AddressError::QueryOrFragment);
        }
        Ok(Self {
            text: text.to_owned(),
            url,
        })
    }

    /// Returns the issuer as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    pub(crate) fn discovery_url(&self) -> Url {
        let mut url = self.url.clone();
        let path = format!("{}{WELL_KNOWN}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url
    }

    /// Parses the address of an endpoint from the discovery document.
    pub(crate) fn endpoint(&self, text: &str) -> Result<Url, AddressError> {
        let url = parse_url(text)?;
        if self.is_https() && url.scheme() != "https" {
            return Err(AddressError::Downgrade);
        }
        Ok(url)
    }
}

impl fmt::Display for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn parse_url(text: &str) -> Result<Url, AddressError> {
    let url = Url::parse(text).map_err(AddressError::Malformed)?;
    let Some(host) = url.host_str() else {
        return Err(AddressError::Malformed(url::ParseError::EmptyHost));
    };
    check_transport(url.scheme(), host)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressError::UserInfo);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(
        "https://login.example.com",
        "https://login.example.com/.well-known/openid-configuration"
    )]
    #[case(
        "https://login.example.com/",
        "https://login.example.com/.well-known/openid-configuration"
    )]
    #[case(
        "https://login.example.com/realms/main",
        "https://login.example.com/realms/main/.well-known/openid-configuration"
    )]
    #[case(
        "http://127.0.0.1:4000",
        "http://127.0.0.1:4000/.well-known/openid-configuration"
    )]
    #[case(
        "http://[::1]:4000/a/",
        "http://[::1]:4000/a/.well-known/openid-configuration"
    )]
    fn the_discovery_document_is_below_the_issuer(#[case] issuer: &str, #[case] document: &str) {
        let issuer = Issuer::parse(issuer).unwrap();
        assert_eq!(issuer.discovery_url().as_str(), document);
    }

    #[rstest]
    #[case("http://login.example.com", AddressError::Transport(TransportError::Insecure { host: "login.example.com".to_owned() }))]
    #[case("http://localhost.example.com", AddressError::Transport(TransportError::Insecure { host: "localhost.example.com".to_owned() }))]
    #[case("http://10.0.0.1", AddressError::Transport(TransportError::Insecure { host: "10.0.0.1".to_owned() }))]
    #[case("ftp://localhost", AddressError::Transport(TransportError::Scheme { scheme: "ftp".to_owned() }))]
    #[case("https://me@login.example.com", AddressError::UserInfo)]
    #[case("https://:secret@login.example.com", AddressError::UserInfo)]
    #[case("https://login.example.com?a=b", AddressError::QueryOrFragment)]
    #[case("https://login.example.com#a", AddressError::QueryOrFragment)]
    #[case(
        "login.example.com",
        AddressError::Malformed(url::ParseError::RelativeUrlWithoutBase)
    )]
    fn an_invalid_issuer_is_refused_with_its_reason(
        #[case] issuer: &str,
        #[case] reason: AddressError,
    ) {
        assert_eq!(Issuer::parse(issuer), Err(reason));
    }

    #[rstest]
    #[case("https://login.example.com", "http://127.0.0.1/token")]
    #[case("https://login.example.com", "http://login.example.com/token")]
    #[case("http://127.0.0.1:4000", "http://login.example.com/token")]
    #[case("http://127.0.0.1:4000", "/token")]
    #[case("http://127.0.0.1:4000", "file:///etc/passwd")]
    fn an_endpoint_less_secure_than_its_issuer_is_refused(
        #[case] issuer: &str,
        #[case] endpoint: &str,
    ) {
        assert!(Issuer::parse(issuer).unwrap().endpoint(endpoint).is_err());
    }

    #[rstest]
    #[case(
        "https://login.example.com",
        "https://tokens.example.com/token?tenant=1"
    )]
    #[case("http://localhost:4000", "http://127.0.0.1:4001/token")]
    fn an_endpoint_may_be_on_another_host(#[case] issuer: &str, #[case] endpoint: &str) {
        let read = Issuer::parse(issuer).unwrap().endpoint(endpoint);
        assert_eq!(read.unwrap().as_str(), endpoint);
    }
}
