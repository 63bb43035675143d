//! Header fields that every kind of answer carries.

use std::time::Duration;

use axum::http::header::{CACHE_CONTROL, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The request's id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The media type of every body but files and pages.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Nothing may be loaded from, or shown inside, another page.
pub const CSP_NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Adds the headers of every answer; those that it sets itself stay.
pub fn put_common(headers: &mut HeaderMap, request_id: HeaderValue) {
    headers.insert(REQUEST_ID, request_id);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

/// Adds `Retry-After`.
pub fn put_retry_after(headers: &mut HeaderMap, retry_after: Duration) {
    headers.insert(
        RETRY_AFTER,
        HeaderValue::from(retry_after_seconds(retry_after)),
    );
}

/// Seconds to wait, rounded up: at least one, so that nobody tries again at once.
pub fn retry_after_seconds(retry_after: Duration) -> u64 {
    whole_seconds(retry_after).max(1)
}

/// Seconds, rounded up.
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
