//! Header fields that more than one kind of answer carries.

use std::fmt::Write as _;
use std::time::Duration;

use axum::http::header::{CACHE_CONTROL, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use domain::limits::Standing;

pub(crate) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub(crate) const INFERRED_ISSUER: HeaderName = HeaderName::from_static("x-inferred-emisor");
pub(crate) const INFERRED_RECEIVER: HeaderName = HeaderName::from_static("x-inferred-receptor");

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Nothing may be loaded from, or shown inside, another page.
pub(crate) const CSP_NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// A policy's window has to be a fixed number of seconds; a calendar month has none, so the draft's
/// `w` names 30 days. When the month really ends stands in `RateLimit`'s `t`.
const MONTH_WINDOW_SECONDS: u32 = 2_592_000;
const MINUTE_WINDOW_SECONDS: u32 = 60;

/// What every answer carries, unless it says otherwise itself.
pub(crate) fn put_common(headers: &mut HeaderMap, request_id: HeaderValue) {
    headers.insert(REQUEST_ID, request_id);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

/// What is left of a key's limits (draft-ietf-httpapi-ratelimit-headers-11).
pub(crate) fn put_standing(headers: &mut HeaderMap, standing: &Standing) {
    let minute = &standing.minute;
    let mut policy = format!("\"minute\";q={};w={MINUTE_WINDOW_SECONDS}", minute.limit);
    let mut left = format!(
        "\"minute\";r={};t={}",
        minute.remaining,
        whole_seconds(minute.reset)
    );
    if let Some(month) = &standing.month {
        let reset = whole_seconds(month.reset);
        let written = write!(
            policy,
            ", \"month\";q={};w={MONTH_WINDOW_SECONDS}",
            month.limit
        )
        .and_then(|()| write!(left, ", \"month\";r={};t={reset}", month.remaining()));
        debug_assert!(written.is_ok(), "writing to a String can't fail");
    }
    put(headers, RATE_LIMIT_POLICY, policy);
    put(headers, RATE_LIMIT, left);
}

/// When to try again.
pub(crate) fn put_retry_after(headers: &mut HeaderMap, retry_after: Duration) {
    headers.insert(
        RETRY_AFTER,
        HeaderValue::from(retry_after_seconds(retry_after)),
    );
}

/// Seconds to wait, rounded up: at least one, so that nobody tries again at once.
pub(crate) fn retry_after_seconds(retry_after: Duration) -> u64 {
    whole_seconds(retry_after).max(1)
}

fn whole_seconds(span: Duration) -> u64 {
    span.as_secs() + u64::from(span.subsec_nanos() > 0)
}

/// Puts a value that is known to be visible ASCII.
fn put(headers: &mut HeaderMap, name: HeaderName, value: String) {
    match HeaderValue::try_from(value) {
        Ok(value) => {
            headers.insert(name, value);
        }
        Err(error) => debug_assert!(false, "{name}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use domain::limits::{MinuteStanding, MonthStanding};
    use domain::month::Month;

    fn standing(quota: Option<u64>) -> Standing {
        let now = DateTime::from_timestamp(1_763_640_000, 1_000_000).unwrap(); // 20 November 2025
        Standing {
            minute: MinuteStanding {
                limit: 60,
                remaining: 59,
                reset: Duration::from_millis(59_001),
            },
            month: quota.map(|quota| MonthStanding::new(Month::of(now), quota, 3, now)),
        }
    }

    fn fields(standing: &Standing) -> (String, String) {
        let mut headers = HeaderMap::new();
        put_standing(&mut headers, standing);
        let text = |name| headers[name].to_str().unwrap().to_owned();
        (text(RATE_LIMIT_POLICY), text(RATE_LIMIT))
    }

    #[test]
    fn both_limits_are_lists_of_quoted_names_and_times_are_rounded_up() {
        let (policy, left) = fields(&standing(Some(1_000)));
        assert_eq!(policy, r#""minute";q=60;w=60, "month";q=1000;w=2592000"#);
        assert_eq!(left, r#""minute";r=59;t=60, "month";r=997;t=907200"#);
    }

    #[test]
    fn a_key_without_a_cap_has_no_month() {
        let (policy, left) = fields(&standing(None));
        assert_eq!(policy, r#""minute";q=60;w=60"#);
        assert_eq!(left, r#""minute";r=59;t=60"#);
    }

    #[test]
    fn a_wait_is_whole_seconds_and_never_none() {
        let wait = |millis| retry_after_seconds(Duration::from_millis(millis));
        assert_eq!([wait(0), wait(1), wait(1_000), wait(1_001)], [1, 1, 1, 2]);
    }
}
