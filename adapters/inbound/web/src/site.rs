//! Web configuration of the gateway: its origin, the allowed origins, and its cookies.

use crate::cookie::{HOST_PREFIX, SessionCookie, Transport};
use crate::origin::{Origin, Security};

/// Default name of the session cookie.
const COOKIE_NAME: &str = "cep_session";

/// The gateway's origin, the origins allowed by CORS, and the gateway's cookies.
#[derive(Clone, Debug)]
pub struct Site {
    public: Origin,
    allowed: Vec<Origin>,
    session: SessionCookie,
    sign_in: SessionCookie,
}

/// Reason why a configuration of [`Site`] is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    /// The origin uses plain http, so an eavesdropper could take over a session.
    #[error("{0} is not encrypted: use https, or http on a loopback address for development")]
    Insecure(Origin),
    /// The name isn't a valid cookie name.
    #[error(
        "{0:?} is no name of a cookie: use letters, digits and !#$%&'*+-.^_`|~, and no \
         prefix but __Host-, which is added over https anyway"
    )]
    CookieName(String),
    /// The name is longer than [`MAX_NAME_BYTES`].
    #[error("the cookie's name has {0} bytes, and may have up to {MAX_NAME_BYTES}")]
    LongCookieName(usize),
}

/// Maximum bytes of a cookie's name. Name and session token share [`crate::MAX_COOKIE_BYTES`].
const MAX_NAME_BYTES: usize = 64;

impl Site {
    /// The site at the origin `public`, which pages of the origins `allowed` may call too. `cookie_name` is
    /// accepted with or without the prefix `__Host-`, which is used over https only.
    ///
    /// # Errors
    /// A [`SiteError`].
    pub fn new(
        public: Origin,
        allowed: Vec<Origin>,
        cookie_name: Option<String>,
    ) -> Result<Self, SiteError> {
        let insecure = |origin: &&Origin| origin.security() == Security::None;
        if let Some(origin) = std::iter::once(&public).chain(&allowed).find(insecure) {
            return Err(SiteError::Insecure(origin.clone()));
        }
        let name = checked(cookie_name.unwrap_or_else(|| COOKIE_NAME.to_owned()))?;
        let transport = match public.security() {
            Security::Tls => Transport::Tls,
            Security::Loopback | Security::None => Transport::Loopback,
        };
        Ok(Self {
            session: SessionCookie::new(&name, transport),
            sign_in: SessionCookie::new(&format!("{name}_sign_in"), transport),
            public,
            allowed,
        })
    }

    /// The gateway's own origin.
    pub fn public(&self) -> &Origin {
        &self.public
    }

    /// Other origins whose pages may call the gateway.
    pub fn allowed(&self) -> &[Origin] {
        &self.allowed
    }

    /// The cookie that holds the session token.
    pub fn session_cookie(&self) -> &SessionCookie {
        &self.session
    }

    /// The cookie that binds a sign-in to its browser.
    pub fn sign_in_cookie(&self) -> &SessionCookie {
        &self.sign_in
    }
}

/// Validates a cookie name, and removes its `__Host-` prefix.
fn checked(chosen: String) -> Result<String, SiteError> {
    let name = chosen.strip_prefix(HOST_PREFIX).unwrap_or(&chosen);
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.starts_with("__") || !name.bytes().all(is_token) {
        return Err(SiteError::CookieName(chosen));
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(SiteError::LongCookieName(name.len()));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn origin(text: &str) -> Origin {
        Origin::parse(text).unwrap()
    }

    #[test]
    fn over_https_both_cookies_are_of_this_host_alone_and_on_loopback_without_the_prefix() {
        for (public, prefix) in [
            ("https://cep.example", "__Host-"),
            ("http://127.0.0.1:8080", ""),
        ] {
            let site = Site::new(origin(public), vec![], None).unwrap();
            let (session, sign_in) = (site.session_cookie(), site.sign_in_cookie());
            assert_eq!(session.name(), format!("{prefix}cep_session"));
            assert_eq!(sign_in.name(), format!("{prefix}cep_session_sign_in"));
        }
    }

    #[rstest]
    #[case("https://cep.example", "staging", "__Host-staging")]
    #[case("https://cep.example", "__Host-staging", "__Host-staging")]
    #[case("http://localhost", "__Host-staging", "staging")]
    fn a_chosen_name_has_the_prefix_where_it_belongs(
        #[case] public: &str,
        #[case] chosen: &str,
        #[case] name: &str,
    ) {
        let site = Site::new(origin(public), vec![], Some(chosen.to_owned())).unwrap();
        assert_eq!(site.session_cookie().name(), name);
    }

    #[rstest]
    #[case("http://cep.example", &[])]
    #[case("http://10.0.0.1:8080", &[])]
    #[case("https://cep.example", &["http://panel.example"])]
    fn nobody_may_listen_on_the_way(#[case] public: &str, #[case] allowed: &[&str]) {
        let allowed: Vec<_> = allowed.iter().map(|text| origin(text)).collect();
        let insecure = allowed.first().cloned().unwrap_or_else(|| origin(public));
        assert_eq!(
            Site::new(origin(public), allowed, None).unwrap_err(),
            SiteError::Insecure(insecure)
        );
    }

    #[rstest]
    #[case("")]
    #[case("a b")]
    #[case("a=b")]
    #[case("a;b")]
    #[case("__Host-")]
    #[case("__host-session")]
    #[case("__secure-session")]
    #[case("sesión")]
    fn a_name_that_no_browser_takes_is_refused(#[case] name: &str) {
        let site = Site::new(origin("https://cep.example"), vec![], Some(name.to_owned()));
        assert_eq!(site.unwrap_err(), SiteError::CookieName(name.to_owned()));
    }

    #[test]
    fn a_name_leaves_room_for_a_session() {
        let name = "n".repeat(65);
        let site = Site::new(origin("https://cep.example"), vec![], Some(name));
        assert_eq!(site.unwrap_err(), SiteError::LongCookieName(65));
    }
}
