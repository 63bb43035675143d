//! The portal's cookies: one of the application server, two of the load balancer. Their values have the
//! recorded format including `!`, `+`, `/` and `=`, which some cookie jars mishandle.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_lc_rs::digest::{SHA512, digest};
use axum::http::header::{COOKIE, HeaderMap};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};

/// Name of the session cookie.
const SESSION: &str = "JSESSIONID";
/// Number of the application server behind the load balancer.
const SERVER: &str = "999000001";

/// Generates cookie values by hashing a counter with the start time of the sandbox, so that session ids
/// can't be guessed by counting. The sessions hold nothing secret.
pub(crate) struct CookieGenerator {
    built_at: DateTime<Utc>,
    made: AtomicU64,
}

impl CookieGenerator {
    pub(crate) fn new(built_at: DateTime<Utc>) -> Self {
        Self {
            built_at,
            made: AtomicU64::new(0),
        }
    }

    /// Returns a new session id: 52 characters, `!`, and the server's number.
    pub(crate) fn session_id(&self) -> String {
        let id = URL_SAFE_NO_PAD.encode(&self.next()[..39]);
        format!("{id}!{SERVER}")
    }

    /// Returns the cookies of the load balancer, with new values for each response.
    pub(crate) fn balancer_cookies(&self, now: DateTime<Utc>) -> [String; 2] {
        let value = self.next();
        let expires = (now + TimeDelta::hours(8)).format("%a, %d-%b-%Y %H:%M:%S GMT");
        let hex = value.iter().fold("01".to_owned(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        [
            format!(
                "Hex39764011=!{}; expires={expires}; path=/; Httponly",
                STANDARD.encode(&value[..58])
            ),
            format!("TS012f422b={hex}; Path=/; "),
        ]
    }

    fn next(&self) -> [u8; 64] {
        let count = self.made.fetch_add(1, Ordering::Relaxed);
        let seed = format!("{}\n{count}", self.built_at.timestamp_micros());
        let mut value = [0; 64];
        value.copy_from_slice(digest(&SHA512, seed.as_bytes()).as_ref());
        value
    }
}

/// Returns the `Set-Cookie` value of a session. The real portal adds `secure`, which doesn't work over
/// plain http.
pub(crate) fn session_cookie(id: &str) -> String {
    format!("{SESSION}={id}; path=/; HttpOnly")
}

/// Returns the session id of a request.
pub(crate) fn session_of(headers: &HeaderMap) -> Option<&str> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find_map(|(name, value)| (name == SESSION).then_some(value))
}
