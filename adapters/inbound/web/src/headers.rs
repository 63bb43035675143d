//! Headers that several kinds of responses share.

use std::time::Duration;

use axum::http::header::{CACHE_CONTROL, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Media type of all bodies except files and HTML pages.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// `Content-Security-Policy` that forbids loading any resource and embedding in another page.
pub const CSP_NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Adds the headers of every response. An existing `Cache-Control` is kept.
pub fn put_common(headers: &mut HeaderMap, request_id: HeaderValue) {
    headers.insert(REQUEST_ID, request_id);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

pub fn put_retry_after(headers: &mut HeaderMap, retry_after: Duration) {
    headers.insert(
        RETRY_AFTER,
        HeaderValue::from(retry_after_seconds(retry_after)),
    );
}

/// Seconds to wait, rounded up; at least 1, so that no client retries immediately.
pub fn retry_after_seconds(retry_after: Duration) -> u64 {
    whole_seconds(retry_after).max(1)
}

pub fn whole_seconds(span: Duration) -> u64 {
    span.as_secs() + u64::from(span.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_whole_seconds_and_never_none() {
        let wait = |millis| retry_after_seconds(Duration::from_millis(millis));
        assert_eq!([wait(0), wait(1), wait(1_000), wait(1_001)], [1, 1, 1, 2]);
    }
}
