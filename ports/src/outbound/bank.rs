//! Port: the bank that issues proofs.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::file::RequestedFiles;
use domain::pacing::{BankBudget, Lane, ThrottleReason};
use domain::payment::Payment;
use domain::transfer::Transfer;

use crate::Cause;

/// Port: a bank that answers queries for proofs.
#[async_trait]
pub trait Bank: Send + Sync {
    /// Queries one transfer's proof in one session of the bank's, and gives up when
    /// `lookup.patience` is over.
    ///
    /// The bytes are the bank's own, untouched, within the adapter's cap. MUST return
    /// [`BankAnswer::NotFound`] only when the bank said so, never for an answer that isn't
    /// understood. The caller checks that the proof is the one asked for.
    async fn fetch(&self, lookup: &Lookup) -> Result<BankAnswer, BankError>;

    /// State of our budget of queries; `None` when there is no budget, or its state is unknown.
    async fn budget(&self) -> Option<BankBudget>;
}

/// One query to the bank.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The transfer.
    pub transfer: Transfer,
    /// The requested files.
    pub wanted: RequestedFiles,
    /// Queue in which it waits for its turn.
    pub lane: Lane,
    /// Time limit of the whole lookup, the wait for its turn included.
    pub patience: Duration,
}

/// The bank's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BankAnswer {
    /// The proof.
    Issued(BankFiles),
    /// The payment is known, its proof isn't there (yet).
    NotIssued(Payment),
    /// No such payment.
    NotFound,
}

/// A proof's files; the requested ones are present.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankFiles {
    /// The XML.
    pub xml: Option<Bytes>,
    /// The PDF.
    pub pdf: Option<Bytes>,
}

/// Error of a lookup.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BankError {
    /// The bank's answer could not be understood.
    #[error("the bank's answer could not be understood")]
    Protocol {
        /// For the log; holds no personal data.
        cause: Cause,
    },
    /// The bank can't be reached, fails, or says that it is closed.
    #[error("the bank is unavailable")]
    Unavailable {
        /// Wait before the next attempt.
        retry_after: Duration,
        /// For the log; holds no personal data.
        cause: Cause,
    },
    /// The bank throttled us, or our budget has no room within the lookup's patience.
    #[error("the bank may not be asked again yet")]
    Throttled {
        /// Time until there is room again.
        retry_after: Duration,
        /// The reason for the wait.
        reason: ThrottleReason,
    },
    /// No answer within the lookup's patience.
    #[error("the bank did not answer in time")]
    Timeout,
}
