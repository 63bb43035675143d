//! Traces of other processes: `traceparent` and `tracestate` (W3C Trace Context).

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use web::trace::TraceContext;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// Longest `tracestate` that is kept: what the standard asks for.
const LONGEST_STATE: usize = 512;

/// Links spans with the traces that callers began.
pub(super) struct Propagation;

impl TraceContext for Propagation {
    /// A malformed `traceparent`, or one that stands there twice, is ignored.
    fn follow(&self, span: &Span, headers: &HeaderMap) {
        if !web::the_one(headers, &TRACEPARENT).is_some_and(is_sound) {
            return;
        }
        let parent =
            TraceContextPropagator::new().extract_with_context(&Context::new(), &Incoming(headers));
        if let Err(error) = span.set_parent(parent) {
            tracing::debug!(%error, "a span has no parent");
        }
    }
}

/// Writes the headers by which another server continues the trace of `span`.
pub(super) fn tell(span: &Span, headers: &mut HeaderMap) {
    TraceContextPropagator::new().inject_context(&span.context(), &mut Outgoing(headers));
}

/// Checks the syntax of a `traceparent`: the library accepts more than the standard allows.
fn is_sound(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((known, rest)) = bytes.split_at_checked(55) else {
        return false;
    };
    let in_place = known.iter().enumerate().all(|(place, byte)| match place {
        2 | 35 | 52 => *byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    });
    let version = &known[..2];
    let is_complete = match version {
        b"00" => rest.is_empty(),
        // Newer versions append fields after a dash.
        _ => rest.is_empty() || rest[0] == b'-',
    };
    in_place && is_complete && version != b"ff"
}

struct Incoming<'a>(&'a HeaderMap);

impl Extractor for Incoming<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let name = HeaderName::try_from(key).ok()?;
        let value = web::the_one(self.0, &name)?;
        (value.len() <= LONGEST_STATE).then_some(value)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

struct Outgoing<'a>(&'a mut HeaderMap);

impl Injector for Outgoing<'_> {
    fn set(&mut self, key: &str, value: String) {
        let header = (HeaderName::try_from(key), HeaderValue::try_from(value));
        if let (Ok(name), Ok(value)) = header
            && !value.is_empty()
        {
            self.0.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const SOUND: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[rstest]
    #[case(SOUND)]
    #[case("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")]
    #[case("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more")]
    fn a_traceparent_of_the_standard_is_sound(#[case] text: &str) {
        assert!(is_sound(text));
    }

    #[rstest]
    #[case("")]
    #[case("00")]
    #[case("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")]
    #[case("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-")]
    #[case("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more")]
    #[case("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more")]
    #[case("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01")]
    #[case("00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01")]
    #[case("+0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")]
    #[case("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-+1")]
    #[case("00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01")]
    fn anything_else_is_none(#[case] text: &str) {
        assert!(!is_sound(text));
    }

    #[test]
    fn a_state_that_is_too_long_or_stands_twice_is_not_kept() {
        let mut headers = HeaderMap::new();
        headers.insert("tracestate", HeaderValue::from_static("a=1"));
        assert_eq!(Incoming(&headers).get("tracestate"), Some("a=1"));
        headers.append("tracestate", HeaderValue::from_static("b=2"));
        assert_eq!(Incoming(&headers).get("tracestate"), None);
        let long = format!("a={}", "x".repeat(LONGEST_STATE));
        headers.insert("tracestate", HeaderValue::try_from(long).unwrap());
        assert_eq!(Incoming(&headers).get("tracestate"), None);
    }
}
