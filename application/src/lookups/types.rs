//! Stored lookups, as the API's callers see them.

use std::net::IpAddr;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::batch::BatchId;
use domain::file::RequestedFiles;
use domain::hints::Hint;
use domain::inference::{InferredBanks, Unresolved};
use domain::key::{Environment, KeyId};
use domain::limits::LimitStatus;
use domain::lookup::{Attempt, LookupId, LookupState, Metadata, QueuePlace, RetryFor};
use domain::notice::ProofOrigin;
use domain::outcome::Outcome;
use domain::page::{CursorError, PageRequest};
use domain::payment::Payment;
use domain::query::ProofQuery;
use domain::request::RequestId;
use domain::seal::SealVerdict;

use crate::admission::AdmissionError;
use crate::proofs::Delivery;
use ports::Cause;

/// A lookup to create.
#[derive(Clone, Debug)]
pub struct LookupRequest {
    /// The transfer.
    pub query: ProofQuery,
    /// The files to keep: the XML, or both.
    pub files: RequestedFiles,
    /// Time during which it is tried again.
    pub retry_for: RetryFor,
    /// Whatever the caller wants back with it.
    pub metadata: Metadata,
    /// Time that the caller waits for its end.
    pub wait: Duration,
}

/// Caller of a read.
#[derive(Clone, Debug)]
pub struct LookupAccess {
    /// The key that was presented; `None` unless exactly one was, as text.
    pub presented_key: Option<String>,
    /// The address of the caller.
    pub address: IpAddr,
    /// The id of the request.
    pub request_id: RequestId,
}

/// Which lookups to list.
#[derive(Clone, Debug)]
pub struct LookupQuery {
    /// In these states; all when it is empty.
    pub states: Vec<LookupState>,
    /// Created at this instant or later.
    pub created_from: Option<DateTime<Utc>>,
    /// Of this batch; also of no batch when it is `None`.
    pub batch: Option<BatchId>,
    /// The page.
    pub page: PageRequest,
}

/// Result of a read, and the key that it was made with.
#[derive(Clone, Debug)]
pub struct Read<T> {
    /// The result.
    pub found: T,
    /// The key.
    pub key: KeyId,
    /// The bank of the key.
    pub environment: Environment,
    /// The key's limit status; a read changes none of it.
    pub limit_status: LimitStatus,
}

/// A lookup, decrypted.
#[derive(Clone, Debug)]
pub struct LookupView {
    /// The id.
    pub id: LookupId,
    /// The key that it was created with.
    pub key: KeyId,
    /// The bank that is asked.
    pub environment: Environment,
    /// The state.
    pub state: LookupState,
    /// Time of its creation.
    pub created_at: DateTime<Utc>,
    /// Time of its last change.
    pub updated_at: DateTime<Utc>,
    /// Time of its last attempt, at the latest.
    pub retry_until: DateTime<Utc>,
    /// Time at which it is erased; `None` until it is final.
    pub erase_at: Option<DateTime<Utc>>,
    /// Number of attempts.
    pub attempts: u32,
    /// The last one.
    pub last_attempt: Option<Attempt>,
    /// All attempts, oldest first; `None` in lists.
    pub history: Option<Vec<Attempt>>,
    /// Time of the next attempt; `None` while one is made, and once it is final.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// Its place in the queue, when it was read by itself while it was due and nobody worked on it.
    pub queue: Option<QueuePlace>,
    /// The question, as its creator asked it.
    pub question: ProofQuery,
    /// The inferred fields.
    pub inferred: InferredBanks,
    /// Reason for which the question names no transfer, by the catalogue of now.
    pub unresolved: Option<Unresolved>,
    /// The payment, when the bank knew it at its last answer and had no proof of it.
    pub payment: Option<Payment>,
    /// Likely mistakes, the most likely first, when the bank didn't know the transfer at its last answer.
    pub hints: Vec<Hint>,
    /// The batch that it is a row of, if it is one.
    pub batch: Option<BatchId>,
    /// The caller's metadata.
    pub metadata: Metadata,
    /// The verdict on the seal of its proof as of its delivery, in lists, too; `None` until then, and where
    /// it wasn't recorded.
    pub seal: Option<SealVerdict>,
    /// The proof, once it is delivered; `None` in lists.
    pub delivery: Option<Delivery>,
}

impl LookupView {
    /// Origin of the proof; `None` until it is delivered. In lists, where the proof isn't read, the last attempt tells:
    /// an imported proof is the result of none.
    pub fn origin(&self) -> Option<ProofOrigin> {
        let delivery = self.delivery.as_ref().map(|delivery| delivery.origin);
        let of_attempt = || {
            let last = self.last_attempt.map(|attempt| attempt.outcome);
            match last {
                Some(Outcome::Delivered) => ProofOrigin::Fetched,
                _ => ProofOrigin::Imported,
            }
        };
        (self.state == LookupState::Delivered).then(|| delivery.unwrap_or_else(of_attempt))
    }

    /// Returns `true` for a proof that came with an import of the bank's own batch.
    pub fn is_imported(&self) -> bool {
        self.origin() == Some(ProofOrigin::Imported)
    }

    /// Outcome of the last attempt that gave no proof. `None` before the first attempt ends, and once the
    /// proof is delivered.
    pub fn reason(&self) -> Option<Outcome> {
        let last = self.last_attempt.map(|attempt| attempt.outcome);
        // An imported proof comes after attempts that gave none.
        last.filter(|_| self.state != LookupState::Delivered)
    }
}

/// Result of [`crate::LookupService::remove`].
#[derive(Clone, Debug)]
pub enum RemovedLookup {
    /// It was canceled.
    Canceled(Box<LookupView>),
    /// It was final, and nothing of it is left.
    Erased,
}

/// Reason why a lookup can't be read or changed.
#[derive(Clone, Debug)]
pub enum LookupError {
    /// The key can't be used.
    Refused(AdmissionError),
    /// The key has read too often.
    TooManyReads {
        /// Reads a minute that a key may make.
        limit: u32,
        /// Time until it may read again.
        retry_after: Duration,
    },
    /// The customer has no such lookup, in the key's environment.
    Unknown,
    /// The cursor is of another list.
    Cursor(CursorError),
    /// The lookup can't be decrypted: its secret isn't listed any more, or it was changed.
    Unreadable {
        /// For the log.
        cause: Cause,
    },
}
