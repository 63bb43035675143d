//! The cookies of one session, parsed by the `cookie` crate.
//!
//! The portal sets a session's cookie and load-balancer cookies, new values in every response. A
//! session requests one host under one path, so `Domain` and `Path` are ignored; no other
//! host ever sees the jar, because redirects aren't followed.

use chrono::DateTime;
use cookie::Cookie;
use reqwest::header::{DATE, HeaderMap, HeaderValue, SET_COOKIE};

/// Three are usual. A portal that sets more than this is broken, and its cookies would fill our
/// requests.
const MAX_COOKIES: usize = 32;
/// The size that a browser supports at least for one cookie (RFC 6265, section 6.1).
const MAX_COOKIE_BYTES: usize = 4096;

/// The cookies of one session in the order of their arrival, each name once.
///
/// [`cookie::CookieJar`] isn't used: it keeps neither the order nor a limit.
#[derive(Default)]
pub(crate) struct CookieJar(Vec<Cookie<'static>>);

impl CookieJar {
    /// Adds the cookies that a response sets, and removes those that it deletes.
    pub(crate) fn update(&mut self, headers: &HeaderMap) {
        // The server's own clock decides which of its cookies have expired.
        let now = headers
            .get(DATE)
            .and_then(|date| DateTime::parse_from_rfc2822(date.to_str().ok()?).ok())
            .map_or(0, |date| date.timestamp());
        let lines = headers.get_all(SET_COOKIE).iter();
        let lines = lines.filter_map(|line| line.to_str().ok());
        for cookie in lines.filter_map(|line| Cookie::parse(line.to_owned()).ok()) {
            self.set(cookie, now);
        }
    }

    fn set(&mut self, cookie: Cookie<'static>, now: i64) {
        if cookie.name().len() + cookie.value().len() > MAX_COOKIE_BYTES {
            return;
        }
        self.0.retain(|known| known.name() != cookie.name());
        if !is_expired(&cookie, now) && self.0.len() < MAX_COOKIES {
            self.0.push(cookie);
        }
    }

    /// Returns the `Cookie` header; `None` without cookies.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        if self.0.is_empty() {
            return None;
        }
        let pairs: Vec<_> = self
            .0
            .iter()
            .map(|cookie| cookie.stripped().to_string())
            .collect();
        let mut header = HeaderValue::from_str(&pairs.join("; ")).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}

/// Returns whether a cookie has expired at `now`, in seconds since 1970: `Max-Age` takes precedence
/// over `Expires` (RFC 6265, section 4.1.2.2).
fn is_expired(cookie: &Cookie<'_>, now: i64) -> bool {
    if let Some(age) = cookie.max_age() {
        return age.is_zero();
    }
    cookie
        .expires_datetime()
        .is_some_and(|expires| expires.unix_timestamp() <= now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn jar_after(responses: &[&[&str]]) -> CookieJar {
        let mut jar = CookieJar::default();
        for lines in responses {
            let mut headers = HeaderMap::new();
            let date = HeaderValue::from_static("Fri, 20 Nov 2026 16:53:36 GMT");
            headers.insert(DATE, date);
            for line in *lines {
                headers.append(SET_COOKIE, HeaderValue::from_str(line).unwrap());
            }
            jar.update(&headers);
        }
        jar
    }

    fn sent(responses: &[&[&str]]) -> Option<String> {
        let header = jar_after(responses).header()?;
        assert!(header.is_sensitive(), "a session must not reach a log");
        Some(header.to_str().unwrap().to_owned())
    }

    #[test]
    fn the_portals_three_cookies_are_sent_back_as_they_came() {
        let first = [
            "JSESSIONID=aB-_9!999000001; path=/; HttpOnly; secure",
            "Hex39764011=!ab+/cd==; expires=Sat, 21-Nov-2026 01:00:00 GMT; path=/; Httponly",
            "TS012f422b=01ff; Path=/; ",
        ];
        let second = ["TS012f422b=02ff; Path=/"];
        assert_eq!(
            sent(&[&first, &second]).unwrap(),
            "JSESSIONID=aB-_9!999000001; Hex39764011=!ab+/cd==; TS012f422b=02ff"
        );
    }

    #[test]
    fn a_deleted_cookie_is_not_sent() {
        for deletion in [
            "A=; Max-Age=0",
            "A=x; max-age=-1; expires=Sat, 21 Nov 2026 01:00:00 GMT",
            "A=; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "A=x; expires=Fri, 20-Nov-2026 16:53:36 GMT",
        ] {
            assert_eq!(sent(&[&["A=1", "B=2"], &[deletion]]).unwrap(), "B=2");
            assert_eq!(sent(&[&["A=1"], &[deletion]]), None);
        }
    }

    #[test]
    fn a_line_without_a_cookie_or_with_too_long_a_one_is_ignored() {
        let longest = format!("L={}", "x".repeat(MAX_COOKIE_BYTES - 1));
        assert_eq!(sent(&[&[&longest]]).unwrap(), longest);
        let longer = format!("{longest}x");
        assert_eq!(sent(&[&["", "no-value", "=v", &longer]]), None);
    }

    #[test]
    fn a_cookie_that_expires_later_is_kept() {
        for kept in [
            "A=1; Max-Age=1; expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "A=1; expires=Fri, 20-Nov-2026 16:53:37 GMT",
            "A=1; expires=Fri, 20 Nov 2026 16:53:37 GMT",
            "A=1; expires=tomorrow",
        ] {
            assert_eq!(sent(&[&[kept]]).unwrap(), "A=1");
        }
    }

    #[test]
    fn a_flood_of_cookies_is_cut() {
        let lines: Vec<_> = (0..1000).map(|n| format!("C{n}=1")).collect();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        assert_eq!(jar_after(&[&lines]).0.len(), MAX_COOKIES);
    }

    proptest! {
        #[test]
        fn any_line_leaves_a_jar_that_can_be_sent(line in "[ -~]{0,60}") {
            let mut jar = CookieJar::default();
            let line = HeaderValue::from_str(&line).unwrap();
            jar.update(&HeaderMap::from_iter([(SET_COOKIE, line)]));
            prop_assert_eq!(jar.header().is_some(), !jar.0.is_empty());
        }
    }
}
