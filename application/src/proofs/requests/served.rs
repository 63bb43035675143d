//! Results of requests.

use std::time::Duration;

use domain::keys::{Environment, KeyId};
use domain::limits::LimitStatus;
use domain::outcome::Outcome;

use super::super::delivery::LookupDetails;
use crate::admission::{AdmissionError, NotDurable};

/// Result of a request. `A` is the answer, `E` the error of an invalid question.
#[derive(Clone, Debug)]
pub enum Served<A, E> {
    /// The request was not admitted; nothing was read or charged.
    Refused(AdmissionError),
    /// The request repeats an idempotency key, but can't get the first answer. Nothing is charged.
    NotRepeated(NotRepeated),
    /// The request was admitted, or got the answer to an earlier one.
    Answered(Box<Answered<A, E>>),
}

/// A request that was admitted or repeated.
#[derive(Clone, Debug)]
pub struct Answered<A, E> {
    /// The key that the caller presented.
    pub key: KeyId,
    /// Environment of the key, which decides the bank to query.
    pub environment: Environment,
    /// Current limit status of the key.
    pub limit_status: LimitStatus,
    /// State of the request's charge.
    pub charge: Charge,
    /// Data of the lookup; the default if there was none.
    pub details: LookupDetails,
    /// The reply to the caller.
    pub reply: Reply<A, E>,
}

/// State of a request's charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// Charged and settled with this outcome.
    Settled(Outcome),
    /// Charged; to be settled when the stored lookup ends.
    Open,
    /// Not charged, because the first answer was repeated.
    Repeated,
}

/// Reply to the caller of an admitted or repeated request.
#[derive(Clone, Debug)]
pub enum Reply<A, E> {
    /// The answer to the question.
    Answer(A),
    /// The question is invalid.
    Faulty(E),
    /// An internal error occurred.
    Failed,
    /// The admission couldn't be stored durably; the answer MUST NOT be sent.
    NotDurable(NotDurable),
}

/// A request that repeats an idempotency key, but can't get the first answer.
#[derive(Clone, Debug)]
pub struct NotRepeated {
    /// The key that the caller presented.
    pub key: KeyId,
    /// Environment of the key.
    pub environment: Environment,
    /// Limit status of the key, which this request doesn't change.
    pub limit_status: LimitStatus,
    /// Why the first answer can't be repeated.
    pub error: RepeatError,
}

/// Reason why a request with a known idempotency key can't get the first answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatError {
    /// The idempotency key was used for another request.
    KeyReused,
    /// The first request is still running.
    InProgress {
        /// Time after which to try again.
        retry_after: Duration,
    },
    /// The API key has reached its limit of repeated requests.
    TooManyRepeats {
        /// Maximum number of repeated requests a minute.
        limit: u32,
        /// Time until the next one is allowed.
        retry_after: Duration,
    },
}
