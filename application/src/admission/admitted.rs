//! An admitted request, and its settlement.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::customer::CustomerId;
use domain::key::{CountedKey, Environment};
use domain::limits::LimitStatus;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::request::RequestId;
use domain::seal::SealVerdict;
use domain::seen::ProofMark;
use domain::transfer::Banks;
use ports::Receipt;
use uuid::Uuid;

/// An admitted request.
#[derive(Debug)]
pub struct Admission {
    /// Our own id of the request; unlike [`Self::request_id`] never chosen by a caller.
    pub id: Uuid,
    /// The id that the answer carries.
    pub request_id: RequestId,
    /// The key that was presented.
    pub key: CountedKey,
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

/// The outcome of an admitted request, and facts for statistics.
#[derive(Clone, Copy, Debug)]
pub struct Settlement {
    /// The outcome.
    pub outcome: Outcome,
    /// The institutions of the transfer, once they were known.
    pub banks: Option<Banks>,
    /// As in `LookupDetails::bank_time`.
    pub bank_time: Option<Duration>,
    /// The proof that was delivered; `None` after any other outcome.
    pub delivered: Option<ProofMark>,
    /// The verdict on the seal of that proof; `None` after any other outcome.
    pub seal: Option<SealVerdict>,
}
