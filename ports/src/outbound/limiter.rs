//! Port: the rate limiter.

use std::time::Duration;

use async_trait::async_trait;
use domain::key::CountedKey;
use domain::limits::{LimitStatus, MonthStatus};
use domain::month::Month;
use uuid::Uuid;

use super::{KeyState, Snapshot};
use crate::Cause;

/// Port: the rate limiter. It counts requests against their keys' limits by its own monotonic
/// clock.
///
/// State and limits are a key's own; minute and month are of its [`counters`](CountedKey::counters),
/// which a rotated key shares with its successor: either is admitted within its own limits, by the
/// use of both.
#[async_trait]
pub trait Limiter: Send + Sync {
    /// Admits one request: checks state, minute and month, and counts it, in one atomic step. MUST
    /// NOT change any count when it refuses. When both limits are used up, it reports the minute's.
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError>;

    /// State of the limits of keys, in their order, without counting anything; `None` for a key that
    /// is unknown or revoked. MUST cost as few calls of a server as it can, and never one for each
    /// key where the server takes many at once.
    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError>;

    /// As [`Limiter::peek_many`], of one key.
    async fn peek(&self, key: CountedKey) -> Result<Option<LimitStatus>, LimiterError> {
        Ok(self.peek_many(&[key]).await?.pop().flatten())
    }

    /// Loads a key's snapshot from the store. Merged by maximum within a month; a revocation and a
    /// newer version are never undone by a late one. MUST NOT begin a month that hasn't begun by
    /// the limiter's own clock, since the caller's may be ahead: of such a month only the key's
    /// state is taken, as by [`Limiter::apply`].
    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError>;

    /// Applies a change of a key that was made in the store. A key whose counters are unknown stays
    /// unknown, but its state MUST be kept for an hour, or until many thousand other keys changed: a
    /// hydration whose snapshot was read before the change, and that arrives after it, MUST NOT undo
    /// it.
    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError>;

    /// Makes a key unknown, and all that share its counters: the next admission is
    /// [`Verdict::Unknown`], until one of them is hydrated. The use of the month is then the
    /// snapshot's. MUST keep, for as long as they matter, the count of the minute, revocations and
    /// the newest versions known, and the set of refunded requests.
    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError>;

    /// Refunds one admitted request to `month`, once per `request`; never to the minute.
    async fn refund(
        &self,
        key: CountedKey,
        month: Month,
        request: Uuid,
    ) -> Result<(), LimiterError>;
}

/// Result of an admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The request is admitted and counted.
    Admitted {
        /// The limits, this request counted.
        limit_status: LimitStatus,
        /// The charged month.
        month: Month,
        /// Durability of the charge.
        charge: Charge,
    },
    /// The minute's limit is used up.
    RateLimited {
        /// The limits.
        limit_status: LimitStatus,
        /// Time until a request would be admitted.
        retry_after: Duration,
    },
    /// The month's quota is used up.
    QuotaExceeded {
        /// The limits.
        limit_status: LimitStatus,
        /// The exhausted month.
        month: MonthStatus,
    },
    /// The key is revoked.
    Revoked,
    /// The key is unknown: hydrate, and try again.
    Unknown {
        /// The month to hydrate.
        month: Month,
    },
}

/// Durability of an admission's charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// Counted by the limiter alone. It is to be submitted to the journal.
    Unwritten,
    /// Durable in the store. The journal must not count it again.
    Written,
}

/// The limiter failed; nothing is known of what it counted.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the limiter failed: {cause}")]
pub struct LimiterError {
    /// For the log.
    pub cause: Cause,
}
