//! Traces of other processes: `traceparent` and `tracestate` (W3C Trace Context).
//!
//! A `traceparent` says whether its trace is sampled, and anybody can write one: it decides that here
//! only when the operator trusts the callers. Other callers' traces are linked to ours, which the
//! gateway's own ratio samples.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{SpanContext, TraceContextExt as _, TraceFlags, TraceState};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use web::trace::TraceContext;

use crate::config::Switch;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// Maximum length of a `tracestate` that is kept, as the standard requires.
const LONGEST_STATE: usize = 512;

/// Joins spans to the traces that callers began.
pub(super) struct Propagation {
    /// `On`: callers decide which traces are sampled.
    pub(super) trust: Switch,
}

impl TraceContext for Propagation {
    /// A malformed or repeated `traceparent` is ignored.
    fn follow(&self, span: &Span, headers: &HeaderMap) {
        if !web::single_header(headers, &TRACEPARENT).is_some_and(is_sound) {
            return;
        }
        let caller =
            TraceContextPropagator::new().extract_with_context(&Context::new(), &Incoming(headers));
        match self.trust {
            Switch::On => {
                if let Err(error) = span.set_parent(caller) {
                    tracing::debug!(%error, "a span has no parent");
                }
            }
            Switch::Off => span.add_link(without_state(caller.span().span_context())),
        }
    }
}

/// The ids of a caller's span, without its `tracestate`, which may be any text.
fn without_state(caller: &SpanContext) -> SpanContext {
    SpanContext::new(
        caller.trace_id(),
        caller.span_id(),
        caller.trace_flags(),
        true,
        TraceState::NONE,
    )
}

/// The `traceparent` by which another server continues the trace of `span`.
pub(super) fn parent(span: &Span) -> Option<HeaderValue> {
    let context = span.context();
    let span = context.span();
    let span = span.span_context();
    if !span.is_valid() {
        return None;
    }
    let (trace, id) = (span.trace_id(), span.span_id());
    let flags = span.trace_flags() & TraceFlags::SAMPLED;
    HeaderValue::try_from(format!("00-{trace}-{id}-{flags:02x}")).ok()
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
        let value = web::single_header(self.0, &name)?;
        (value.len() <= LONGEST_STATE).then_some(value)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
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
    #[case("00-4bf92f3577b34da6a3ce929d0e0e473X-00f067aa0ba902b7-01")]
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
