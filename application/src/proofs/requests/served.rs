//! Requests at their ends.

use std::time::Duration;

use domain::key::{Environment, KeyId};
use domain::limits::LimitStatus;
use domain::outcome::Outcome;

use super::super::delivery::LookupDetails;
use crate::admission::{AdmissionError, NotDurable};

/// A request at its end. `A` is the answer, `E` what is wrong with the question.
#[derive(Clone, Debug)]
pub enum Served<A, E> {
    /// Not admitted: nothing was read, and there was nothing to settle.
    Refused(AdmissionError),
    /// It has the idempotency key of an earlier one, and can't get its answer. Nothing is charged.
    NotRepeated(NotRepeated),
    /// Admitted, or repeated.
    Answered(Box<Answered<A, E>>),
}

/// A request that was admitted or repeated.
#[derive(Clone, Debug)]
pub struct Answered<A, E> {
    /// The key that was presented.
    pub key: KeyId,
    /// The bank that the key asks.
    pub environment: Environment,
    /// The key's limit status, as of now.
    pub limit_status: LimitStatus,
    /// The state of its charge.
    pub charge: Charge,
    /// Facts of the lookup; empty when there was none.
    pub details: LookupDetails,
    /// The reply to the caller.
    pub reply: Reply<A, E>,
}

/// The state of a request's charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// Charged and settled: the request counts as this outcome.
    Settled(Outcome),
    /// Charged. It is settled when its lookup ends.
    Open,
    /// Nothing is charged: the first answer was made again.
    Repeated,
}

/// The reply to the caller of an admitted or repeated request.
#[derive(Clone, Debug)]
pub enum Reply<A, E> {
    /// The answer to its question.
    Answer(A),
    /// The question is wrong.
    Faulty(E),
    /// An internal error.
    Failed,
    /// The admission couldn't be written down: no answer MUST leave.
    NotDurable(NotDurable),
}

/// A request with the idempotency key of an earlier one, whose answer it can't get.
#[derive(Clone, Debug)]
pub struct NotRepeated {
    /// The key that was presented.
    pub key: KeyId,
    /// The bank that the key asks.
    pub environment: Environment,
    /// The key's limit status; this request changed none of it.
    pub limit_status: LimitStatus,
    /// The reason.
    pub error: RepeatError,
}

/// Reason why a request with a known idempotency key doesn't get the first answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatError {
    /// The key was used for another request.
    KeyReused,
    /// The first request is still running.
    InProgress {
        /// Time after which to try again.
        retry_after: Duration,
    },
    /// The API key repeats requests too often.
    TooManyRepeats {
        /// Repeated requests a minute that an API key may make.
        limit: u32,
        /// Time until it may repeat one.
        retry_after: Duration,
    },
}
