//! Admission of proof requests: the request, and the reasons to refuse it.

use std::net::IpAddr;
use std::time::Duration;

use domain::idempotency::IdempotencyKey;
use domain::key::{Environment, KeyId};
use domain::limits::{LimitStatus, MonthStatus};
use domain::outcome::Endpoint;
use domain::request::RequestId;

use ports::Cause;

/// A request to be admitted.
#[derive(Clone, Debug)]
pub struct AdmissionRequest {
    /// The key that was presented; `None` unless exactly one was, as text.
    pub presented_key: Option<String>,
    /// The address of the caller.
    pub address: IpAddr,
    /// The endpoint that is called.
    pub endpoint: Endpoint,
    /// The idempotency key, if there is one.
    pub idempotency_key: Option<IdempotencyKey>,
    /// The id of the request.
    pub request_id: RequestId,
}

/// Reason why a request isn't admitted.
#[derive(Clone, Debug)]
pub enum AdmissionError {
    /// The key is missing, malformed, unknown, wrong or revoked: callers aren't told which.
    InvalidKey,
    /// The key isn't known, and too many wrong keys were looked up for its caller's address, or for
    /// all of them together, to look it up now. It may be a good one.
    KeyUnchecked {
        /// Time until it can be looked up.
        retry_after: Duration,
    },
    /// The minute's limit is used up.
    RateLimited {
        /// The key, and the bank that it asks.
        key: (KeyId, Environment),
        /// The key's limit status.
        limit_status: LimitStatus,
        /// Time until a request would be admitted.
        retry_after: Duration,
    },
    /// The month's quota is used up.
    QuotaExceeded {
        /// The key, and the bank that it asks.
        key: (KeyId, Environment),
        /// The key's limit status.
        limit_status: LimitStatus,
        /// The status of the month.
        month: MonthStatus,
    },
    /// Neither limits nor keys can be read.
    Unavailable {
        /// Time after which to try again.
        retry_after: Duration,
        /// For the log.
        cause: Cause,
    },
}

/// The admission couldn't be written down.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the admission could not be written down")]
pub struct NotDurable {
    /// Time after which to try again.
    pub retry_after: Duration,
    /// For the log.
    pub cause: Cause,
}

impl AdmissionError {
    /// The key, the bank that it asks, and its limit status, where that is the reason.
    pub fn of_limit(&self) -> Option<((KeyId, Environment), &LimitStatus)> {
        match self {
            Self::RateLimited {
                key, limit_status, ..
            }
            | Self::QuotaExceeded {
                key, limit_status, ..
            } => Some((*key, limit_status)),
            Self::InvalidKey | Self::KeyUnchecked { .. } | Self::Unavailable { .. } => None,
        }
    }
}
