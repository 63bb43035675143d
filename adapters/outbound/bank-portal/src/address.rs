//! The portal's base URL.

use std::fmt;

use domain::loopback::{TransportError, check_transport};
use url::Url;

/// Base URL of the central bank's portal.
pub const CENTRAL_BANK: &str = "https://www.banxico.org.mx/cep";

/// The base URL of a portal, with the path that its pages share: `https://www.banxico.org.mx/cep`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortalUrl(Url);

/// Reasons why a text isn't a portal's base URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortalUrlError {
    #[error("not a URL such as {CENTRAL_BANK}: {0}")]
    Malformed(url::ParseError),
    /// Neither https nor http to this machine: accounts and names would be sent unencrypted.
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error("the portal has no login: leave user and password out")]
    UserInfo,
    #[error("leave the query and the fragment out")]
    QueryOrFragment,
}

impl PortalUrl {
    /// Parses a base URL; a trailing slash is ignored.
    ///
    /// # Errors
    /// See [`PortalUrlError`].
    pub fn parse(text: &str) -> Result<Self, PortalUrlError> {
        let mut url = Url::parse(text).map_err(PortalUrlError::Malformed)?;
        let Some(host) = url.host_str() else {
            return Err(PortalUrlError::Malformed(url::ParseError::EmptyHost));
        };
        check_transport(url.scheme(), host)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(PortalUrlError::UserInfo);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(PortalUrlError::QueryOrFragment);
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    pub(crate) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Returns the base URL itself.
    pub(crate) fn url(&self) -> Url {
        self.0.clone()
    }

    /// Returns the URL of one page, for example `valida.do`.
    pub(crate) fn page(&self, name: &str) -> Url {
        let mut url = self.0.clone();
        let path = format!("{}/{name}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url
    }
}

impl fmt::Display for PortalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(
        "https://www.banxico.org.mx/cep",
        "https://www.banxico.org.mx/cep/valida.do"
    )]
    #[case(
        "https://www.banxico.org.mx/cep-beta/",
        "https://www.banxico.org.mx/cep-beta/valida.do"
    )]
    #[case("http://127.0.0.1:8080/cep", "http://127.0.0.1:8080/cep/valida.do")]
    #[case("http://127.9.9.9/cep", "http://127.9.9.9/cep/valida.do")]
    #[case("http://[::1]:8080/cep", "http://[::1]:8080/cep/valida.do")]
    #[case("http://LOCALHOST:8080", "http://localhost:8080/valida.do")]
    fn the_path_of_the_base_url_is_kept(#[case] address: &str, #[case] page: &str) {
        let url = PortalUrl::parse(address).unwrap();
        assert_eq!(url.page("valida.do").as_str(), page);
    }

    #[rstest]
    #[case("http://www.banxico.org.mx/cep")]
    #[case("http://127.0.0.1.example.com/cep")]
    #[case("http://localhost.example.com/cep")]
    #[case("http://10.0.0.1/cep")]
    #[case("http://[::ffff:10.0.0.1]/cep")]
    fn plain_http_never_leaves_the_machine(#[case] address: &str) {
        let refused = PortalUrl::parse(address).unwrap_err();
        let PortalUrlError::Transport(TransportError::Insecure { .. }) = refused else {
            panic!("{refused}");
        };
    }

    #[rstest]
    #[case("ftp://localhost/cep", PortalUrlError::Transport(TransportError::Scheme { scheme: "ftp".to_owned() }))]
    #[case("https://me@www.banxico.org.mx/cep", PortalUrlError::UserInfo)]
    #[case("https://:secret@www.banxico.org.mx/cep", PortalUrlError::UserInfo)]
    #[case("https://www.banxico.org.mx/cep?a=b", PortalUrlError::QueryOrFragment)]
    #[case("https://www.banxico.org.mx/cep#a", PortalUrlError::QueryOrFragment)]
    #[case(
        "/cep",
        PortalUrlError::Malformed(url::ParseError::RelativeUrlWithoutBase)
    )]
    #[case("mailto:a@b", PortalUrlError::Malformed(url::ParseError::EmptyHost))]
    fn an_invalid_base_url_is_refused_with_its_reason(
        #[case] address: &str,
        #[case] reason: PortalUrlError,
    ) {
        assert_eq!(PortalUrl::parse(address), Err(reason));
    }

    #[test]
    fn the_central_banks_url_is_valid() {
        let url = PortalUrl::parse(CENTRAL_BANK).unwrap();
        assert_eq!(url.0.as_str(), CENTRAL_BANK);
    }
}
