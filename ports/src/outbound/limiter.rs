//! Port: the rate limiter.

use std::time::Duration;

use async_trait::async_trait;
use domain::keys::CountedKey;
use domain::limits::{LimitStatus, MonthStatus};
use domain::month::Month;
use uuid::Uuid;

use super::{KeyState, Snapshot};
use crate::Cause;

/// Port: the rate limiter. It counts requests against their keys' limits, by its own monotonic clock.
///
/// State and limits belong to a key. The counts of minute and month belong to its
/// [`counters`](CountedKey::counters), which a rotated key shares with its successor: each is admitted by its
/// own limits and the common use.
#[async_trait]
pub trait Limiter: Send + Sync {
    /// Admits one request: checks state, minute and month, and counts the request, in one atomic step. MUST
    /// NOT change any count if it refuses. If both limits are reached, it reports the minute's.
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError>;

    /// Limit status of keys, in the order given, without counting anything; `None` for a key that is unknown
    /// or revoked. MUST use as few calls of a server as possible, never one for each key if the server
    /// accepts several at once.
    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError>;

    /// Same as [`Limiter::peek_many`], for one key.
    async fn peek(&self, key: CountedKey) -> Result<Option<LimitStatus>, LimiterError> {
        Ok(self.peek_many(&[key]).await?.pop().flatten())
    }

    /// Loads a key's snapshot from the store. Counts of a month are merged by maximum; a late snapshot never
    /// undoes a revocation or a newer version. MUST NOT start a month that is in the future by the limiter's
    /// own clock, since the caller's clock may be ahead: then only the key's state is loaded, as by
    /// [`Limiter::apply`].
    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError>;

    /// Applies a change of a key that was made in the store. A key with unknown counters stays unknown, but
    /// its state MUST be kept for an hour, or until many thousand other keys changed: a hydration whose
    /// snapshot was read before the change and arrives after it MUST NOT undo the change.
    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError>;

    /// Makes a key and all keys that share its counters unknown: the next admission is [`Verdict::Unknown`],
    /// until one of them is hydrated. The use of the month is then that of the snapshot. MUST keep, as long
    /// as they have an effect, the count of the minute, revocations, the newest known versions, and the set
    /// of refunded requests.
    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError>;

    /// Refunds an admitted request to `month`, once per `request`. The count of the minute isn't reduced.
    async fn refund(
        &self,
        key: CountedKey,
        month: Month,
        request: Uuid,
    ) -> Result<(), LimiterError>;
}

/// Result of [`Limiter::admit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The request is admitted and counted.
    Admitted {
        /// Limit status, including this request.
        limit_status: LimitStatus,
        /// The month that is charged.
        month: Month,
        /// Where the request is counted so far.
        charge: Charge,
    },
    /// The limit per minute is reached.
    RateLimited {
        /// Limit status without this request.
        limit_status: LimitStatus,
        /// Time until the next request would be admitted.
        retry_after: Duration,
    },
    /// The monthly quota is used up.
    QuotaExceeded {
        /// Limit status without this request.
        limit_status: LimitStatus,
        /// Status of the month whose quota is used up.
        month: MonthStatus,
    },
    /// The key is revoked.
    Revoked,
    /// The limiter doesn't know the key: the caller hydrates it and tries again.
    Unknown {
        /// The month to read the snapshot of.
        month: Month,
    },
}

/// Where an admitted request is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// Only in the limiter. The caller submits it to the journal.
    Unwritten,
    /// Durably in the store. The journal must not count it again.
    Written,
}

/// The limiter failed; it may or may not have counted the request.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the limiter failed: {cause}")]
pub struct LimiterError {
    /// The driver's error, to be logged.
    pub cause: Cause,
}
