//! Who may ask, how often, and the record of it.

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
use uuid::Uuid;

use super::Banks;
use crate::Cause;
use crate::outbound::Receipt;

/// Checks the key of a proof request, then its limits; and records what became of it.
#[async_trait]
pub trait Gatekeeper: Send + Sync {
    /// Admits one request, or says why not. A refused request changes no count.
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

/// One request that wants to be admitted.
#[derive(Clone, Debug)]
pub struct AdmissionRequest {
    /// The key that was presented; `None` unless exactly one was, as text.
    pub presented_key: Option<String>,
    /// Where the request comes from.
    pub address: IpAddr,
    /// What it asks for.
    pub endpoint: Endpoint,
    /// Its id.
    pub request_id: RequestId,
}

/// A request that may go on.
#[derive(Debug)]
pub struct Admission {
    /// Our own id of the request, unlike [`Self::request_id`] never a caller's.
    pub id: Uuid,
    /// The id that the answer carries.
    pub request_id: RequestId,
    /// The key that was presented.
    pub key: KeyId,
    /// Whose it is.
    pub customer: CustomerId,
    /// The bank that the key asks.
    pub environment: Environment,
    /// What is left of the key's limits, this request counted.
    pub limit_status: LimitStatus,
    /// When it was admitted.
    pub admitted_at: DateTime<Utc>,
    /// The same on the monotonic clock.
    pub admitted_at_monotonic: Duration,
    /// The month that it is charged to.
    pub month: Month,
    /// What it asks for.
    pub endpoint: Endpoint,
    /// Resolves once the admission is durable.
    pub receipt: Receipt,
}

/// Why a request may not go on.
#[derive(Clone, Debug)]
pub enum AdmissionError {
    /// Missing, malformed, unknown, wrong or revoked: nobody is told which.
    InvalidKey,
    /// The minute's limit is used up.
    RateLimited {
        /// What is left.
        limit_status: LimitStatus,
        /// Time until a request would be admitted.
        retry_after: Duration,
    },
    /// The month's quota is used up.
    QuotaExceeded {
        /// What is left.
        limit_status: LimitStatus,
        /// The month that is used up.
        month: MonthStatus,
    },
    /// Neither limits nor keys can be read.
    Unavailable {
        /// When to try again.
        retry_after: Duration,
        /// For the log.
        cause: Cause,
    },
}

/// What became of an admitted request.
#[derive(Clone, Copy, Debug)]
pub struct Settlement {
    /// The outcome.
    pub outcome: Outcome,
    /// The institutions of the transfer, once they were known.
    pub banks: Option<Banks>,
    /// As in `FetchReport::bank_time`.
    pub bank_time: Option<Duration>,
}

/// The admission couldn't be written down.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the admission could not be written down")]
pub struct NotDurable {
    /// When to try again.
    pub retry_after: Duration,
    /// For the log.
    pub cause: Cause,
}
