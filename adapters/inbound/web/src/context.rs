//! Request context: request id and language, from the headers alone.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use domain::request::RequestId;
use ports::outbound::{Clock, Random, new_id};

use crate::headers::REQUEST_ID;
use crate::language::Language;

/// Request extension with the data that every handler needs.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// Id sent in the response's `X-Request-Id`.
    pub request_id: RequestId,
    /// Language of messages in the response.
    pub language: Language,
    /// Time of arrival on the monotonic clock.
    pub started: Duration,
}

impl RequestContext {
    /// The context of a request with these headers that arrived now.
    pub fn new(headers: &HeaderMap, clock: &dyn Clock, random: &dyn Random) -> Self {
        Self {
            request_id: kept_id(headers)
                .unwrap_or_else(|| RequestId::from_uuid(new_id(clock, random))),
            language: Language::of(headers),
            started: clock.monotonic(),
        }
    }

    pub fn id_value(&self) -> HeaderValue {
        HeaderValue::from_str(self.request_id.as_str())
            .unwrap_or(HeaderValue::from_static("unknown"))
    }
}

/// The caller's own request id, if there is exactly one and it is valid.
fn kept_id(headers: &HeaderMap) -> Option<RequestId> {
    single_header(headers, &REQUEST_ID).and_then(RequestId::of_caller)
}

/// The value of a header that occurs exactly once. With two, a proxy and the gateway might each read a
/// different one, so neither counts.
pub fn single_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}
