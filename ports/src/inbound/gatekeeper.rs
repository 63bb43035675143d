//! Admission and settlement of proof requests.

use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::customer::CustomerId;
use domain::key::{Environment, KeyId};
use domain::limits::{LimitStatus, MonthStatus};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::request::RequestId;
use domain::transfer::Banks;
use uuid::Uuid;

use crate::{Cause, Receipt};

/// Port: the gatekeeper. Checks the key of a proof request, then its limits; and records its outcome.
#[async_trait]
pub trait Gatekeeper: Send + Sync {
    /// Admits one request. MUST NOT change any counter when it refuses.
    async fn admit(&self, request: AdmissionRequest) -> Result<Admission, AdmissionError>;

    /// Records the end of an admitted request, gives a failure of ours or the bank's back to the
    /// month's quota, and returns once the admission is durable. MUST be called once for every
    /// admission, before its answer leaves.
    ///
    /// # Errors
    /// [`NotDurable`]: the admission couldn't be written down; the answer must not leave.
    async fn settle(
        &self,
        admission: Admission,
        settlement: Settlement,
    ) -> Result<LimitStatus, NotDurable>;
}

/// A request to be admitted.
#[derive(Clone, Debug)]
pub struct AdmissionRequest {
    /// The key that was presented; `None` unless exactly one was, as text.
    pub presented_key: Option<String>,
    /// The address of the caller.
    pub address: IpAddr,
    /// The endpoint that is called.
    pub endpoint: Endpoint,
    /// The id of the request.
    pub request_id: RequestId,
}

/// An admitted request.
#[derive(Debug)]
pub struct Admission {
    /// Our own id of the request; unlike [`Self::request_id`] never chosen by a caller.
    pub id: Uuid,
    /// The id that the answer carries.
    pub request_id: RequestId,
    /// The key that was presented.
    pub key: KeyId,
    /// The customer whose key it is.
    pub customer: CustomerId,
    /// The bank that the key asks.
    pub environment: Environment,
    /// The key's limit status, this request counted.
    pub limit_status: LimitStatus,
    /// Time of the admission.
    pub admitted_at: DateTime<Utc>,
    /// The same on the monotonic clock.
    pub admitted_at_monotonic: Duration,
    /// The month that it is charged to.
    pub month: Month,
    /// The endpoint that is called.
    pub endpoint: Endpoint,
    /// Resolves once the admission is durable.
    pub receipt: Receipt,
}

/// Reason why a request isn't admitted.
#[derive(Clone, Debug)]
pub enum AdmissionError {
    /// The key is missing, malformed, unknown, wrong or revoked: callers aren't told which.
    InvalidKey,
    /// The minute's limit is used up.
    RateLimited {
        /// The key's limit status.
        limit_status: LimitStatus,
        /// Time until a request would be admitted.
        retry_after: Duration,
    },
    /// The month's quota is used up.
    QuotaExceeded {
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

/// The outcome of an admitted request, and facts for statistics.
#[derive(Clone, Copy, Debug)]
pub struct Settlement {
    /// The outcome.
    pub outcome: Outcome,
    /// The institutions of the transfer, once they were known.
    pub banks: Option<Banks>,
    /// As in `LookupDetails::bank_time`.
    pub bank_time: Option<Duration>,
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
