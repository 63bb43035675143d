//! Cookies for session tokens and sign-in secrets.

use std::time::Duration;

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};

/// Maximum bytes of `name=value`: the size that every browser must support (RFC 6265, 6.1).
pub const MAX_COOKIE_BYTES: usize = 4_096;

/// A cookie's name and attributes: `HttpOnly`, `SameSite=Lax`, every path of this host only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionCookie {
    name: String,
    transport: Transport,
}

/// Connections over which a cookie may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// TLS only: `Secure`, and the prefix `__Host-`, so that no other host can set it.
    Tls,
    /// Without TLS, for development on a loopback address.
    Loopback,
}

/// The prefix of a cookie that another host of the same site can't set (RFC 6265bis, 4.1.3).
pub(crate) const HOST_PREFIX: &str = "__Host-";

/// Reason why a value can't be stored in a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CookieError {
    /// The cookie exceeds [`MAX_COOKIE_BYTES`], so browsers may drop it.
    #[error("the cookie would have {bytes} bytes, and browsers keep up to {MAX_COOKIE_BYTES}")]
    TooLarge {
        /// Bytes of `name=value`.
        bytes: usize,
    },
    /// The value has a character that RFC 6265 forbids.
    #[error("the cookie's value has a character that no cookie may have")]
    Character,
}

impl SessionCookie {
    pub(crate) fn new(name: &str, transport: Transport) -> Self {
        let prefix = match transport {
            Transport::Tls => HOST_PREFIX,
            Transport::Loopback => "",
        };
        Self {
            name: format!("{prefix}{name}"),
            transport,
        }
    }

    /// The name, prefix included.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value; `None` unless the request has exactly one cookie of this name. A second one was set by
    /// another host of the domain, and it is unknown which one is ours.
    ///
    /// Cookies are compared as bytes. One that isn't UTF-8 must not hide ours, since another site of the
    /// domain could then lock users out; and it must be counted when it has our name.
    pub fn read<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let mut values = headers
            .get_all(COOKIE)
            .iter()
            .flat_map(|cookies| cookies.as_bytes().split(|byte| *byte == b';'))
            .filter_map(|cookie| self.value_of(cookie.trim_ascii()));
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        let text = std::str::from_utf8(value).ok()?;
        is_value(text).then_some(text)
    }

    /// The value of a `name=value` pair, if the name is ours.
    fn value_of<'a>(&self, cookie: &'a [u8]) -> Option<&'a [u8]> {
        let (name, value) = cookie.split_at(cookie.iter().position(|byte| *byte == b'=')?);
        (name.trim_ascii() == self.name.as_bytes()).then(|| value[1..].trim_ascii())
    }

    /// The `Set-Cookie` value that stores `value` for `max_age`.
    ///
    /// # Errors
    /// A [`CookieError`] when a browser would not store it.
    pub fn set(&self, value: &str, max_age: Duration) -> Result<HeaderValue, CookieError> {
        let bytes = self.name.len() + 1 + value.len();
        if bytes > MAX_COOKIE_BYTES {
            return Err(CookieError::TooLarge { bytes });
        }
        if !is_value(value) {
            return Err(CookieError::Character);
        }
        HeaderValue::try_from(self.text(value, max_age)).map_err(|_| CookieError::Character)
    }

    /// The `Set-Cookie` value that deletes the cookie.
    pub fn clear(&self) -> HeaderValue {
        HeaderValue::try_from(self.text("", Duration::ZERO))
            .expect("the name is a token and the rest is ours")
    }

    fn text(&self, value: &str, max_age: Duration) -> String {
        let name = &self.name;
        let seconds = max_age.as_secs();
        let secure = match self.transport {
            Transport::Tls => "; Secure",
            Transport::Loopback => "",
        };
        format!("{name}={value}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Lax{secure}")
    }
}

/// Returns true for a valid, non-empty cookie value (RFC 6265, 4.1.1).
fn is_value(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte);
    !text.is_empty() && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    const MINUTE: Duration = Duration::from_mins(1);

    fn cookie() -> SessionCookie {
        SessionCookie::new("cep_session", Transport::Tls)
    }

    fn headers(cookies: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for text in cookies {
            headers.append(COOKIE, HeaderValue::from_bytes(text.as_bytes()).unwrap());
        }
        headers
    }

    #[test]
    fn over_tls_a_cookie_is_of_this_host_alone() {
        assert_eq!(
            cookie().set("a.b.c", MINUTE).unwrap(),
            "__Host-cep_session=a.b.c; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure"
        );
        assert_eq!(
            cookie().clear(),
            "__Host-cep_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure"
        );
    }

    #[test]
    fn within_the_machine_a_cookie_goes_without_tls() {
        let cookie = SessionCookie::new("cep_session", Transport::Loopback);
        assert_eq!(
            cookie.set("a.b.c", MINUTE).unwrap(),
            "cep_session=a.b.c; Max-Age=60; Path=/; HttpOnly; SameSite=Lax"
        );
    }

    #[test]
    fn a_cookie_is_never_larger_than_browsers_keep() {
        let room = MAX_COOKIE_BYTES - "__Host-cep_session=".len();
        assert!(cookie().set(&"x".repeat(room), MINUTE).is_ok());
        assert_eq!(
            cookie().set(&"x".repeat(room + 1), MINUTE),
            Err(CookieError::TooLarge { bytes: 4_097 })
        );
    }

    #[rstest]
    #[case("")]
    #[case("a b")]
    #[case("a;Domain=example")]
    #[case("a\r\nSet-Cookie: b=c")]
    #[case("\"a\"")]
    #[case("ñ")]
    fn a_value_adds_no_attribute(#[case] value: &str) {
        assert_eq!(cookie().set(value, MINUTE), Err(CookieError::Character));
    }

    #[rstest]
    #[case::alone(&["__Host-cep_session=a.b"], Some("a.b"))]
    #[case::among_others(&["x=1; __Host-cep_session=a.b;y=ÿ"], Some("a.b"))]
    #[case::in_another_header(&["x=1", "__Host-cep_session=a=b="], Some("a=b="))]
    #[case::nowhere(&["x=1"], None)]
    #[case::no_header(&[], None)]
    #[case::twice(&["__Host-cep_session=a; __Host-cep_session=a"], None)]
    #[case::in_two_headers(&["__Host-cep_session=a", "__Host-cep_session=b"], None)]
    #[case::twice_and_one_empty(&["__Host-cep_session=; __Host-cep_session=b"], None)]
    #[case::empty(&["__Host-cep_session="], None)]
    #[case::without_a_value(&["__Host-cep_session"], None)]
    #[case::of_another_case(&["__host-cep_session=a"], None)]
    #[case::without_the_prefix(&["cep_session=a"], None)]
    #[case::quoted(&["__Host-cep_session=\"a\""], None)]
    #[case::not_ascii(&["__Host-cep_session=ñ"], None)]
    fn a_cookie_is_read_when_it_is_the_only_one(
        #[case] cookies: &[&str],
        #[case] value: Option<&str>,
    ) {
        assert_eq!(cookie().read(&headers(cookies)), value);
    }

    #[rstest]
    #[case::of_another_name(b"x=\xff; __Host-cep_session=a", Some("a"))]
    #[case::of_this_name(b"__Host-cep_session=\xff; __Host-cep_session=a", None)]
    fn a_cookie_that_is_not_utf_8_counts_by_its_name(
        #[case] cookies: &[u8],
        #[case] value: Option<&str>,
    ) {
        let cookies = HeaderValue::from_bytes(cookies).unwrap();
        let headers = HeaderMap::from_iter([(COOKIE, cookies)]);
        assert_eq!(cookie().read(&headers), value);
    }

    proptest! {
        #[test]
        fn what_is_set_is_read(value in "[!#-+\\--:<-\\[\\]-~]{1,200}") {
            let set = cookie().set(&value, MINUTE).unwrap();
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            let headers = headers(&[pair]);
            prop_assert_eq!(cookie().read(&headers), Some(&*value));
        }

        #[test]
        fn any_header_is_read_without_panic(
            texts in prop::collection::vec("[ -~]{0,60}", 0..4),
        ) {
            let texts: Vec<_> = texts.iter().map(String::as_str).collect();
            let headers = headers(&texts);
            prop_assert_eq!(cookie().read(&headers), None);
        }
    }
}
