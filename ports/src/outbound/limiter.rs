//! What counts requests.

use std::time::Duration;

use async_trait::async_trait;
use domain::key::KeyId;
use domain::limits::{LimitStatus, MonthStatus};
use domain::month::Month;
use uuid::Uuid;

use super::{KeyState, Snapshot};
use crate::Cause;

/// Counts requests against their keys' limits. It has a clock of its own, which never goes back.
#[async_trait]
pub trait Limiter: Send + Sync {
    /// Admits one request: status, minute and month in one step. MUST NOT change any count when it
    /// refuses. When both limits are used up, the minute's is answered.
    async fn admit(&self, key: KeyId) -> Result<Verdict, LimiterError>;

    /// What is left of a key's limits, without counting anything; `None` when nothing is known of
    /// the key, or it is revoked.
    async fn peek(&self, key: KeyId) -> Result<Option<LimitStatus>, LimiterError>;

    /// Tells what the store knows of a key. Merged by maximum within a month; a revocation and a
    /// newer version are never undone by a late one. MUST NOT begin a month that hasn't begun by the
    /// limiter's own clock, for the teller's may be ahead: of such a month the key's state alone is
    /// taken, as [`Limiter::apply`] takes it.
    async fn hydrate(&self, key: KeyId, snapshot: Snapshot) -> Result<(), LimiterError>;

    /// Applies a change of a key that was made in the store. A key that isn't known stays unknown.
    async fn apply(&self, key: KeyId, state: KeyState) -> Result<(), LimiterError>;

    /// Makes a key unknown: its next admission is [`Verdict::Unknown`], until it is hydrated. Its
    /// month is what it is told of then. MUST keep, for as long as they matter, what was counted in
    /// its minute, a revocation and the newest version that it was told of, and which requests were
    /// refunded.
    async fn forget(&self, key: KeyId) -> Result<(), LimiterError>;

    /// Gives one admitted request back to `month`, once per `request`; never to the minute.
    async fn refund(&self, key: KeyId, month: Month, request: Uuid) -> Result<(), LimiterError>;
}

/// What a limiter decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The request may go on, and is counted.
    Admitted {
        /// What is left, this request counted.
        limit_status: LimitStatus,
        /// The month that it is charged to.
        month: Month,
        /// Whether the charge is written down.
        charge: Charge,
    },
    /// The minute's limit is used up.
    RateLimited {
        /// What is left.
        limit_status: LimitStatus,
        /// Time until a request would be admitted.
        retry_after: Duration,
    },
    /// The month's quota is used up.
    QuotaExceeded {
        /// What is left.
        limit_status: LimitStatus,
        /// The month that is used up.
        month: MonthStatus,
    },
    /// The key is revoked.
    Revoked,
    /// Nothing is known of the key: hydrate, and ask again.
    Unknown {
        /// The month to hydrate.
        month: Month,
    },
}

/// Where the charge of an admission is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// With the limiter alone. It is to be handed to the journal.
    Unwritten,
    /// In the store, durably. The journal must not count it again.
    Written,
}

/// The limiter failed; nothing is known of what it counted.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the limiter failed: {cause}")]
pub struct LimiterError {
    /// For the log.
    pub cause: Cause,
}
