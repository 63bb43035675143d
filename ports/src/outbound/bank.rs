//! The bank that proofs come from.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::file::RequestedFiles;
use domain::pacing::{BankBudget, ThrottleReason};
use domain::payment::Payment;
use domain::transfer::Transfer;

use crate::Cause;

/// A bank that can be asked for proofs.
#[async_trait]
pub trait Bank: Send + Sync {
    /// Asks for one transfer's proof, in one session of the bank's, and gives up when
    /// `lookup.patience` is over.
    ///
    /// The bytes are the bank's own, untouched, within the adapter's cap. MUST return
    /// [`BankAnswer::NotFound`] only when the bank said so, never for an answer that isn't
    /// understood. Whether the proof is the one asked for is the caller's to check.
    async fn fetch(&self, lookup: &Lookup) -> Result<BankAnswer, BankError>;

    /// What is left of our budget of questions; `None` when there is no budget, or it can't be told.
    async fn budget(&self) -> Option<BankBudget>;
}

/// One question to the bank.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The transfer.
    pub transfer: Transfer,
    /// The files wanted of it.
    pub wanted: RequestedFiles,
    /// Time that the whole lookup may take, waiting for its turn included.
    pub patience: Duration,
}

/// What the bank says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BankAnswer {
    /// The proof.
    Issued(BankFiles),
    /// The payment is known, its proof isn't there (yet).
    NotIssued(Payment),
    /// No such payment.
    NotFound,
}

/// A proof's files; those that were wanted are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankFiles {
    /// The XML.
    pub xml: Option<Bytes>,
    /// The PDF.
    pub pdf: Option<Bytes>,
}

/// Why the bank said nothing that we can use.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BankError {
    /// An answer that we don't understand.
    #[error("the bank's answer could not be understood")]
    Protocol {
        /// For the log; holds no personal data.
        cause: Cause,
    },
    /// It can't be reached, fails, or says that it is closed.
    #[error("the bank is unavailable")]
    Unavailable {
        /// When to try again.
        retry_after: Duration,
        /// For the log; holds no personal data.
        cause: Cause,
    },
    /// It wants fewer questions, or our budget has no room within the lookup's patience.
    #[error("the bank may not be asked again yet")]
    Throttled {
        /// When there is room again.
        retry_after: Duration,
        /// What the wait is for.
        reason: ThrottleReason,
    },
    /// No answer within the lookup's patience.
    #[error("the bank did not answer in time")]
    Timeout,
}
