//! The cookies of one session.
//!
//! The portal sets a session's cookie and load-balancer cookies, new values in every answer. A
//! session asks one host under one path, so `Domain` and `Path` needn't be looked at; no other
//! host ever sees the jar, because redirects aren't followed.

use chrono::{DateTime, NaiveDateTime, Utc};
use reqwest::header::{DATE, HeaderMap, HeaderValue, SET_COOKIE};

/// Three are seen. A portal that sets more than this is broken, and its cookies would fill our
/// requests.
const MOST_COOKIES: usize = 32;
/// What a browser keeps at least of one cookie (RFC 6265, section 6.1).
const LONGEST_COOKIE: usize = 4096;

/// The cookies of one session, each name once.
#[derive(Default)]
pub(crate) struct Jar(Vec<(String, String)>);

impl Jar {
    /// Takes what an answer sets, and drops what it deletes.
    pub(crate) fn take_from(&mut self, headers: &HeaderMap) {
        let answered_at = headers
            .get(DATE)
            .and_then(|date| http_date(date.to_str().ok()?))
            .unwrap_or(DateTime::UNIX_EPOCH);
        let lines = headers.get_all(SET_COOKIE).iter();
        for line in lines.filter_map(|line| line.to_str().ok()) {
            self.take(line, answered_at);
        }
    }

    fn take(&mut self, line: &str, answered_at: DateTime<Utc>) {
        let (pair, attributes) = line.split_once(';').unwrap_or((line, ""));
        let Some((name, value)) = pair.split_once('=') else {
            return;
        };
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || name.len() + value.len() > LONGEST_COOKIE {
            return;
        }
        self.0.retain(|(known, _)| known != name);
        if !deletes(attributes, answered_at) && self.0.len() < MOST_COOKIES {
            self.0.push((name.to_owned(), value.to_owned()));
        }
    }

    /// The `Cookie` header; `None` when there is nothing to send.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        if self.0.is_empty() {
            return None;
        }
        let pairs: Vec<_> = self
            .0
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut header = HeaderValue::from_str(&pairs.join("; ")).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}

/// Whether a cookie's attributes say that it is over: `Max-Age` decides before `Expires` (RFC 6265,
/// section 4.1.2.2). The server's own `Date` is the clock.
fn deletes(attributes: &str, answered_at: DateTime<Utc>) -> bool {
    let attribute = |wanted: &str| {
        attributes
            .split(';')
            .filter_map(|attribute| attribute.split_once('='))
            .find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value.trim())
    };
    if let Some(seconds) = attribute("max-age").and_then(|age| age.parse::<i64>().ok()) {
        return seconds <= 0;
    }
    attribute("expires")
        .and_then(http_date)
        .is_some_and(|expires| expires <= answered_at)
}

/// Reads `Thu, 01 Jan 1970 00:00:00 GMT`, also with the hyphens that the load balancer writes.
fn http_date(text: &str) -> Option<DateTime<Utc>> {
    let (_weekday, date) = text.split_once(',')?;
    let date = date.replace('-', " ");
    NaiveDateTime::parse_from_str(date.trim(), "%d %b %Y %H:%M:%S GMT")
        .ok()
        .map(|date| date.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn jar_after(answers: &[&[&str]]) -> Jar {
        let mut jar = Jar::default();
        for lines in answers {
            let mut headers = HeaderMap::new();
            headers.insert(
                DATE,
                HeaderValue::from_static("Fri, 20 Nov 2026 16:53:36 GMT"),
            );
            for line in *lines {
                headers.append(SET_COOKIE, HeaderValue::from_str(line).unwrap());
            }
            jar.take_from(&headers);
        }
        jar
    }

    fn sent(answers: &[&[&str]]) -> Option<String> {
        let header = jar_after(answers).header()?;
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
    fn what_is_no_cookie_is_passed_over() {
        let long = format!("L={}", "x".repeat(LONGEST_COOKIE));
        assert_eq!(sent(&[&["", "no-value", "=v", &long]]), None);
    }

    #[test]
    fn a_flood_of_cookies_is_cut() {
        let lines: Vec<_> = (0..1000).map(|n| format!("C{n}=1")).collect();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        assert_eq!(jar_after(&[&lines]).0.len(), MOST_COOKIES);
    }

    proptest! {
        #[test]
        fn any_line_leaves_a_jar_that_can_be_sent(line in "[ -~]{0,60}") {
            let mut jar = Jar::default();
            jar.take(&line, DateTime::UNIX_EPOCH);
            prop_assert_eq!(jar.header().is_some(), !jar.0.is_empty());
        }
    }
}
