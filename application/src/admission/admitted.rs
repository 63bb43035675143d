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
    /// The charged request.
    pub charged: ChargedRequest,
    /// The bank that the key asks.
    pub environment: Environment,
    /// The key's limit status, this request counted.
    pub limit_status: LimitStatus,
    /// Time of the admission on the monotonic clock.
    pub admitted_at_monotonic: Duration,
    /// Resolves once the admission is durable.
    pub receipt: Receipt,
}

/// A request that is charged to a month of its key.
#[derive(Clone, Debug)]
pub struct ChargedRequest {
    /// Our own id of the request; unlike [`Self::request_id`] never chosen by a caller.
    pub id: Uuid,
    /// The id that the answer carries.
    pub request_id: RequestId,
    /// The key that was presented.
    pub key: CountedKey,
    /// The customer whose key it is.
    pub customer: CustomerId,
    /// Time of the admission.
    pub admitted_at: DateTime<Utc>,
    /// The month that it is charged to.
    pub month: Month,
    /// The endpoint that is called.
    pub endpoint: Endpoint,
}

/// The owner of a good key, who was neither limited nor charged.
#[derive(Clone, Copy, Debug)]
pub struct Identified {
    /// The key that was presented.
    pub key: CountedKey,
    /// The customer whose key it is.
    pub customer: CustomerId,
    /// The bank that the key asks.
    pub environment: Environment,
    /// The key's limit status.
    pub limit_status: LimitStatus,
}

/// The outcome of an admitted request, and facts for statistics.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The outcome.
    pub outcome: Outcome,
    /// The institutions of the transfer, once they were known.
    pub banks: Option<Banks>,
    /// As in `LookupDetails::bank_time`.
    pub bank_time: Option<Duration>,
    /// The proofs that were delivered; none after any other outcome.
    pub delivered: Vec<ProofMark>,
    /// The gravest verdict on the seals of these proofs, or the gravest result of their checks; `None` after any
    /// other outcome.
    pub seal: Option<SealVerdict>,
}

impl Settlement {
    /// An outcome without a lookup.
    pub fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            banks: None,
            bank_time: None,
            delivered: Vec::new(),
            seal: None,
        }
    }
}
