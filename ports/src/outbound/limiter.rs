//! Port: the rate limiter.

use std::time::Duration;

use async_trait::async_trait;
use domain::key::KeyId;
use domain::limits::{LimitStatus, MonthStatus};
use domain::month::Month;
use uuid::Uuid;

use super::{KeyState, Snapshot};
use crate::Cause;

/// Port: the rate limiter. It counts requests against their keys' limits by its own monotonic
/// clock.
#[async_trait]
pub trait Limiter: Send + Sync {
    /// Admits one request: checks state, minute and month, and counts it, in one atomic step. MUST
    /// NOT change any count when it refuses. When both limits are used up, it reports the minute's.
    async fn admit(&self, key: KeyId) -> Result<Verdict, LimiterError>;

    /// State of a key's limits, without counting anything; `None` when the key is unknown or
    /// revoked.
    async fn peek(&self, key: KeyId) -> Result<Option<LimitStatus>, LimiterError>;

    /// Loads a key's snapshot from the store. Merged by maximum within a month; a revocation and a
    /// newer version are never undone by a late one. MUST NOT begin a month that hasn't begun by
    /// the limiter's own clock, since the caller's may be ahead: of such a month only the key's
    /// state is taken, as by [`Limiter::apply`].
    async fn hydrate(&self, key: KeyId, snapshot: Snapshot) -> Result<(), LimiterError>;

    /// Applies a change of a key that was made in the store. An unknown key stays unknown.
    async fn apply(&self, key: KeyId, state: KeyState) -> Result<(), LimiterError>;

    /// Makes a key unknown: its next admission is [`Verdict::Unknown`], until it is hydrated. Its
    /// use of the month is then the snapshot's. MUST keep, for as long as they matter, the count of
    /// its minute, a revocation and the newest version known, and the set of refunded requests.
    async fn forget(&self, key: KeyId) -> Result<(), LimiterError>;

    /// Refunds one admitted request to `month`, once per `request`; never to the minute.
    async fn refund(&self, key: KeyId, month: Month, request: Uuid) -> Result<(), LimiterError>;
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
