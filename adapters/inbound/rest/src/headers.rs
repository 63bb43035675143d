//! Headers of proof requests and their responses.

use std::fmt::Write as _;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use domain::idempotency::IdempotencyKey;
use domain::limits::LimitStatus;
use domain::participants::inference::{Inferred, InferredBanks};
use domain::proofs::notice::ProofOrigin;
use domain::seals::SealVerdict;
use web::Problem;
use web::headers::whole_seconds;
use web::problem::FieldProblem;

pub(crate) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
const SEAL: HeaderName = HeaderName::from_static("x-seal");
const ORIGIN: HeaderName = HeaderName::from_static("x-origin");
const INFERRED_ISSUER: HeaderName = HeaderName::from_static("x-inferred-emisor");
const INFERRED_RECEIVER: HeaderName = HeaderName::from_static("x-inferred-receptor");

/// Value of `w` for the monthly quota: 30 days, since the draft requires a fixed number of seconds. The
/// actual end of the month is in `RateLimit`'s `t`.
const MONTH_WINDOW_SECONDS: u32 = 2_592_000;
const MINUTE_WINDOW_SECONDS: u32 = 60;

/// Adds `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11).
pub(crate) fn put_standing(headers: &mut HeaderMap, limit_status: &LimitStatus) {
    let minute = &limit_status.minute;
    let mut policy = format!("\"minute\";q={};w={MINUTE_WINDOW_SECONDS}", minute.limit);
    let mut left = format!(
        "\"minute\";r={};t={}",
        minute.remaining,
        whole_seconds(minute.reset)
    );
    if let Some(month) = &limit_status.month {
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

/// Adds `X-Seal`: the verdict on a proof's seal, or on a checked file.
pub(crate) fn put_seal(headers: &mut HeaderMap, verdict: SealVerdict) {
    headers.insert(SEAL, HeaderValue::from_static(verdict.name()));
}

/// Adds `X-Origin`: how a stored proof was obtained.
pub(crate) fn put_origin(headers: &mut HeaderMap, origin: ProofOrigin) {
    headers.insert(ORIGIN, HeaderValue::from_static(origin.name()));
}

/// The idempotency key of a request.
///
/// # Errors
/// A [`Problem::InvalidFields`] when the key is malformed, or there are several.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Problem> {
    if !headers.contains_key(IDEMPOTENCY_KEY) {
        return Ok(None);
    }
    let value = web::single_header(headers, &IDEMPOTENCY_KEY);
    let key = value.and_then(|value| IdempotencyKey::parse(value).ok());
    key.map(Some).ok_or_else(|| {
        Problem::invalid_field("Idempotency-Key", FieldProblem::MalformedIdempotencyKey)
    })
}

/// Adds `Idempotent-Replayed`, which marks a repeated response.
pub(crate) fn put_replayed(headers: &mut HeaderMap) {
    headers.insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
}

/// Adds the headers of the inferred institutions.
pub(crate) fn put_inferred(headers: &mut HeaderMap, inferred: &InferredBanks) {
    for (name, side) in [
        (INFERRED_ISSUER, &inferred.issuer),
        (INFERRED_RECEIVER, &inferred.receiver),
    ] {
        if let Some(Inferred { code, .. }) = side {
            headers.insert(name, HeaderValue::from(code.number()));
        }
    }
}

/// Adds a value that is known to be visible ASCII.
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
    use std::time::Duration;

    use chrono::DateTime;
    use domain::limits::{MinuteStatus, MonthStatus};
    use domain::month::Month;

    fn limit_status(quota: Option<u64>) -> LimitStatus {
        let now = DateTime::from_timestamp(1_763_640_000, 1_000_000).unwrap(); // 20 November 2025
        LimitStatus {
            minute: MinuteStatus {
                limit: 60,
                remaining: 59,
                reset: Duration::from_millis(59_001),
            },
            month: quota.map(|quota| MonthStatus::new(Month::of(now), quota, 3, now)),
        }
    }

    fn fields(limit_status: &LimitStatus) -> (String, String) {
        let mut headers = HeaderMap::new();
        put_standing(&mut headers, limit_status);
        let text = |name| headers[name].to_str().unwrap().to_owned();
        (text(RATE_LIMIT_POLICY), text(RATE_LIMIT))
    }

    #[test]
    fn limits_are_lists_of_quoted_names_and_times_are_rounded_up() {
        let (policy, left) = fields(&limit_status(Some(1_000)));
        assert_eq!(policy, r#""minute";q=60;w=60, "month";q=1000;w=2592000"#);
        assert_eq!(left, r#""minute";r=59;t=60, "month";r=997;t=907200"#);
        let without_a_cap = fields(&limit_status(None));
        let (policy, left) = (r#""minute";q=60;w=60"#, r#""minute";r=59;t=60"#);
        assert_eq!(without_a_cap, (policy.to_owned(), left.to_owned()));
    }
}
