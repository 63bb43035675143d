//! The identity of one request, in logs, answers and statistics.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::key::{FullKey, KeyId};
use crate::outcome::{Endpoint, Outcome};
use crate::page::PageRequest;
use crate::transfer::Banks;
use crate::usage::RequestCriteria;

/// Longest request id that is kept.
pub const MAX_LENGTH: usize = 64;

/// A request's id: the caller's own when it is sane, ours otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(String);

impl RequestId {
    /// Keeps a caller's own id, unless it isn't sane or an API key stands in it: ids are logged.
    pub fn of_caller(text: &str) -> Option<Self> {
        Self::parse(text).filter(|_| !FullKey::stands_in(text))
    }

    /// Reads an id: 1 to [`MAX_LENGTH`] characters out of `[A-Za-z0-9._:-]`; `None` otherwise.
    pub fn parse(text: &str) -> Option<Self> {
        let sane = |b: u8| b.is_ascii_alphanumeric() || b"._:-".contains(&b);
        let fits = (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(sane);
        fits.then(|| Self(text.to_owned()))
    }

    /// An id of our own.
    pub fn from_uuid(id: Uuid) -> Self {
        Self(id.to_string())
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which requests are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestQuery {
    /// Of this key alone.
    pub key: Option<KeyId>,
    /// Of these alone.
    pub criteria: RequestCriteria,
    /// With this request id alone.
    pub request_id: Option<RequestId>,
    /// At or after this.
    pub from: Option<DateTime<Utc>>,
    /// Before this.
    pub to: Option<DateTime<Utc>>,
    /// Which page.
    pub page: PageRequest,
}

/// One request, as it is kept. It holds no account, name or amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRecord {
    /// Our own id.
    pub id: Uuid,
    /// The id that the answer carried.
    pub request_id: RequestId,
    /// The key.
    pub key: KeyId,
    /// What was asked for.
    pub endpoint: Endpoint,
    /// What became of it.
    pub outcome: Outcome,
    /// The institutions, once they were known.
    pub banks: Option<Banks>,
    /// When it was admitted.
    pub at: DateTime<Utc>,
    /// From its admission to its answer.
    pub duration: Duration,
    /// Time spent with the bank, when it was asked.
    pub bank_time: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sane_id_is_kept_and_any_other_is_not() {
        assert!(RequestId::parse("0198f3c2-7d3e:retry.2").is_some());
        for insane in ["", "a b", "a\r\nX: y", "ñ", "<script>", &"a".repeat(65)] {
            assert_eq!(RequestId::parse(insane), None, "{insane:?}");
        }
    }

    #[test]
    fn no_api_key_is_kept_of_a_caller() {
        let key = "cep_live_AbCd1234.0123456789abcdefghijABCD";
        for told in [key, &format!("cep:{key}"), &format!("{key}-2"), "a b"] {
            assert_eq!(RequestId::of_caller(told), None, "{told}");
        }
        assert!(RequestId::of_caller(&key[..key.len() - 1]).is_some());
        // What was kept before stays readable.
        assert!(RequestId::parse(key).is_some());
    }
}
