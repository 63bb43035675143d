//! Port: the bank that issues proofs.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::pacing::{BankBudget, Lane, ThrottleReason};
use domain::payment::Payment;
use domain::proofs::file::RequestedFiles;
use domain::transfer::Transfer;

use crate::Cause;

/// Port: a bank that answers queries for proofs.
#[async_trait]
pub trait Bank: Send + Sync {
    /// Queries one transfer's proof in one session of the portal; fails with [`BankError::Timeout`] after
    /// `lookup.patience`. A transfer that is given by its reference number gets both files, or
    /// [`BankAnswer::Several`].
    ///
    /// The returned files are byte for byte those of the bank, up to the adapter's size limit. MUST return
    /// [`BankAnswer::NotFound`] only when the bank said so, never for an answer that isn't understood. The
    /// caller checks that the proof belongs to the transfer.
    async fn fetch(&self, lookup: &Lookup) -> Result<BankAnswer, BankError>;

    /// State of the query budget; `None` when there is no budget, or its state is unknown.
    async fn budget(&self) -> Option<BankBudget>;
}

/// One query to the bank.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The transfer whose proof is queried.
    pub transfer: Transfer,
    /// The files to download: XML, PDF or both. MUST be both for a reference number.
    pub wanted: RequestedFiles,
    /// Queue in which the query waits for its turn.
    pub lane: Lane,
    /// Time limit of the query, including the wait for its turn.
    pub patience: Duration,
}

/// The bank's answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BankAnswer {
    /// The bank has issued the proof.
    Issued(BankFiles),
    /// Several transfers have the reference number: a ZIP of their PDFs, as the bank sent it.
    Several(Bytes),
    /// The bank knows the payment but has no proof of it, or none yet.
    NotIssued(Payment),
    /// The bank knows no such payment.
    NotFound,
}

/// Files of a proof; those that were requested are present.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankFiles {
    /// The XML file; `None` if not requested.
    pub xml: Option<Bytes>,
    /// The PDF file; `None` if not requested.
    pub pdf: Option<Bytes>,
}

/// Error of a query.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BankError {
    /// The bank's answer could not be understood, or doesn't match the query.
    #[error("the bank's answer could not be understood")]
    Protocol {
        /// To be logged; contains no personal data.
        cause: Cause,
    },
    /// The bank can't be reached, returns errors, or reports that it is closed.
    #[error("the bank could not be reached")]
    Unavailable {
        /// Time to wait before the next attempt.
        retry_after: Duration,
        /// To be logged; contains no personal data.
        cause: Cause,
    },
    /// The bank throttled us, or the query budget has no free turn within the lookup's patience.
    #[error("the bank may not be asked again yet")]
    Throttled {
        /// Time until the bank may be queried again.
        retry_after: Duration,
        /// Source of the limit: the bank's throttling, our own budget, or the key's concurrent lookups.
        reason: ThrottleReason,
    },
    /// No answer within the lookup's patience.
    #[error("the bank did not answer in time")]
    Timeout,
}
