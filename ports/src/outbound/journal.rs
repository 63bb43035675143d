//! The durable record of use.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::customer::CustomerId;
use domain::key::KeyId;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::request::RequestId;
use domain::transfer::Banks;
use uuid::Uuid;

use crate::{Cause, JournalError, Receipt};

/// Writes down what was used. Entries of many requests share one commit.
#[async_trait]
pub trait UsageJournal: Send + Sync {
    /// Counts one admitted request. The receipt resolves once the count survives a crash of this
    /// process and of the machine.
    fn admit(&self, entry: AdmissionEntry) -> Receipt;

    /// Keeps what became of a request, and counts it in the statistics of its key and customer, in
    /// one commit. Written within a second while the store works; a crash may lose those that aren't
    /// written yet, never an admission whose receipt resolved.
    fn conclude(&self, entry: RequestEntry);

    /// Counts a request that a limit refused, in the statistics alone. Written as late as those
    /// above, and lost as they are.
    fn refuse(&self, entry: RefusalEntry);

    /// Returns once everything handed over before is durable.
    ///
    /// # Errors
    /// When it couldn't be written.
    async fn flush(&self) -> Result<(), JournalError>;

    /// Why the last attempt at writing failed; `None` once one succeeded after it, and before the
    /// first one. Answers at once, without trying anything.
    fn trouble(&self) -> Option<Cause>;

    /// Whether an admission that is handed over now may become durable in time. Whoever asks before
    /// it admits spares everybody an admission that would be held back in vain. Answers at once,
    /// without trying anything.
    ///
    /// # Errors
    /// While more waits than may, while writing has failed or hung for as long as an entry may wait,
    /// and once it is closed.
    fn accepts(&self) -> Result<(), JournalError>;

    /// Has the journal write something although nothing waits, so that it knows whether it can.
    /// Returns at once; what comes of it is told by [`UsageJournal::trouble`] and
    /// [`UsageJournal::accepts`].
    fn probe(&self);
}

/// One admitted request.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionEntry {
    /// The key.
    pub key: KeyId,
    /// The month that is charged.
    pub month: Month,
    /// When; a key's last use is kept to the minute.
    pub at: DateTime<Utc>,
}

/// One request that a limit refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalEntry {
    /// The key.
    pub key: KeyId,
    /// Whose it is.
    pub customer: CustomerId,
    /// What was asked for.
    pub endpoint: Endpoint,
    /// Which limit.
    pub outcome: Outcome,
    /// When.
    pub at: DateTime<Utc>,
}

/// What became of one request. It holds no account, name or amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestEntry {
    /// Our own id.
    pub id: Uuid,
    /// The id that the answer carried.
    pub request_id: RequestId,
    /// The key.
    pub key: KeyId,
    /// Whose it is.
    pub customer: CustomerId,
    /// What was asked for.
    pub endpoint: Endpoint,
    /// What became of it.
    pub outcome: Outcome,
    /// The institutions, once they were known.
    pub banks: Option<Banks>,
    /// When it was admitted.
    pub at: DateTime<Utc>,
    /// From the admission until its record was handed over, right before the answer leaves.
    pub duration: Duration,
    /// Time spent with the bank, when it was asked.
    pub bank_time: Option<Duration>,
    /// The month that gets one request back, when it does.
    pub refund: Option<Month>,
}
