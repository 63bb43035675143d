//! Port: pacing of queries to the bank.

use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{BackOff, BankBudget, Lane, Throttled};

use crate::Cause;

/// Port: pacing of queries to one bank. It gives turns to lanes in their order, within the bank's
/// budget, by the rules of [`domain::pacing`]. It has a clock of its own; cycles are reported to it
/// by the time since their turn.
#[async_trait]
pub trait Pacer: Send + Sync {
    /// Returns when the caller may query the bank, once, now.
    ///
    /// MUST NOT return more often than the budget allows within any
    /// [`WINDOW`](domain::pacing::WINDOW) by the pacer's clock, for all callers together, nor during
    /// a back-off. MUST refuse at once when the turn would come later than
    /// [`longest_wait`](domain::pacing::longest_wait) of this patience, or when too many of the lane
    /// are waiting; a caller whose turn moves back beyond its patience is refused by its end, and
    /// callers that wait when a back-off begins are refused then. A caller that stops waiting (drops
    /// the future) gives its place back, at the latest after some seconds.
    async fn acquire(&self, lane: Lane, patience: Duration) -> Result<(), AcquireError>;

    /// Records that the bank throttled a cycle begun `under_way` ago: a back-off begins, and
    /// waiting callers are refused. A cycle that was under way when a back-off began joins that
    /// one.
    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError>;

    /// Records that the bank answered a complete cycle begun `under_way` ago: if that was after the
    /// newest back-off, the next one is short again.
    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError>;

    /// Merges the state of another pacer of the same bank. Its turns count here too; its back-off
    /// is kept here too, unless a known one ends as late or hardly earlier. MUST NOT shorten any
    /// known back-off.
    async fn merge(&self, state: &PacerState) -> Result<(), PacerError>;

    /// State of the budget; reading it takes no turn.
    async fn budget(&self) -> Result<BankBudget, PacerError>;
}

/// State of a pacer that another one may lack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacerState {
    /// Ages of its turns within the last minute.
    pub turns: Vec<Duration>,
    /// Time left of its back-off, if there is one.
    pub paused_for: Option<Duration>,
}

impl PacerState {
    /// A turn given just now.
    pub fn acquired_now() -> Self {
        Self {
            turns: vec![Duration::ZERO],
            paused_for: None,
        }
    }

    /// A back-off with this much time left.
    pub const fn backing_off(left: Duration) -> Self {
        Self {
            turns: Vec::new(),
            paused_for: Some(left),
        }
    }
}

/// Error of acquiring a turn.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AcquireError {
    /// Refused by the rules.
    #[error(transparent)]
    Refused(#[from] Throttled),
    /// The pacer failed and the turn is unknown. MUST NOT be taken for permission to query.
    #[error(transparent)]
    Failed(#[from] PacerError),
}

/// The pacer failed; nothing is known of what it counted.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the pacer failed: {cause}")]
pub struct PacerError {
    /// For the log.
    pub cause: Cause,
}
