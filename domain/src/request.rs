//! Requests: their ids in logs, responses and statistics, and the stored records of them.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::keys::{FullKey, KeyId};
use crate::outcome::{Endpoint, Outcome};
use crate::page::PageRequest;
use crate::seals::SealVerdict;
use crate::transfer::Banks;
use crate::usage::RequestCriteria;

/// Maximum length of a request id.
pub const MAX_LENGTH: usize = 64;

/// A request's id: the caller's own if it is acceptable, otherwise a generated one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(String);

impl RequestId {
    /// Accepts a caller's own id, unless it is malformed or contains an API key, because ids are
    /// logged.
    pub fn of_caller(text: &str) -> Option<Self> {
        Self::parse(text).filter(|_| !FullKey::occurs_in(text))
    }

    /// Parses an id: 1 to [`MAX_LENGTH`] characters out of `[A-Za-z0-9._:-]`; `None` otherwise.
    pub fn parse(text: &str) -> Option<Self> {
        let sane = |b: u8| b.is_ascii_alphanumeric() || b"._:-".contains(&b);
        let fits = (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(sane);
        fits.then(|| Self(text.to_owned()))
    }

    /// Builds an id from a generated UUID.
    pub fn from_uuid(id: Uuid) -> Self {
        Self(id.to_string())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A query for recorded requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestQuery {
    /// Only requests with this key; `None` for all keys.
    pub key: Option<KeyId>,
    /// Only requests with this endpoint and outcome.
    pub criteria: RequestCriteria,
    /// Only requests with this request id.
    pub request_id: Option<RequestId>,
    /// Only requests at or after this time.
    pub from: Option<DateTime<Utc>>,
    /// Only requests before this time.
    pub to: Option<DateTime<Utc>>,
    /// The requested page.
    pub page: PageRequest,
}

/// One recorded request. It holds no account, name or amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRecord {
    /// Generated id; unlike `request_id` never chosen by a caller.
    pub id: Uuid,
    /// The id in the response.
    pub request_id: RequestId,
    /// The key with which the request was made.
    pub key: KeyId,
    /// The endpoint that was called.
    pub endpoint: Endpoint,
    /// Result of the request.
    pub outcome: Outcome,
    /// The institutions of the transfer; `None` if they weren't determined.
    pub banks: Option<Banks>,
    /// When the request was admitted.
    pub at: DateTime<Utc>,
    /// Time from admission to response.
    pub duration: Duration,
    /// Time spent on queries to the bank; `None` if it wasn't queried.
    pub bank_time: Option<Duration>,
    /// The verdict on the delivered proof's seal, or the result of all checks of a checked file; `None`
    /// otherwise.
    pub seal: Option<SealVerdict>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_well_formed_id_is_accepted_and_any_other_is_not() {
        assert!(RequestId::parse("0198f3c2-7d3e:retry.2").is_some());
        for insane in ["", "a b", "a\r\nX: y", "ñ", "<script>", &"a".repeat(65)] {
            assert_eq!(RequestId::parse(insane), None, "{insane:?}");
        }
    }

    #[test]
    fn a_callers_id_that_contains_an_api_key_is_refused() {
        let key = "cep_live_AbCd1234.0123456789abcdefghijABCD";
        for told in [key, &format!("cep:{key}"), &format!("{key}-2"), "a b"] {
            assert_eq!(RequestId::of_caller(told), None, "{told}");
        }
        assert!(RequestId::of_caller(&key[..key.len() - 1]).is_some());
        // Ids stored before this rule stay readable.
        assert!(RequestId::parse(key).is_some());
    }
}
