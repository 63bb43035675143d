//! Requests to admit, and the reasons to refuse them.

use std::net::IpAddr;
use std::time::Duration;

use domain::idempotency::IdempotencyKey;
use domain::keys::{CountedKey, Environment, KeyId};
use domain::limits::{LimitStatus, MonthStatus};
use domain::outcome::Endpoint;
use domain::people::customer::CustomerId;
use domain::request::RequestId;

use ports::Cause;

/// `Retry-After` while the store or the limiter fails.
pub(super) const RETRY_AFTER: Duration = Duration::from_secs(5);

/// A request to admit.
#[derive(Clone, Debug)]
pub struct AdmissionRequest {
    /// The key that is charged.
    pub key: RequestKey,
    /// The caller's IP address.
    pub address: IpAddr,
    /// The endpoint that is called.
    pub endpoint: Endpoint,
    /// Idempotency key of the request; `None` if it has none.
    pub idempotency_key: Option<IdempotencyKey>,
    /// The request id for the answer and the log.
    pub request_id: RequestId,
}

/// The key that a request is charged to.
#[derive(Clone, Debug)]
pub enum RequestKey {
    /// The key that was presented; `None` unless the request has exactly one key, as text.
    Presented(Option<String>),
    /// A key that a person with a session named.
    Named(NamedKey),
}

impl RequestKey {
    /// The refusal of this key, which isn't called invalid when nobody presented it.
    pub(super) fn refusal(&self, error: AdmissionError) -> AdmissionError {
        match (self, error) {
            (Self::Named(_), AdmissionError::InvalidKey) => AdmissionError::NoSuchKey,
            (_, error) => error,
        }
    }
}

/// A key of an account that wasn't revoked when it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedKey {
    /// The key.
    pub key: CountedKey,
    /// Owner of the key.
    pub customer: CustomerId,
    /// Environment of the key, which decides the bank to query.
    pub environment: Environment,
}

/// Reason why a request isn't admitted.
#[derive(Clone, Debug)]
pub enum AdmissionError {
    /// The key is missing, malformed, unknown, wrong or revoked. The answer doesn't tell which.
    InvalidKey,
    /// The person's account has no such key, or it is revoked.
    NoSuchKey,
    /// The key isn't cached, and can't be looked up now because of too many wrong keys from the caller's
    /// address or from all addresses. It may be valid.
    KeyUnchecked {
        /// Time until a lookup is allowed.
        retry_after: Duration,
    },
    /// The limit per minute is reached.
    RateLimited {
        /// The key and its environment.
        key: (KeyId, Environment),
        /// Limit status of the key.
        limit_status: Box<LimitStatus>,
        /// Time until the next request would be admitted.
        retry_after: Duration,
    },
    /// The monthly quota is used up.
    QuotaExceeded {
        /// The key and its environment.
        key: (KeyId, Environment),
        /// Limit status of the key.
        limit_status: Box<LimitStatus>,
        /// Status of the month whose quota is used up.
        month: MonthStatus,
    },
    /// The limiter or the store can't be read.
    Unavailable {
        /// Time after which the caller should try again.
        retry_after: Duration,
        /// To be logged.
        cause: Cause,
    },
}

/// The admission couldn't be stored durably.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the admission could not be written down")]
pub struct NotDurable {
    /// Time after which the caller should try again.
    pub retry_after: Duration,
    /// To be logged.
    pub cause: Cause,
}

impl AdmissionError {
    /// The error of a failure of the store or the limiter.
    pub(crate) fn unavailable(cause: Cause) -> Self {
        Self::Unavailable {
            retry_after: RETRY_AFTER,
            cause,
        }
    }

    /// Key, environment and limit status of a refusal by a limit; `None` for any other reason.
    pub fn of_limit(&self) -> Option<((KeyId, Environment), &LimitStatus)> {
        match self {
            Self::RateLimited {
                key, limit_status, ..
            }
            | Self::QuotaExceeded {
                key, limit_status, ..
            } => Some((*key, limit_status)),
            Self::InvalidKey
            | Self::NoSuchKey
            | Self::KeyUnchecked { .. }
            | Self::Unavailable { .. } => None,
        }
    }
}
