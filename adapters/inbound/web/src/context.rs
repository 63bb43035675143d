//! Request context: id and language, from the headers alone.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use domain::request::RequestId;
use ports::outbound::{Clock, Random, new_id};

use crate::headers::REQUEST_ID;
use crate::language::Language;

/// One request, before anything was done about it.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// The id that the answer carries.
    pub request_id: RequestId,
    /// The language of messages.
    pub language: Language,
    /// Arrival, on the monotonic clock.
    pub started: Duration,
}

impl RequestContext {
    /// The call with these headers, which arrived now.
    pub fn new(headers: &HeaderMap, clock: &dyn Clock, random: &dyn Random) -> Self {
        Self {
            request_id: kept_id(headers)
                .unwrap_or_else(|| RequestId::from_uuid(new_id(clock, random))),
            language: Language::of(headers),
            started: clock.monotonic(),
        }
    }

    /// The id as a header's value.
    pub fn id_value(&self) -> HeaderValue {
        HeaderValue::from_str(self.request_id.as_str())
            .unwrap_or(HeaderValue::from_static("unknown"))
    }
}

/// The caller's own id, when there is exactly one and it may be kept.
fn kept_id(headers: &HeaderMap) -> Option<RequestId> {
    single_header(headers, &REQUEST_ID).and_then(RequestId::of_caller)
}

/// The text of a header that stands there exactly once. Two are none: a proxy and we could
/// otherwise look at different ones.
pub fn single_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}
