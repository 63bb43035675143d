//! Requests and views of stored lookups, for callers with an API key.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::account::Account;
use domain::batches::BatchId;
use domain::hints::Hint;
use domain::keys::{Environment, KeyId};
use domain::limits::LimitStatus;
use domain::lookups::{Attempt, LookupId, LookupState, Metadata, QueuePlace, RetryFor};
use domain::outcome::Outcome;
use domain::own_accounts::GivenAccount;
use domain::page::{CursorError, PageRequest};
use domain::participants::inference::{InferredBanks, Unresolved};
use domain::payment::Payment;
use domain::proofs::candidate::Candidate;
use domain::proofs::file::RequestedFiles;
use domain::proofs::notice::ProofOrigin;
use domain::query::ProofQuery;
use domain::request::RequestId;
use domain::seals::SealVerdict;

use crate::admission::AdmissionError;
use crate::proofs::Delivery;
use ports::Cause;

/// A lookup to create.
#[derive(Clone, Debug)]
pub struct LookupRequest<A = GivenAccount> {
    /// Query of the transfer, whose account may be masked or missing at first.
    pub query: ProofQuery<A>,
    /// Files to keep: XML, or XML and PDF.
    pub files: RequestedFiles,
    /// Time during which the lookup is tried again.
    pub retry_for: RetryFor,
    /// Pairs of names and values that are returned with the lookup.
    pub metadata: Metadata,
    /// Time that the request waits for the lookup's end.
    pub wait: Duration,
}

impl LookupRequest {
    /// The same request with this query.
    pub(crate) fn of(self, query: ProofQuery) -> LookupRequest<Account> {
        LookupRequest {
            query,
            files: self.files,
            retry_for: self.retry_for,
            metadata: self.metadata,
            wait: self.wait,
        }
    }
}

/// Caller of a use case of lookups.
#[derive(Clone, Debug)]
pub struct LookupAccess {
    /// The key that was presented; `None` unless the request has exactly one key, as text.
    pub presented_key: Option<String>,
    /// The caller's IP address.
    pub address: IpAddr,
    /// The request id for the answer and the log.
    pub request_id: RequestId,
}

/// Filter and page of a list of lookups.
#[derive(Clone, Debug)]
pub struct LookupQuery {
    /// Only these states; empty for all.
    pub states: Vec<LookupState>,
    /// Only lookups that were created at this instant or later; `None` for all.
    pub created_from: Option<DateTime<Utc>>,
    /// Only lookups of this batch; `None` for all, including those of no batch.
    pub batch: Option<BatchId>,
    /// Position and size of the page.
    pub page: PageRequest,
}

/// Result of a read, with the key that was used.
#[derive(Clone, Debug)]
pub struct Read<T> {
    /// Lookup, page or removal that the use case returns.
    pub found: T,
    /// The key that the caller presented.
    pub key: KeyId,
    /// Environment of the key.
    pub environment: Environment,
    /// Limit status of the key, which a read doesn't change.
    pub limit_status: LimitStatus,
}

/// A decrypted lookup.
#[derive(Clone, Debug)]
pub struct LookupView {
    /// Id of the lookup.
    pub id: LookupId,
    /// The key that created the lookup.
    pub key: KeyId,
    /// Environment of the key, which decides the bank to query.
    pub environment: Environment,
    /// State in the life cycle.
    pub state: LookupState,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
    /// Latest time for which an attempt is scheduled.
    pub retry_until: DateTime<Utc>,
    /// Time at which the lookup will be erased; `None` until it is final.
    pub erase_at: Option<DateTime<Utc>>,
    /// Number of completed attempts.
    pub attempts: u32,
    /// The last completed attempt; `None` before the first one.
    pub last_attempt: Option<Attempt>,
    /// All completed attempts, oldest first; `None` in lists.
    pub history: Option<Vec<Attempt>>,
    /// Time of the next attempt; `None` during an attempt and once the lookup is final.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// Position in the queue, only for a single lookup that is due and not claimed; otherwise `None`.
    pub queue: Option<QueuePlace>,
    /// The query, as given by the creator.
    pub question: ProofQuery,
    /// Participants that were inferred because the query doesn't name them.
    pub inferred: InferredBanks,
    /// Reason why the query's participants can't be resolved with the current catalogue; `None` if they can.
    pub unresolved: Option<Unresolved>,
    /// The payment by the bank's last answer; `None` if the bank doesn't know it or has a proof of it.
    pub payment: Option<Payment>,
    /// The transfers that have the reference number, in the order of their credit; empty unless the bank's last answer
    /// was that there are several.
    pub candidates: Arc<[Candidate]>,
    /// Likely mistakes in the query, the most likely first, if the bank doesn't know the transfer; otherwise
    /// empty.
    pub hints: Vec<Hint>,
    /// The batch that the lookup belongs to; `None` if it isn't of a batch.
    pub batch: Option<BatchId>,
    /// Pairs of names and values that the creator gave.
    pub metadata: Metadata,
    /// Verdict on the proof's seal at delivery, also in lists; `None` before delivery, and if it wasn't
    /// recorded.
    pub seal: Option<SealVerdict>,
    /// The delivered proof; `None` before delivery and in lists.
    pub delivery: Option<Delivery>,
}

impl LookupView {
    /// Origin of the proof; `None` until delivered. In lists, where the proof isn't decrypted, it is derived
    /// from the last attempt, since an imported proof isn't the result of one.
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

    /// Returns `true` if the proof was imported from the bank's own batch.
    pub fn is_imported(&self) -> bool {
        self.origin() == Some(ProofOrigin::Imported)
    }

    /// Outcome of the last attempt without a proof; `None` before the first attempt ends and once delivered.
    pub fn reason(&self) -> Option<Outcome> {
        let last = self.last_attempt.map(|attempt| attempt.outcome);
        // Attempts before an import returned no proof.
        last.filter(|_| self.state != LookupState::Delivered)
    }
}

/// Result of [`crate::LookupService::remove`].
#[derive(Clone, Debug)]
pub enum RemovedLookup {
    /// The lookup wasn't final and was canceled.
    Canceled(Box<LookupView>),
    /// The lookup was final and was erased.
    Erased,
}

/// Reason why a lookup can't be read or changed.
#[derive(Clone, Debug)]
pub enum LookupError {
    /// The API key isn't accepted.
    Refused(AdmissionError),
    /// The API key has reached its limit of reads per minute.
    TooManyReads {
        /// Maximum number of reads a minute.
        limit: u32,
        /// Time until the next read is allowed.
        retry_after: Duration,
    },
    /// The customer has no such lookup in the key's environment.
    Unknown,
    /// The cursor belongs to another list.
    Cursor(CursorError),
    /// The lookup can't be decrypted: its secret isn't configured any more, or the data was changed.
    Unreadable {
        /// To be logged.
        cause: Cause,
    },
}
