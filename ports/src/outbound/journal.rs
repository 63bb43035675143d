//! Port: the durable record of use.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::customer::CustomerId;
use domain::key::KeyId;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::request::RequestId;
use domain::seal::SealVerdict;
use domain::seen::ProofMark;
use domain::transfer::Banks;
use uuid::Uuid;

use crate::{Cause, JournalError, Receipt};

/// Port: journal of use. Entries of many requests share one commit.
#[async_trait]
pub trait UsageJournal: Send + Sync {
    /// Counts one admitted request. The receipt resolves once the count survives a crash of this
    /// process and of the machine.
    fn admit(&self, entry: AdmissionEntry) -> Receipt;

    /// Records the end of a request, and counts it in the statistics of its key and customer, in
    /// one commit. Written within a second while the store works; a crash may lose entries that
    /// aren't written yet, never an admission whose receipt resolved.
    fn conclude(&self, entry: RequestEntry);

    /// Counts a request refused by a limit, in the statistics alone. Written as late as the entries
    /// of [`UsageJournal::conclude`], and lost as they are.
    fn refuse(&self, entry: RefusalEntry);

    /// Returns once everything submitted before is durable.
    ///
    /// # Errors
    /// A [`JournalError`] when it couldn't be written.
    async fn flush(&self) -> Result<(), JournalError>;

    /// Cause of the last write's failure; `None` after a success, and before the first write.
    /// Returns at once, without trying anything.
    fn trouble(&self) -> Option<Cause>;

    /// Checks that an admission submitted now can become durable in time. A check before each
    /// admission avoids admissions that would be held back in vain. Returns at once, without trying
    /// anything.
    ///
    /// # Errors
    /// While more entries wait than may, while writing has failed or hung for as long as an entry
    /// may wait, and once it is closed.
    fn accepts(&self) -> Result<(), JournalError>;

    /// Makes the journal write something although nothing waits, to find out if it can. Returns at
    /// once; the result is seen in [`UsageJournal::trouble`] and [`UsageJournal::accepts`].
    fn probe(&self);
}

/// One admitted request.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionEntry {
    /// The key.
    pub key: KeyId,
    /// The charged month.
    pub month: Month,
    /// Time of admission; a key's last use is kept to the minute.
    pub at: DateTime<Utc>,
}

/// One request refused by a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalEntry {
    /// The key.
    pub key: KeyId,
    /// The customer.
    pub customer: CustomerId,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The limit, as an outcome.
    pub outcome: Outcome,
    /// Time of the request.
    pub at: DateTime<Utc>,
}

/// The end of one request. It holds no account, name or amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestEntry {
    /// Our own id, unlike `request_id` never a caller's.
    pub id: Uuid,
    /// The id in the answer.
    pub request_id: RequestId,
    /// The key.
    pub key: KeyId,
    /// The customer.
    pub customer: CustomerId,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The outcome.
    pub outcome: Outcome,
    /// The institutions, once they were known.
    pub banks: Option<Banks>,
    /// Time of admission.
    pub at: DateTime<Utc>,
    /// Time from the admission until this record was submitted, right before the answer leaves.
    pub duration: Duration,
    /// Time spent with the bank, if it was queried.
    pub bank_time: Option<Duration>,
    /// The month to which the request is refunded, if it is.
    pub refund: Option<Month>,
    /// The proofs that were delivered, each once. They are counted for their customer, in the same commit.
    pub delivered: Vec<ProofMark>,
    /// The gravest verdict on the seals of the proofs that were delivered, or the gravest result of the checks of
    /// those that were sent, if any were.
    pub seal: Option<SealVerdict>,
}
